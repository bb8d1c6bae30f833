from itertools import combinations

import numpy as np
import pytest

from oneof import UniformQueries
from oneof.evaluation import agreement_rates, decoy_rates
from oneof.evaluation.agreement import Agreements, equal_rows


@pytest.mark.parametrize(("k", "m"), [(2, 1), (5, 2), (6, 5)])
@pytest.mark.parametrize(("rho1", "rho0"), [(0.0, 0.0), (0.2, 0.1)])
def test_rates_by_enumeration(k: int, m: int, rho1: float, rho0: float) -> None:
    table = np.array([[j in chosen for j in range(k)] for chosen in combinations(range(k), m)])
    p_yes = np.where(table, 1 - rho1, rho0)

    def agree(y: int, predicted: int) -> float:
        return float(np.where(table[:, predicted], p_yes[:, y], 1 - p_yes[:, y]).mean())

    right, wrong = agreement_rates(k, m, rho1, rho0)
    assert right == pytest.approx(agree(0, 0))
    assert all(wrong == pytest.approx(agree(0, other)) for other in range(1, k))
    if not rho1:
        assert wrong == pytest.approx(UniformQueries(k, m).agreement_by_chance)
    right, wrong = decoy_rates(k, m, rho1, rho0)
    shown = table[:, 1]  # the questions made from the prediction 1
    assert right == pytest.approx(p_yes[shown, 1].mean())
    assert wrong == pytest.approx(p_yes[shown, 0].mean())


def test_equal_rows_of_one_column_or_several() -> None:
    for columns in ([[5, 5, 2]], [[5, 5, 2], [1, 1, 1]]):
        first, group = equal_rows(*map(np.array, columns))
        assert (first.tolist(), group.tolist()) == ([2, 0], [1, 1, 0])


def test_counting_by_kind() -> None:
    right, wrong = np.array([1.0, 1.0, 0.9]), np.array([0.5, 0.5, 0.2])
    counts = Agreements.count(right, wrong, np.array([True, False, True]), np.array([False, True, False]))
    assert counts.right.tolist() == [0.9, 1.0]
    assert counts.n.tolist() == [1, 2]
    assert counts.agreed.tolist() == [1, 1]
    assert counts.unknown.tolist() == [0, 1]
    assert counts.value() == pytest.approx((1 - 0.35) / (0.95 - 0.35))


def test_answers_that_say_little_are_not_mixed_with_those_that_say_much() -> None:
    """k = 1000: 300 predictions among decoys, and 500 uniform questions that hardly ever touch the prediction."""
    (r1, w1), (r2, w2) = decoy_rates(1000, 3), agreement_rates(1000, 3)
    counts = Agreements(
        np.array([r1, r2]), np.array([w1, w2]), np.array([270.0, 497.0]), np.zeros(2), np.array([300.0, 500.0])
    )
    kept = counts.most_informative()
    assert kept.n.tolist() == [300]
    similar = Agreements(
        np.ones(2), np.array([0.5, 0.45]), np.array([90.0, 90.0]), np.zeros(2), np.array([100.0, 100.0])
    )
    assert similar.most_informative().n.sum() == 200
