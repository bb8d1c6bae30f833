"""Confidence intervals: the one home of Clopper-Pearson, of confidence sequences, and of least squares by item.

clopper_pearson       exact for one look, from a number of successes.
confidence_sequence   exact at every look at once, whatever the rule by which one stops (Howard et al. 2021). It keeps
                      every p at which the likelihood ratio of a Beta(a, b) mixture against p stays below 1/alpha:

                          log B(a+S, b+n-S) - log B(a, b) - S log p - (n-S) log(1-p) < log(1/alpha).

least_squares         asymptotic, for values that are not yes or no, or several of them an item.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from scipy.special import betaincinv, betaln, xlog1py, xlogy

from oneof.evaluation.estimate import Estimate

Floats = NDArray[np.float64]

GRID = 4000
"""Points over which a mixture of accuracies is taken."""

HALVINGS = 60
"""Halvings of an interval until its ends are as good as equal in float64."""


def check_confidence(confidence: float) -> float:
    """The confidence, which must lie between 0 and 1."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, not {confidence}")
    return confidence


def clopper_pearson(successes: ArrayLike, n: ArrayLike, confidence: float) -> tuple[Floats, Floats]:
    """The exact confidence interval of a probability, from `successes` out of n: numbers or arrays, fractions too.

    >>> low, high = clopper_pearson(9, 10, confidence=0.95)
    >>> print(low.round(4), high.round(4))
    0.555 0.9975
    """
    good, total = np.asarray(successes, dtype=np.float64), np.asarray(n, dtype=np.float64)
    bad, tail = np.maximum(total - good, 0.0), (1 - check_confidence(confidence)) / 2
    # Where there is nothing of a kind the end is known, and the beta distribution is not defined.
    low = np.where(good > 0, betaincinv(np.where(good > 0, good, 1.0), bad + 1, tail), 0.0)
    high = np.where(bad > 0, betaincinv(good + 1, np.where(bad > 0, bad, 1.0), 1 - tail), 1.0)
    return low, high


def confidence_sequence(
    successes: ArrayLike, n: ArrayLike, confidence: float, prior: tuple[float, float] = (0.5, 0.5)
) -> tuple[Floats, Floats]:
    """An interval of a probability that holds at every look at once: numbers or arrays.

    Of all the intervals that are seen while answers come in, not one is wrong with this probability.

    >>> low, high = confidence_sequence([90, 900], [100, 1000], confidence=0.95)
    >>> print(low.round(3), high.round(3))
    [0.772 0.862] [0.971 0.931]
    """
    good, total = np.broadcast_arrays(np.asarray(successes, dtype=np.float64), np.asarray(n, dtype=np.float64))
    bad, (a, b) = total - good, prior
    level = betaln(a + good, b + bad) - betaln(a, b) - np.log(1 / (1 - check_confidence(confidence)))

    def outside(p: Floats) -> NDArray[np.bool_]:
        return np.asarray(level - xlogy(good, p) - xlog1py(bad, -p) >= 0)

    best = good / np.maximum(total, 1)
    return _edge(outside, np.zeros_like(best), best), _edge(outside, np.ones_like(best), best)


def _edge(outside: Callable[[Floats], NDArray[np.bool_]], out: Floats, inside: Floats) -> Floats:
    """Where an interval ends between a point that may be outside and one inside, by halving."""
    for _ in range(HALVINGS):
        middle = (out + inside) / 2
        beyond = outside(middle)
        out, inside = np.where(beyond, middle, out), np.where(beyond, inside, middle)
    return np.asarray(out)


def mixed_sequence(agreed: Floats, n: Floats, right: Floats, wrong: Floats, confidence: float) -> tuple[float, float]:
    """The same for A where answers are of several kinds: P(agrees) = A right + (1 - A) wrong. Arrays (kinds,) each.

    The mixture is over A itself, on a fixed grid: any prior, a discrete one too, keeps the promise.
    """
    grid = (np.arange(GRID) + 0.5) / GRID

    def log_likelihood(accuracy: Floats) -> Floats:
        p = wrong + accuracy[:, None] * (right - wrong)
        return np.asarray((xlogy(agreed, p) + xlog1py(n - agreed, -p)).sum(axis=1))

    told = log_likelihood(grid)
    top = told.max()
    mixture = top + np.log(np.exp(told - top).mean())
    level = mixture - np.log(1 / (1 - check_confidence(confidence)))
    best = np.array([grid[int(told.argmax())]])

    def outside(accuracy: Floats) -> NDArray[np.bool_]:
        return np.asarray(log_likelihood(accuracy) <= level)

    return float(_edge(outside, np.zeros(1), best)[0]), float(_edge(outside, np.ones(1), best)[0])


def least_squares(
    values: Floats, slopes: Floats, items: NDArray[np.int64], confidence: float, unseen: float = 0.0
) -> Estimate:
    """A in E[values] = A slopes, (n,) each, with a variance that takes the values about one item as one.

    unseen: what one mistake that did not happen to be seen would add to the sum. Without it a perfect agreement
    would give an interval of no width; with it, squared and times z^2 as in Wilson's interval, it keeps its level.

    >>> estimate = least_squares(np.array([1.0, 1.0, 0.0, 2.0]), np.ones(4), np.arange(4), confidence=0.95)
    >>> print(estimate.value, round(estimate.high, 3), estimate.kind)
    1.0 2.299 asymptotic
    """
    information = float(slopes @ slopes)
    value = float(slopes @ values) / information
    scores = np.bincount(items, weights=slopes * (values - value * slopes))
    clusters = int(np.count_nonzero(np.bincount(items)))
    if clusters < 2:
        return Estimate(value, -np.inf, np.inf, len(values), "asymptotic")
    quantile = float(stats.t.ppf(0.5 + check_confidence(confidence) / 2, clusters - 1))
    spread = clusters / (clusters - 1) * float(scores @ scores) + (quantile * unseen) ** 2
    reach = quantile * float(np.sqrt(spread)) / information
    return Estimate(value, value - reach, value + reach, len(values), "asymptotic")


def square_and_add(value: float, ends: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """One interval for a figure from several independent sources of error (Zou and Donner 2008).

    ends: for each source the interval that the figure would have if the others were known exactly. The distances to
    the value are squared and added, each side by itself: skewed intervals stay skewed.

    >>> square_and_add(0.5, [(0.2, 0.6), (0.1, 0.5)])
    (0.0, 0.6)
    """
    below = sum(max(0.0, value - min(pair)) ** 2 for pair in ends)
    above = sum(max(0.0, max(pair) - value) ** 2 for pair in ends)
    return value - float(np.sqrt(below)), value + float(np.sqrt(above))


def add(value: float, ends: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """As `square_and_add`, but every source may be at its worst at the same time: nothing is assumed to be independent.

    >>> low, high = add(0.5, [(0.2, 0.6), (0.4, 0.5)])
    >>> round(low, 6), high
    (0.1, 0.6)
    """
    below = sum(max(0.0, value - min(pair)) for pair in ends)
    above = sum(max(0.0, max(pair) - value) for pair in ends)
    return value - below, value + above
