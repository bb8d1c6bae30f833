"""How many held-out answers an interval of a given width for the accuracy needs.

The number of agreements is Binomial, so the *expected* width of the Clopper-Pearson interval at an assumed accuracy is
a sum over all counts. The width is nearly proportional to one over the root of the number of answers, which gives a
first guess for the search.
"""

from math import ceil, sqrt

import numpy as np
from scipy import stats

from oneof.evaluation.intervals import check_confidence, clopper_pearson

MOST = 10**8
"""A plan that needs more answers is refused: nobody could collect them."""
POINTS = 512
"""The most counts for which the ends of the interval are computed; the ends for others are interpolated."""


class TooManyAnswersError(ValueError):
    """The interval would need more answers than people could collect."""

    def __init__(self, width: float) -> None:
        super().__init__(f"an interval as narrow as {width:g} would take more than {MOST:,} answers")


def expected_width(n: int, accuracy: float, right: float, wrong: float, confidence: float = 0.95) -> float:
    """The expected width of the exact interval for the accuracy, from n held-out answers.

    right, wrong: P(answer agrees | prediction right) and P(answer agrees | prediction wrong), see
    `oneof.evaluation.agreement_rates`.

    >>> round(expected_width(1000, accuracy=0.9, right=1.0, wrong=4 / 9), 4)
    0.0528
    """
    rate = accuracy * right + (1 - accuracy) * wrong
    # Counts beyond eight standard deviations have a negligible probability.
    margin = int(np.ceil(8 * sqrt(n * rate * (1 - rate)))) + 8
    first, last = max(0, int(n * rate) - margin), min(n, int(n * rate) + margin)
    counts = np.arange(first, last + 1)
    some = counts if len(counts) <= POINTS else np.unique(np.linspace(first, last, POINTS).round())
    low, high = (np.interp(counts, some, end) for end in clopper_pearson(some, n, confidence))
    low, high = (np.clip((end - wrong) / (right - wrong), 0, 1) for end in (low, high))
    return float(stats.binom.pmf(counts, n, rate) @ (high - low))


def answers_for_width(accuracy: float, width: float, right: float, wrong: float, confidence: float = 0.95) -> int:
    """The fewest held-out answers whose interval for the accuracy is expected to be no wider than `width`.

    >>> answers_for_width(accuracy=0.9, width=0.1, right=1.0, wrong=4 / 9)
    294
    """
    if not 0 < width < 1:
        raise ValueError(f"width must be between 0 and 1, not {width}")
    check_confidence(confidence)
    rate = accuracy * right + (1 - accuracy) * wrong
    by_one = 2 * float(stats.norm.ppf((1 + confidence) / 2)) * sqrt(rate * (1 - rate)) / (right - wrong)
    enough = max(2, round((by_one / width) ** 2))
    for _ in range(5):
        if enough > MOST:
            raise TooManyAnswersError(width)
        better = max(2, ceil(enough * (expected_width(enough, accuracy, right, wrong, confidence) / width) ** 2))
        near, enough = abs(better - enough) <= 1 + enough // 1000, better
        if near:
            break
    few, step = enough, 1
    while expected_width(enough, accuracy, right, wrong, confidence) > width:
        few, enough, step = enough, enough + step, 2 * step
    step = 1
    while few > 1 and expected_width(few, accuracy, right, wrong, confidence) <= width:
        few, enough, step = max(1, few - step), few, 2 * step
    while enough - few > 1:
        middle = (few + enough) // 2
        if expected_width(middle, accuracy, right, wrong, confidence) > width:
            few = middle
        else:
            enough = middle
    return enough
