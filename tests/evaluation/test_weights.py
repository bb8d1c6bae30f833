from itertools import product

import numpy as np
import pytest

from oneof import Answers, UniformQueries, WeightedQueries
from oneof.evaluation.weights import weights_without_noise


def test_unbiased_with_flips_by_enumeration() -> None:
    table = np.array([bits for bits in product([False, True], repeat=4) if 0 < sum(bits) < 4])
    queries = WeightedQueries(table, np.full(len(table), 1 / len(table)))
    rho1, rho0 = 0.2, 0.1
    for truth in range(4):
        total = np.zeros(4)
        for response in (True, False):
            answers = Answers(table, np.full(len(table), response))
            weights = weights_without_noise(queries, answers, np.full(14, rho1), np.full(14, rho0))
            yes = np.where(table[:, truth], 1 - rho1, rho0)
            total += (weights * (yes if response else 1 - yes)[:, None]).mean(axis=0)
        np.testing.assert_allclose(total, np.eye(4)[truth], atol=1e-12)


def test_other_classes_are_refused() -> None:
    with pytest.raises(ValueError, match="queries over 5 classes, but answers over 3"):
        weights_without_noise(UniformQueries(5, 2), Answers([[True, False, False]], [True]), np.zeros(1), np.zeros(1))
