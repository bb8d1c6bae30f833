"""A sweep of two short runs and two long ones on scikit-learn's digits.

python sweep_driver.py ENGINE FOLDER [ADDRESS]
"""

import sys
from dataclasses import replace
from pathlib import Path

from oneof.engines.choice import choose
from oneof.experiments.grid import needed
from oneof.experiments.protocol import preset
from oneof.experiments.run import execute
from oneof.experiments.runner import run_grid
from oneof.experiments.store import Results

SPECS = [
    replace(spec, epochs=epochs)
    for spec, epochs in zip(needed("table3", preset("smoke")), (2, 2, 25, 25), strict=False)
]

if __name__ == "__main__":
    name, folder, *address = sys.argv[1:]
    with choose(name, workers=2, address=address[0] if address else None) as engine:
        print(run_grid(SPECS, Results(Path(folder)), execute, engine))
