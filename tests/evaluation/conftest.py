"""Simulated data sets, one at a time: items, a model of known accuracy, questions and answers."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from oneof import Answers, Estimate, PredictionQueries, UniformQueries, respond

Data = tuple[NDArray[np.int64], NDArray[np.int64], Answers]


def _simulate(
    repetitions: int, k: int, m: int, accuracy: float, n: int, *, decoys: bool = False, per_item: int = 1, **flips: Any
) -> Iterator[Data]:
    """Labels, predictions and answers, again and again. Wrong predictions are mostly the next class."""
    rng = np.random.default_rng([k, m, n, per_item, int(1000 * accuracy)])
    for _ in range(repetitions):
        labels = rng.integers(k, size=n)
        step = np.where(rng.random(n) < 0.7, 1, rng.integers(1, k, size=n))
        predictions = np.where(rng.random(n) < accuracy, labels, (labels + step) % k)
        items = np.repeat(np.arange(n), per_item)
        if decoys:
            subsets = PredictionQueries(k, m).draw(predictions[items], rng)
        else:
            subsets = UniformQueries(k, m).draw(len(items), rng)
        responses = respond(subsets, labels[items], rng=rng, **flips)
        how: dict[str, Any] = {"design": "prediction", "predicted": predictions[items]} if decoys else {}
        yield labels, predictions, Answers(subsets, responses, items, **how)


def _covered(truth: float, estimates: Iterator[Estimate]) -> float:
    """The share of intervals that hold the truth."""
    return float(np.mean([found.low <= truth <= found.high for found in estimates]))


@pytest.fixture(scope="session")
def simulate() -> Callable[..., Iterator[Data]]:
    return _simulate


@pytest.fixture(scope="session")
def covered() -> Callable[[float, Iterator[Estimate]], float]:
    return _covered
