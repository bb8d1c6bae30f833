"""Any known distribution over subsets."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from oneof import WeightedQueries


def test_draws_follow_the_probabilities() -> None:
    rng = np.random.default_rng(0)
    table = np.array([[i >> j & 1 for j in range(4)] for i in range(1, 15)])
    queries = WeightedQueries(table, rng.dirichlet(np.ones(14)))
    codes = queries.draw(50_000, rng=1) @ (1 << np.arange(4))
    observed = np.bincount(codes, minlength=15)[1:]
    assert stats.chisquare(observed, queries.probabilities * 50_000).pvalue > 0.001
    assert np.array_equal(queries.draw(5, rng=7), queries.draw(5, rng=np.random.default_rng(7)))


def test_a_subset_of_probability_zero_is_never_asked() -> None:
    queries = WeightedQueries([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0.5, 0.5, 0.0])
    assert not queries.draw(1000, rng=0)[:, 2].any()


def test_inclusion_and_moment_by_enumeration() -> None:
    table, chances = np.array([[1, 0, 0, 0], [1, 1, 0, 1], [0, 1, 1, 0]]), np.array([0.2, 0.5, 0.3])
    queries = WeightedQueries(table, chances)
    assert queries.classes == 4
    assert queries.inclusion == pytest.approx(chances @ table)
    assert queries.p_yes == pytest.approx((chances @ table.sum(axis=1)) / 4)
    wanted = np.zeros((4, 4))
    for z, chance in zip(table, chances, strict=True):
        wanted += chance * (np.outer(z, z) / z.sum() + np.outer(1 - z, 1 - z) / (4 - z.sum()))
    assert queries.moment() == pytest.approx(wanted)


def test_it_cannot_be_changed() -> None:
    table = np.eye(3, dtype=bool)
    queries = WeightedQueries(table, np.full(3, 1 / 3))
    table[:] = True
    assert queries.subsets.sum() == 3
    for array in (queries.subsets, queries.probabilities):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize(
    ("subsets", "probabilities", "message"),
    [
        ([[1, 0], [0, 1]], [0.5, 0.6], r"probabilities must sum to one, not to 1\.1"),
        ([[1, 0], [0, 1]], [1.5, -0.5], r"must not be negative, but number 1 is -0\.5"),
        ([[1, 0], [0, 1]], [np.nan, 1.0], "number 0 is nan"),
        ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [2.5, -0.5, -1.0], r"number 1 is -0\.5"),
        ([[1, 0], [0, 1]], [1.0], r"probabilities must have shape \(2,\)"),
        ([[1, 0], [1, 1]], [0.5, 0.5], r"subset number 1 has size 2, expected 1\.\.1"),
        ([[0, 0], [1, 0]], [0.5, 0.5], "subset number 0 has size 0"),
        ([[2, 0]], [1.0], "subsets must be a bool array"),
        ([1, 0], [1.0], "subsets must be a bool array"),
        ([[1], [0]], [0.5, 0.5], "subsets must be a bool array"),
        (np.zeros((0, 3)), [], "sum to one"),
        ([[1, 1, 0, 0], [0, 0, 1, 0]], [0.5, 0.5], r"never separate classes \[0, 1\]"),
        ([[1, 0, 0], [0, 1, 0]], [1.0, 0.0], r"never separate classes \[1, 2\]"),
    ],
)
def test_bad_input(subsets: Any, probabilities: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        WeightedQueries(subsets, probabilities)
