"""Unbiased weights corrected for flips: w(L, 0) + s_hat (w(L, 1) - w(L, 0)), s_hat = (s - rho0) / (1 - rho0 - rho1).

The mean of a figure that is linear in these weights, such as the weight of the predicted class or the weighted losses,
is unbiased for any known law of the questions.
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
    queries: Queries, answers: Answers, rho1: Floats, rho0: Floats, responses: NDArray[np.bool_] | None = None
) -> Floats:
    """The weight of each class, (n, k): E[w | true class y] = e_y, with or without flips.

    responses: bool (n,), to use instead of those of the answers.

    >>> from oneof import UniformQueries
    >>> answers = Answers([[True, True, False, False]], [True])
    >>> weights_without_noise(UniformQueries(4, 2), answers, np.zeros(1), np.zeros(1)).round(6)
    array([[ 1. ,  1. , -0.5, -0.5]])
    """
    if queries.classes != answers.classes:
        raise ValueError(f"queries over {queries.classes} classes, but answers over {answers.classes}")
    all_yes = np.ones(len(answers), dtype=np.bool_)
    yes = unbiased_weights(queries, answers.subsets, all_yes)
    no = unbiased_weights(queries, answers.subsets, ~all_yes)
    s_hat = without_flips(answers.responses if responses is None else responses, rho1, rho0)
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
    """The mean of a figure with an asymptotic interval. figure: from weights (n, k) to values (n,).

    A skip has the lower of its two possible values at the lower end, and the higher one at the upper end. unseen: see
    `least_squares`. without_answers: the value if all answers are skips.
    """
    responses, unknown, ones = judges.answers.responses, judges.unknown, np.ones(len(judges))

    def values(rho1: Floats, rho0: Floats, fill: bool) -> Floats:
        filled = np.where(unknown, fill, responses)
        return figure(weights_without_noise(queries, judges.answers, rho1, rho0, filled))

    pair = uncertain_rates.plain_rates(judges.answers, judges.rho1, judges.rho0)
    both = np.stack([values(*pair, fill) for fill in (True, False)])
    least, most = (
        least_squares(part, ones, judges.answers.items, confidence, unseen)
        for part in (both.min(axis=0), both.max(axis=0))
    )
    value = without_answers if unknown.all() else float(both[0][~unknown].mean())
    low, high = least.low, most.high
    if uncertain_rates.estimated(judges.answers):

        def value_at(rho1: Floats, rho0: Floats) -> float:
            return float(values(rho1, rho0, True)[~unknown].mean())

        found = uncertain_rates.ends(judges.answers, judges.rho1, judges.rho0, value_at, confidence)
        low, high = map(float, square_and_add(value, [(low, high), *found]))
    return Estimate(value, low, high, len(judges), "asymptotic")
