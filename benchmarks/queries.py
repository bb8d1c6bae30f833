"""Drawing queries against a loop over `rng.choice`, with the peak of memory.

python -m benchmarks.queries
"""

from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.timing import peak_allocation, side_by_side
from oneof import UniformQueries

CASES = ((10, 3, 1_000_000), (1000, 500, 100_000))
"""Classes, size, rows."""

SAMPLE = 2_000
"""Rows of the loop that are timed; all of them would take minutes, and each takes the same time."""


def loop(classes: int, size: int, rows: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """What one would write without the library: one `rng.choice` for each item."""
    out = np.zeros((rows, classes), dtype=np.bool_)
    for row in out:
        row[rng.choice(classes, size, replace=False)] = True
    return out


def measure() -> pd.DataFrame:
    """One row per case."""
    rows = []
    for classes, size, n in CASES:
        queries, rng = UniformQueries(classes, size), np.random.default_rng(0)
        ours, theirs = partial(queries.draw, n, rng), partial(loop, classes, size, SAMPLE, rng)
        ratio = side_by_side(ours, theirs, turns=5, warm_up=1)
        peak = peak_allocation(ours)
        rows.append(
            {
                "classes": classes,
                "size": size,
                "rows": n,
                "seconds": round(ratio.ours, 3),
                "times faster than the loop": round(ratio.theirs * n / SAMPLE / ratio.ours, 1),
                "peak memory / output": round(peak / (n * classes), 2),
            }
        )
    return pd.DataFrame(rows)


if __name__ == "__main__":
    print(measure().to_string(index=False))
