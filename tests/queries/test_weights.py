"""The weights of an answer, by enumeration of every question."""

from itertools import combinations

import numpy as np
import pytest
import torch

from oneof import UniformQueries, respond
from oneof.queries.moment import unbiased_weights
from oneof.queries.weights import (
    agreement_by_chance,
    agreement_weights,
    flipped_again,
    minimum_norm_weights,
    paper_weights,
    with_flips,
    without_flips,
)

SIZES = [(k, m) for k in range(2, 7) for m in range(1, k)]


def every_question(k: int, m: int) -> np.ndarray:
    return np.array([[label in chosen for label in range(k)] for chosen in combinations(range(k), m)])


@pytest.mark.parametrize(("k", "m"), SIZES)
def test_the_mean_weight_of_each_class_is_one_for_the_true_class_and_zero_for_others(k, m):
    questions = every_question(k, m)
    for a, b, c, d in (paper_weights(k, m, m / k), minimum_norm_weights(k, m), agreement_weights(k, m)):
        for true in range(k):
            responses = questions[:, true]
            chosen = np.where(responses[:, None], np.where(questions, a, b), np.where(questions, c, d))
            assert chosen.mean(axis=0) == pytest.approx(np.eye(k)[true], abs=1e-12)


@pytest.mark.parametrize(("k", "m"), SIZES)
def test_the_minimum_norm_weights_are_those_of_the_moment_matrix(k, m):
    a, b, c, d = minimum_norm_weights(k, m)
    questions = every_question(k, m)
    everyone = np.ones(len(questions), dtype=bool)
    by_moment = unbiased_weights(UniformQueries(k, m), questions, everyone)
    assert by_moment == pytest.approx(np.where(questions, a, b), abs=1e-9)
    by_moment = unbiased_weights(UniformQueries(k, m), questions, ~everyone)
    assert by_moment == pytest.approx(np.where(questions, c, d), abs=1e-9)


@pytest.mark.parametrize(("k", "m"), SIZES)
def test_how_often_a_wrong_class_agrees(k, m):
    questions = every_question(k, m)
    agree = (questions[:, 0] == questions[:, 1]).mean()
    assert agreement_by_chance(k, m) == pytest.approx(agree)
    assert UniformQueries(k, m).agreement_by_chance == pytest.approx(agree)


@pytest.mark.parametrize("truth", [0.0, 0.3, 1.0])
def test_flips_and_back(truth):
    yes = with_flips(truth, 0.3, 0.1)
    assert yes == pytest.approx(truth * 0.7 + (1 - truth) * 0.1)
    assert without_flips(yes, 0.3, 0.1) == pytest.approx(truth)


def test_arrays_and_tensors_of_sizes():
    sizes = np.array([1.0, 2.0, 3.0])
    expected = [minimum_norm_weights(5, size).a for size in sizes]
    assert minimum_norm_weights(5, sizes).a == pytest.approx(expected)
    assert minimum_norm_weights(5, torch.tensor(sizes)).a.numpy() == pytest.approx(expected)


def test_flips_are_undone_on_average_and_compose():
    for truth in (1.0, 0.0):
        wrong = 0.2 if truth else 0.1
        mean = (1 - wrong) * without_flips(truth, 0.2, 0.1) + wrong * without_flips(1 - truth, 0.2, 0.1)
        assert mean == pytest.approx(truth)
    n = 200_000
    subsets, labels = np.tile([True, False], (n, 1)), np.zeros(n, dtype=int)
    once = respond(subsets, labels, flip_yes=0.1, flip_no=0.1, rng=0)
    twice = once ^ (np.random.default_rng(1).random(n) < 0.2)
    assert (~twice).mean() == pytest.approx(flipped_again(0.1, 0.2), abs=4 * (0.25 / n) ** 0.5)
