"""Unbiased weights of any query distribution, and what cannot be identified."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from oneof import UniformQueries, WeightedQueries
from oneof.queries.moment import FEW, consistent_sets, inverse_moment, unbiased_weights


@settings(max_examples=40)
@given(k=st.integers(2, 6), seed=st.integers(0, 10_000))
def test_the_weights_are_unbiased_for_random_distributions(k: int, seed: int) -> None:
    """E[w | class y] is the y-th unit vector."""
    rng = np.random.default_rng(seed)
    table = np.array([[i >> j & 1 for j in range(k)] for i in range(1, 2**k - 1)], dtype=bool)
    queries = WeightedQueries(table, rng.dirichlet(np.ones(len(table))))
    for y in range(k):
        weights = unbiased_weights(queries, table, table[:, y])
        assert queries.probabilities @ weights == pytest.approx(np.eye(k)[y], abs=1e-8)


@pytest.mark.parametrize(("k", "m"), [(3, 1), (5, 2), (7, 6)])
def test_uniform_queries_give_the_minimum_norm_weights(k: int, m: int) -> None:
    subset = np.arange(k) < m
    for response in (True, False):
        (weights,) = unbiased_weights(UniformQueries(k, m), subset[None], np.array([response]))
        consistent = subset if response else ~subset
        assert weights == pytest.approx((k - 1) * consistent / consistent.sum() - (k - 2) / k)


def test_the_inverse() -> None:
    queries = UniformQueries(6, 2)
    assert inverse_moment(queries) @ queries.moment() == pytest.approx(np.eye(6))


def test_classes_that_are_separated_but_not_identified() -> None:
    """Two queries tell four classes apart pairwise, but their answers cannot be turned into four numbers."""
    queries = WeightedQueries([[1, 1, 0, 0], [1, 0, 1, 0]], [0.5, 0.5])
    with pytest.raises(ValueError, match=r"do not identify the risk: .* hardly separate classes \[0, 1, 2, 3\]"):
        inverse_moment(queries)


def test_the_classes_in_question_are_those_of_the_smallest_eigenvector() -> None:
    blind = np.array([1.0, 0.2, 0.05, 0.0])
    moment = np.eye(4) - np.outer(blind, blind) / (blind @ blind)
    queries: Any = SimpleNamespace(moment=lambda: moment)
    with pytest.raises(ValueError, match=r"hardly separate classes \[0, 1\]"):
        inverse_moment(queries)


def test_the_condition_is_the_ratio_of_the_extreme_eigenvalues() -> None:
    for smallest, condition in ((0.0, "inf"), (2e-9, "1.5e\\+09")):
        queries: Any = SimpleNamespace(moment=np.diag([smallest, 1.0, 3.0]).copy)
        with pytest.raises(ValueError, match=rf"condition number {condition} .* classes \[0\]"):
            inverse_moment(queries)


def test_consistent_sets() -> None:
    subsets = np.array([[True, False, False], [True, False, False]])
    assert consistent_sets(subsets, np.array([True, False])).tolist() == [[True, False, False], [False, True, True]]


@pytest.mark.parametrize("classes", [7, FEW])
def test_the_consistent_sets_of_tensors_are_those_of_arrays(classes: int) -> None:
    rng = np.random.default_rng(0)
    subsets, responses = rng.random((4, 2 * classes)) < 0.5, np.array([True, False, True, False])
    wanted = torch.from_numpy(consistent_sets(subsets, responses))
    for table in (torch.from_numpy(subsets), torch.from_numpy(subsets)[:, ::2]):
        found = consistent_sets(table, torch.from_numpy(responses))
        assert found.dtype == torch.bool
        assert torch.equal(found, wanted[:, :: wanted.shape[1] // table.shape[1]])
