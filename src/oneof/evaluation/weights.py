"""Unbiased weights corrected for flips: w(L, 0) + s_hat (w(L, 1) - w(L, 0)), s_hat = (s - rho0) / (1 - rho0 - rho1)."""

import numpy as np
from numpy.typing import NDArray

from oneof.answers import Answers
from oneof.queries.moment import Queries, unbiased_weights
from oneof.queries.weights import without_flips

Floats = NDArray[np.float64]


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
