"""Estimated flip rates: how much an estimate changes because the true rates may be a little different.

`Answers` have, next to each flip rate, the number of answers of known truth from which it was estimated (`known_yes`,
`known_no`). From these counts each rate has an exact interval of its own, and the estimate is computed again at its
ends, one rate at a time: this gives the effect of one more flip among the known answers. The flips of all annotators,
weighted by these effects, are one sum with one interval (`WeightedCounts`), and `square_and_add` joins it with the
interval of the answers themselves. An anytime interval assumes the worst of all rates at once.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oneof.answers import Answers
from oneof.evaluation.agreement import Floats, equal_rows
from oneof.evaluation.intervals import WeightedCounts, clopper_pearson, confidence_sequence

Value = Callable[[Floats, Floats], Any]
"""From flip rates of each answer, (n,) each, to the estimate: a number, or an array of them."""

ALMOST_NONE = 1e-6
"""Used instead of zero answers of known truth, to avoid a division by zero."""


def estimated(answers: Answers) -> bool:
    """Whether the flip rates of the answers are estimates."""
    return answers.known_yes is not None or answers.known_no is not None


def plain_rates(answers: Answers, rho1: Floats, rho0: Floats) -> tuple[Floats, Floats]:
    """The rates as plain shares of flipped answers, without the half answer of each kind that was added to them."""
    counts = _known(answers)
    return _flipped(rho1, counts[0]), _flipped(rho0, counts[1])


def ends(
    answers: Answers, rho1: Floats, rho0: Floats, value: Value, confidence: float, *, anytime: bool = False
) -> list[tuple[Any, Any]]:
    """The ends of the estimate as the estimated rates vary within their intervals; empty if all rates are known.

    One pair of ends for all rates; with `anytime` one pair for each rate, to be added up.
    """
    pair = plain_rates(answers, rho1, rho0)
    sources = [
        (kind, source) for kind, known in enumerate(_known(answers)) for source in _sources(answers, pair[kind], known)
    ]
    if not sources:
        return []
    interval, level = clopper_pearson, confidence
    if anytime:  # all rates share one half of the error probability
        interval, level = confidence_sequence, 1 - (1 - confidence) / 2 / len(sources)
    middle, pairs, flips = np.asarray(value(*pair), dtype=np.float64), [], WeightedCounts()
    for kind, (rows, rate, known) in sources:
        count = max(known, ALMOST_NONE)
        both, weights = [], []
        for end in interval(rate * count, count, level):
            moved = [pair[0].copy(), pair[1].copy()]
            # The two rates must add up to less than one: beyond, an answer would be inverted before use.
            limited = min(float(end), 0.999 - float(moved[1 - kind][rows].max()))
            moved[kind][rows] = limited
            both.append(value(*moved))
            weights.append((both[-1] - middle) / (limited - rate) / count if limited != rate else None)
        pairs.append((both[0], both[1]))
        # A rate of zero cannot fall, and one at its limit cannot rise: then the weight of the other direction is used.
        falling, rising = (mine if mine is not None else other for mine, other in (weights, weights[::-1]))
        lower, upper = (0.0 * middle if weight is None else weight for weight in (falling, rising))
        flips.add(lower, upper, rate * count, count)
    if anytime:
        return pairs
    below, above = flips.margins(confidence)
    return [(middle - below, middle + above)]


def _known(answers: Answers) -> tuple[Floats, Floats]:
    """From how many answers of known truth each rate was estimated, (n,) each; infinity for a known rate."""
    certain = np.full(len(answers), np.inf)
    return (
        certain if answers.known_yes is None else answers.known_yes,
        certain if answers.known_no is None else answers.known_no,
    )


def _flipped(rate: Floats, known: Floats) -> Floats:
    """x / n from (x + 1/2) / (n + 1), for estimated rates; known rates stay."""
    n = np.where(np.isfinite(known), known, 1.0)
    share = np.clip((rate * (n + 1) - 0.5) / np.maximum(n, 1e-9), 0.0, 1.0)
    return np.where(np.isfinite(known), np.where(n > 0, share, 0.0), rate)


def rate_keys(answers: Answers) -> list[NDArray[Any]]:
    """Columns, (n,) each, that differ between answers whose rates are different estimates: counts, and who answered."""
    counts = [np.where(np.isfinite(known), known, -1.0) for known in _known(answers)]
    return counts if answers.annotators is None else [*counts, answers.annotators]


def _sources(answers: Answers, rate: Floats, known: Floats) -> list[tuple[NDArray[np.bool_], float, float]]:
    """Each estimate of a rate: which rows share it, the rate, and the count from which it was estimated."""
    finite = np.isfinite(known)
    if not finite.any():
        return []
    who = [] if answers.annotators is None else [answers.annotators]
    first, group = equal_rows(rate, np.where(finite, known, -1), *who)
    return [(group == number, float(rate[row]), float(known[row])) for number, row in enumerate(first) if finite[row]]
