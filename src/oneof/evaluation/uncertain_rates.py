"""Flip rates that were estimated: how far an estimate would move if they were a little different.

Answers carry, beside each flip rate, how many answers of known truth it was estimated from (`known_yes`,
`known_no`). From these counts each rate has an exact interval of its own, and the estimate is computed anew at its
ends, one rate at a time: that says how much one more flip among the known answers would move it. The flips of all
annotators, so weighted, are one sum with one interval (`WeightedCounts`), which `square_and_add` joins with the
answers' own. An anytime interval lets every rate be at its worst at once.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oneof.answers import Answers
from oneof.evaluation.agreement import Floats, alike
from oneof.evaluation.intervals import WeightedCounts, clopper_pearson, confidence_sequence

Value = Callable[[Floats, Floats], Any]
"""From flip rates of each answer, (n,) each, to the estimate: a number, or an array of them."""

FEW = 1e-6
"""Stands for no answer of known truth at all, where a count is divided by."""


def estimated(answers: Answers) -> bool:
    """Whether the flip rates that the answers carry are estimates."""
    return answers.known_yes is not None or answers.known_no is not None


def plain_rates(answers: Answers, rho1: Floats, rho0: Floats) -> tuple[Floats, Floats]:
    """The rates as plain shares, flipped / asked, without the half answer of each kind that was added to them."""
    counts = _known(answers)
    return _flipped(rho1, counts[0]), _flipped(rho0, counts[1])


def ends(
    answers: Answers, rho1: Floats, rho0: Floats, value: Value, confidence: float, *, anytime: bool = False
) -> list[tuple[Any, Any]]:
    """The ends of the estimate while the estimated rates go through what they may be; empty if all rates are known.

    One pair for all rates together; with `anytime` one for each, to be added up.
    """
    pair = plain_rates(answers, rho1, rho0)
    sources = [
        (kind, source) for kind, known in enumerate(_known(answers)) for source in _sources(answers, pair[kind], known)
    ]
    if not sources:
        return []
    interval, level = clopper_pearson, confidence
    if anytime:  # half of the risk is for the rates, all of them together
        interval, level = confidence_sequence, 1 - (1 - confidence) / 2 / len(sources)
    middle, pairs, flips = np.asarray(value(*pair), dtype=np.float64), [], WeightedCounts()
    for kind, (rows, rate, known) in sources:
        count = max(known, FEW)
        both, weights = [], []
        for end in interval(rate * count, count, level):
            moved = [pair[0].copy(), pair[1].copy()]
            # An answer of an annotator who flips more often than not would be turned around, never used as it is.
            there = min(float(end), 0.999 - float(moved[1 - kind][rows].max()))
            moved[kind][rows] = there
            both.append(value(*moved))
            weights.append((both[-1] - middle) / (there - rate) / count if there != rate else None)
        pairs.append((both[0], both[1]))
        # A rate of zero does not fall, one at its limit does not rise: the other way tells what a flip is worth.
        falling, rising = (mine if mine is not None else other for mine, other in (weights, weights[::-1]))
        lower, upper = (0.0 * middle if weight is None else weight for weight in (falling, rising))
        flips.add(lower, upper, rate * count, count)
    if anytime:
        return pairs
    below, above = flips.reach(confidence)
    return [(middle - below, middle + above)]


def _known(answers: Answers) -> tuple[Floats, Floats]:
    """How many answers of known truth each rate rests on, (n,) each; infinity for a rate that is known itself."""
    certain = np.full(len(answers), np.inf)
    return (
        certain if answers.known_yes is None else answers.known_yes,
        certain if answers.known_no is None else answers.known_no,
    )


def _flipped(rate: Floats, known: Floats) -> Floats:
    """(x + 1/2) / (n + 1) -> x / n."""
    few = np.where(np.isfinite(known), known, 1.0)
    share = np.clip((rate * (few + 1) - 0.5) / np.maximum(few, 1e-9), 0.0, 1.0)
    return np.where(np.isfinite(known), np.where(few > 0, share, 0.0), rate)


def marks(answers: Answers) -> list[NDArray[Any]]:
    """What tells apart answers whose rates were estimated apart: the counts, and who answered, (n,) each."""
    counts = [np.where(np.isfinite(known), known, -1.0) for known in _known(answers)]
    return counts if answers.annotators is None else [*counts, answers.annotators]


def _sources(answers: Answers, rate: Floats, known: Floats) -> list[tuple[NDArray[np.bool_], float, float]]:
    """Answers that share one estimate of one rate: which rows, the rate, and the count that it rests on."""
    finite = np.isfinite(known)
    if not finite.any():
        return []
    who = [] if answers.annotators is None else [answers.annotators]
    first, group = alike(rate, np.where(finite, known, -1), *who)
    return [(group == number, float(rate[row]), float(known[row])) for number, row in enumerate(first) if finite[row]]
