"""Guesses after a skip ("can't tell"), and how they narrow the interval of a model's accuracy.

The answer behind a skip may agree with the prediction or not, and an interval that allows for both is wider by the
whole share of skips. Guesses narrow it again. Suppose that of n guesses at most a share e is wrong, whichever those
are. Then the true answers agree with the predictions at most e n times less often than the guesses do, and at most e n
times more often. So e n of the guesses that agree, and e n of those that do not, stay unknown, and the others count as
answers. That holds whatever made people skip.

If there are enough guesses about known items, e is measured there (the upper end of a 99 % interval). Otherwise it is
the setting `guess_error`, by default 1, and then guesses count for nothing.
"""

from math import ceil

import numpy as np
from numpy.typing import NDArray

from oneof.answers import Answers
from oneof.evaluation.intervals import clopper_pearson

FEWEST = 20
"""Guesses about known items that are needed to measure e."""

CONFIDENCE = 0.99


def largest_error(wrong: int, known: int, otherwise: float, flip: float = 0.0) -> float:
    """The largest share of guesses that may be wrong: measured if enough are `known`, else `otherwise`.

    wrong, known: how many of how many guesses about known items were wrong. flip: the rate at which guesses were
    flipped on purpose, which does not count as wrong.

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
    """The answers, with guesses in place of skips as far as they count.

    predictions: (items,). guessed: bool (n,), which answers are skips with a guess. yes: bool (n,), what was guessed.
    error: the largest share of guesses that may be wrong.

    >>> answers = Answers([[True, False]] * 6, ["skip"] * 4 + ["yes", "no"])
    >>> guessed = np.array([True, True, True, True, False, False])
    >>> counted = with_guesses(np.zeros(6, dtype=int), answers, guessed, guessed, error=0.5)
    >>> counted.skipped.tolist(), counted.responses.tolist()
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
