"""Flip rates that were estimated: how far an estimate would move if they were a little different.

Answers carry, beside each flip rate, how many answers of known truth it was estimated from (`known_yes`,
`known_no`). From these counts each rate has an exact interval of its own, and the estimate is computed anew at its
ends, one rate at a time. `square_and_add` then joins the answers' own interval and all of these into one.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from oneof.answers import Answers
from oneof.evaluation.agreement import Floats, alike
from oneof.evaluation.intervals import clopper_pearson, confidence_sequence

Value = Callable[[Floats, Floats], float]
"""From flip rates of each answer, (n,) each, to the estimate."""


def estimated(answers: Answers) -> bool:
    """Whether the flip rates that the answers carry are estimates."""
    return answers.known_yes is not None or answers.known_no is not None


def plain_rates(answers: Answers, rho1: Floats, rho0: Floats) -> tuple[Floats, Floats]:
    """The rates as plain shares, flipped / asked, without the half answer of each kind that was added to them."""
    counts = _known(answers)
    return _flipped(rho1, counts[0]), _flipped(rho0, counts[1])


def ends(
    answers: Answers, rho1: Floats, rho0: Floats, value: Value, confidence: float, *, anytime: bool = False
) -> list[tuple[float, float]]:
    """For each estimated rate the ends of the estimate while that rate goes through its interval."""
    pair = plain_rates(answers, rho1, rho0)
    sources = [_sources(answers, pair[kind], known) for kind, known in enumerate(_known(answers))]
    interval, level = clopper_pearson, confidence
    if anytime:  # half of the risk is for the rates, all of them together
        interval, level = confidence_sequence, 1 - (1 - confidence) / 2 / max(1, sum(map(len, sources)))
    found = []
    for kind, estimates in enumerate(sources):
        for rows, rate, count in estimates:
            low, high = interval(rate * count, count, level)
            both = []
            for end in (float(low), float(high)):
                moved = [pair[0].copy(), pair[1].copy()]
                # An answer of an annotator who flips more often than not would be turned around, never used as it is.
                moved[kind][rows] = min(end, 0.999 - float(moved[1 - kind][rows].max()))
                both.append(value(*moved))
            found.append((both[0], both[1]))
    return found


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


def _sources(answers: Answers, rate: Floats, known: Floats) -> list[tuple[NDArray[np.bool_], float, float]]:
    """Answers that share one estimate of one rate: which rows, the rate, and the count that it rests on."""
    finite = np.isfinite(known)
    if not finite.any():
        return []
    who = [] if answers.annotators is None else [answers.annotators]
    first, group = alike(rate, np.where(finite, known, -1), *who)
    return [(group == number, float(rate[row]), float(known[row])) for number, row in enumerate(first) if finite[row]]
