"""A sweep of two short runs and two long ones on scikit-learn's digits.

python sweep_driver.py ENGINE FOLDER [ADDRESS]

While FOLDER/unfinished/hold is there, the long runs wait in their second epoch, so that they can be killed half-way.
"""

import sys
import time
from dataclasses import replace
from pathlib import Path

from oneof.engines.base import Report
from oneof.engines.choice import choose
from oneof.experiments.grid import needed
from oneof.experiments.protocol import RunSpec, preset
from oneof.experiments.run import execute
from oneof.experiments.runner import RunResult, run_grid
from oneof.experiments.store import Results

SPECS = [
    replace(spec, epochs=epochs) for spec, epochs in zip(needed("table3", preset("smoke")), (2, 2, 6, 6), strict=False)
]


def execute_held(spec: RunSpec, path: Path, on_epoch: Report) -> RunResult:
    def report(epochs: int) -> None:
        on_epoch(epochs)
        while spec.epochs > 2 <= epochs and (path.parent / "hold").exists():
            time.sleep(0.05)

    return execute(spec, path, report)


if __name__ == "__main__":
    name, folder, *address = sys.argv[1:]
    with choose(name, workers=2, address=address[0] if address else None) as engine:
        print(run_grid(SPECS, Results(Path(folder)), execute_held, engine))
