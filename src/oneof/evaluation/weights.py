"""Unbiased weights corrected for flips: w(L, 0) + s_hat (w(L, 1) - w(L, 0)), s_hat = (s - rho0) / (1 - rho0 - rho1).

The mean of a figure that is linear in them, such as the weight on the prediction or the weighted losses, is unbiased
for any known law of the questions.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from oneof.answers import Answers
from oneof.evaluation import uncertain_rates
from oneof.evaluation.agreement import Floats
from oneof.evaluation.estimate import Estimate
from oneof.evaluation.intervals import least_squares, square_and_add
from oneof.evaluation.judges import Judges
from oneof.queries.moment import Queries, unbiased_weights
from oneof.queries.weights import without_flips


def weights_without_noise(
    queries: Queries, answers: Answers, rho1: Floats, rho0: Floats, said: NDArray[np.bool_] | None = None
) -> Floats:
    """The weight of each class, (n, k): E[w | true class y] = e_y, flips or not. said: other responses, (n,).

    >>> from oneof import UniformQueries
    >>> answers = Answers([[True, True, False, False]], [True])
    >>> weights_without_noise(UniformQueries(4, 2), answers, np.zeros(1), np.zeros(1)).round(6)
    array([[ 1. ,  1. , -0.5, -0.5]])
    """
    if queries.classes != answers.classes:
        raise ValueError(f"queries over {queries.classes} classes, but answers over {answers.classes}")
    everyone = np.ones(len(answers), dtype=np.bool_)
    yes = unbiased_weights(queries, answers.subsets, everyone)
    no = unbiased_weights(queries, answers.subsets, ~everyone)
    responses = answers.responses if said is None else said
    s_hat = without_flips(responses, rho1, rho0)
    return np.asarray(no + s_hat[:, None] * (yes - no))


def mean_by_weights(
    judges: Judges,
    confidence: float,
    queries: Queries,
    figure: Callable[[Floats], Floats],
    *,
    unseen: float = 0.0,
    without_answers: float = float("nan"),
) -> Estimate:
    """The mean of a figure, from weights (n, k) to (n,), with an asymptotic interval.

    A skip counts with the lower of its two values at the lower end, and with the higher at the upper. unseen: see
    `least_squares`. without_answers: the value where everybody skipped.
    """
    said, unknown, ones = judges.answers.responses, judges.unknown, np.ones(len(judges))

    def values(rho1: Floats, rho0: Floats, fill: bool) -> Floats:
        return figure(weights_without_noise(queries, judges.answers, rho1, rho0, np.where(unknown, fill, said)))

    pair = uncertain_rates.plain_rates(judges.answers, judges.rho1, judges.rho0)
    both = np.stack([values(*pair, fill) for fill in (True, False)])
    least, most = (
        least_squares(part, ones, judges.answers.items, confidence, unseen)
        for part in (both.min(axis=0), both.max(axis=0))
    )
    value = without_answers if unknown.all() else float(both[0][~unknown].mean())
    low, high = least.low, most.high
    if uncertain_rates.estimated(judges.answers):

        def at(rho1: Floats, rho0: Floats) -> float:
            return float(values(rho1, rho0, True)[~unknown].mean())

        found = uncertain_rates.ends(judges.answers, judges.rho1, judges.rho0, at, confidence)
        low, high = map(float, square_and_add(value, [(low, high), *found]))
    return Estimate(value, low, high, len(judges), "asymptotic")
