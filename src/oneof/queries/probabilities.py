"""The probabilities that a model gives: checked, and as logarithms."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

SMALLEST = 1e-12
"""What counts instead of smaller probabilities: a model may rule out every class that the answers allow."""


def check_probabilities(p: Floats, rows: NDArray[np.int64] | None = None) -> None:
    """Raise for the first row of p, (n, k), that is not a distribution. rows: what the rows are called, (n,).

    >>> check_probabilities(np.array([[0.5, 0.5], [0.9, 0.2]]))
    Traceback (most recent call last):
    ...
    ValueError: row 1 of probabilities is [0.9 0.2], expected probabilities that sum to one
    """
    bad = np.flatnonzero(~(np.isfinite(p) & (p >= 0)).all(axis=1) | (np.abs(p.sum(axis=1) - 1) > 1e-3))
    if len(bad):
        row = bad[0] if rows is None else rows[bad[0]]
        raise ValueError(f"row {row} of probabilities is {p[bad[0]]}, expected probabilities that sum to one")


def finite_logs(probabilities: ArrayLike) -> Floats:
    """The logarithms, finite also where a probability is zero. (n, k) -> (n, k).

    >>> finite_logs([[1.0, 0.0]]).round(1)
    array([[  0. , -27.6]])
    """
    return np.log(np.maximum(np.asarray(probabilities, dtype=np.float64), SMALLEST))
