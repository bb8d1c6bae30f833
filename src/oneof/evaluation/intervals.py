"""Confidence intervals: Clopper-Pearson, confidence sequences, least squares by item, and sums of weighted counts.

clopper_pearson       exact for one look, from a number of successes.
confidence_sequence   exact for all looks at once, whenever one stops (Howard et al. 2021). It contains every p for
                      which the likelihood ratio of a Beta(a, b) mixture against p is below 1/alpha:

                          log B(a+S, b+n-S) - log B(a, b) - S log p - (n-S) log(1-p) < log(1/alpha).

least_squares         asymptotic, for values other than yes or no, or several values per item.
WeightedCounts        asymptotic, for a weighted sum of counts; exact if the weights are equal.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from scipy.special import betaincinv, betaln, logsumexp, xlog1py, xlogy

from oneof.evaluation.estimate import Estimate

Floats = NDArray[np.float64]

GRID = 4000
"""Number of accuracies in a mixture."""

HALVINGS = 60
"""Halvings of an interval after which its ends are equal in float64."""


def check_confidence(confidence: float) -> float:
    """The confidence, after a check that it is between 0 and 1."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, not {confidence}")
    return confidence


def clopper_pearson(successes: ArrayLike, n: ArrayLike, confidence: float) -> tuple[Floats, Floats]:
    """The exact confidence interval of a probability, from `successes` out of n: numbers or arrays, also fractions.

    >>> low, high = clopper_pearson(9, 10, confidence=0.95)
    >>> print(low.round(4), high.round(4))
    0.555 0.9975
    """
    good, total = np.asarray(successes, dtype=np.float64), np.asarray(n, dtype=np.float64)
    bad, tail = np.maximum(total - good, 0.0), (1 - check_confidence(confidence)) / 2
    # Without successes the lower end is 0, without failures the upper end is 1; there no beta distribution is defined.
    low = np.where(good > 0, betaincinv(np.where(good > 0, good, 1.0), bad + 1, tail), 0.0)
    high = np.where(bad > 0, betaincinv(good + 1, np.where(bad > 0, bad, 1.0), 1 - tail), 1.0)
    return low, high


def confidence_sequence(
    successes: ArrayLike, n: ArrayLike, confidence: float, prior: tuple[float, float] = (0.5, 0.5)
) -> tuple[Floats, Floats]:
    """A confidence interval of a probability that holds for all looks at once: numbers or arrays.

    With this confidence, none of the intervals that one sees as answers come in misses the truth.

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
    """The end of an interval, between a point that may be outside and a point inside, by halving."""
    for _ in range(HALVINGS):
        middle = (out + inside) / 2
        beyond = outside(middle)
        out, inside = np.where(beyond, middle, out), np.where(beyond, inside, middle)
    return np.asarray(out)


def mixed_sequence(agreed: Floats, n: Floats, right: Floats, wrong: Floats, confidence: float) -> tuple[float, float]:
    """A confidence sequence for A if there are several kinds of answers: P(agrees) = A right + (1 - A) wrong.

    Arrays (kinds,) each. The mixture is over A itself, on a fixed grid: the sequence is exact for any prior, also a
    discrete one.
    """
    grid = (np.arange(GRID) + 0.5) / GRID

    def log_likelihood(accuracy: Floats) -> Floats:
        p = wrong + accuracy[:, None] * (right - wrong)
        return np.asarray((xlogy(agreed, p) + xlog1py(n - agreed, -p)).sum(axis=1))

    values = log_likelihood(grid)
    mixture = logsumexp(values) - np.log(GRID)
    level = mixture - np.log(1 / (1 - check_confidence(confidence)))
    best = np.array([grid[int(values.argmax())]])

    def outside(accuracy: Floats) -> NDArray[np.bool_]:
        return np.asarray(log_likelihood(accuracy) <= level)

    return float(_edge(outside, np.zeros(1), best)[0]), float(_edge(outside, np.ones(1), best)[0])


def standard_error(low: float, high: float, confidence: float = 0.95) -> float:
    """The standard error of an estimate of which only the interval is known, as if it was normal.

    >>> round(standard_error(0.80, 0.88), 4)
    0.0204
    """
    return (high - low) / (2 * float(stats.norm.ppf(0.5 + confidence / 2)))


def least_squares(
    values: Floats, slopes: Floats, items: NDArray[np.int64], confidence: float, unseen: float = 0.0
) -> Estimate:
    """A in E[values] = A slopes, (n,) each, with a variance in which the values about one item are one cluster.

    unseen: what one more mistake would add to the sum. Without it a perfect agreement would give an interval of zero
    width; with it, squared and times z^2 as in Wilson's interval, the interval keeps its confidence.

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
    margin = quantile * float(np.sqrt(spread)) / information
    return Estimate(value, value - margin, value + margin, len(values), "asymptotic")


class WeightedCounts:
    """A weighted sum of independent Binomial counts, and how far it may be from the truth.

    The method is that of Fay and Feuer (1997) for Poisson counts: the sum is treated as one scaled count with the same
    mean and variance, with a Clopper-Pearson interval; for the upper end one more success is added where the weight is
    largest. Adding the squared margins of the single counts would be wrong: a count of one has a small lower margin,
    because a count cannot be below zero, and a sum of many such counts would seem far too certain. Weights may be
    arrays of one shape, and negative.

    >>> counts = WeightedCounts()
    >>> for weight, count, total in ((0.1, 2, 10), (0.1, 1, 10)):
    ...     counts.add(weight, weight, count, total)
    >>> below, above = counts.margins(confidence=0.95)
    >>> low, high = clopper_pearson(3, 20, confidence=0.95)
    >>> bool(np.isclose(below, 0.1 * (3 - 20 * low))), bool(np.isclose(above, 0.1 * (20 * high - 3)))
    (True, True)
    """

    def __init__(self) -> None:
        # sum w x, sum w^2 x, sum w n, sum w^2 n, max w: by the sign of the weights, and for falling or rising counts.
        self._sums: dict[tuple[int, str], list[Floats]] = {}

    def add(self, falling: ArrayLike, rising: ArrayLike, count: ArrayLike, total: ArrayLike) -> None:
        """Add a count out of a total, with its weight if the count falls and its weight if it rises."""
        for way, given in (("falls", falling), ("rises", rising)):
            for sign in (1, -1):
                w = np.maximum(sign * np.asarray(given, dtype=np.float64), 0.0)
                x, n = np.asarray(count, dtype=np.float64), np.asarray(total, dtype=np.float64)
                *sums, largest = self._sums.get((sign, way), [np.zeros_like(w)] * 5)
                terms = w * x, w**2 * x, w * n, w**2 * n
                self._sums[sign, way] = [*(a + b for a, b in zip(sums, terms, strict=True)), np.maximum(largest, w)]

    def margins(self, confidence: float) -> tuple[Floats, Floats]:
        """How far the sum may be above the truth, and how far below."""
        tail = (1 - check_confidence(confidence)) / 2
        if not self._sums:
            return np.zeros(()), np.zeros(())
        fall, rise = ({sign: self._distance(sign, way, tail) for sign in (1, -1)} for way in ("falls", "rises"))
        return np.hypot(fall[1], rise[-1]), np.hypot(rise[1], fall[-1])

    def _distance(self, sign: int, way: str, tail: float) -> Floats:
        total, square, most, most_square, top = self._sums[sign, way]
        if way == "rises":
            total, square = total + top, square + top**2
        used = square > 0
        total, square, most, most_square = (np.where(used, part, 1.0) for part in (total, square, most, most_square))
        count, scale = total**2 / square, square / total
        n = np.maximum(most**2 / most_square, count)
        if way == "falls":
            return np.where(used, total - scale * n * betaincinv(count, n - count + 1, tail), 0.0)
        return np.where(used, scale * n * betaincinv(count, n - count + 1, 1 - tail) - total + top, 0.0)


def square_and_add(value: ArrayLike, ends: Sequence[tuple[ArrayLike, ArrayLike]]) -> tuple[Floats, Floats]:
    """One interval for a figure from several independent sources of error (Zou and Donner 2008). Numbers or arrays.

    ends: for each source the interval that the figure would have without the other sources of error. The distances to
    the value are squared and added for each side separately, so that skewed intervals stay skewed.

    >>> low, high = square_and_add(0.5, [(0.2, 0.6), (0.1, 0.5)])
    >>> round(float(low), 6), round(float(high), 6)
    (0.0, 0.6)
    """
    middle = np.asarray(value, dtype=np.float64)
    below = sum(np.maximum(0.0, middle - np.minimum(low, high)) ** 2 for low, high in ends)
    above = sum(np.maximum(0.0, np.maximum(low, high) - middle) ** 2 for low, high in ends)
    return middle - np.sqrt(below), middle + np.sqrt(above)


def add(value: float, ends: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """As `square_and_add`, but for sources that need not be independent: the distances themselves are added.

    >>> low, high = add(0.5, [(0.2, 0.6), (0.4, 0.5)])
    >>> round(low, 6), high
    (0.1, 0.6)
    """
    below = sum(max(0.0, value - min(pair)) for pair in ends)
    above = sum(max(0.0, max(pair) - value) for pair in ends)
    return value - below, value + above
