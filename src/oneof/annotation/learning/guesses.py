"""Guesses after "can't tell", and what they are worth in judging.

A skip may have agreed with the prediction or not, and bounds that allow for both widen by the whole share of skips. A
guess narrows them. Say that of n guesses at most a share e is wrong, whichever ones: then the true answers hold at most
e n agreements fewer than the guesses, and at most e n more. So e n of the guesses that agree, and e n of those that do
not, stay unknown; the others count as answers. That holds whatever the reason of the skips.

e is measured on known items where enough guesses were made about them (the upper end of a 99 % interval), and is else
the setting `guess_error`: 1 unless a manager asserts less, and at e = 1 guesses count for nothing.
"""

from math import ceil

import numpy as np
from numpy.typing import NDArray

from oneof.answers import Answers
from oneof.evaluation.intervals import clopper_pearson

FEWEST = 20
"""Guesses about known items below which they say too little."""

CONFIDENCE = 0.99


def largest_error(wrong: int, known: int, otherwise: float, flip: float = 0.0) -> float:
    """The share of guesses that may be wrong: from guesses about known items, or else `otherwise`.

    flip: the rate at which what is stored was flipped on purpose, which is taken off again.

    >>> largest_error(0, 5, otherwise=1.0), round(largest_error(3, 40, otherwise=1.0), 3)
    (1.0, 0.248)
    """
    if known < FEWEST:
        return otherwise
    seen = float(clopper_pearson(wrong, known, CONFIDENCE)[1])
    return min(1.0, max(0.0, (seen - flip) / (1 - 2 * flip)))


def with_guesses(
    predictions: NDArray[np.int64], answers: Answers, guessed: NDArray[np.bool_], yes: NDArray[np.bool_], error: float
) -> Answers:
    """The answers, where those guesses that are safe to count replace skips.

    predictions: (items,). guessed: (n,), which answers are skips with a guess. yes: (n,), what was guessed there.

    >>> answers = Answers([[True, False]] * 6, ["skip"] * 4 + ["yes", "no"])
    >>> guessed = np.array([True, True, True, True, False, False])
    >>> told = with_guesses(np.zeros(6, dtype=int), answers, guessed, guessed, error=0.5)
    >>> told.skipped.tolist(), told.responses.tolist()
    ([True, True, False, False, False, False], [False, False, True, True, True, False])
    """
    if not guessed.any() or answers.skipped is None:
        return answers
    agrees = answers.contains(predictions[answers.items]) == yes
    doubtful = ceil(error * np.count_nonzero(guessed))
    counts = guessed.copy()
    for part in (guessed & agrees, guessed & ~agrees):
        counts[np.flatnonzero(part)[:doubtful]] = False
    return answers.replace(responses=np.where(counts, yes, answers.responses), skipped=answers.skipped & ~counts)
