"""Simulated items and predictions, and what is judged about them."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from oneof import Estimate

Rng = np.random.Generator


class Judged(NamedTuple):
    """One simulated data set: the true accuracy, and the interval as judged before (None if not at all) and after."""

    truth: float
    before: Callable[[], Estimate] | None
    after: Callable[[], Estimate]


Draw = Callable[[Rng, int], Judged]
"""Simulates a data set with so many answers."""


def items(rng: Rng, n: int, k: int, accuracy: float) -> tuple[Any, Any]:
    """Labels, and predictions that are wrong mostly by the next class."""
    labels = rng.integers(k, size=n)
    step = np.where(rng.random(n) < 0.7, 1, rng.integers(1, k, size=n))
    return labels, np.where(rng.random(n) < accuracy, labels, (labels + step) % k)
