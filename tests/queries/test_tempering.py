import numpy as np
import pytest

from oneof import Answers, UniformQueries, respond
from oneof.queries.tempering import FLATTEST, MANY, find_temperature, foreseen, may_choose, temper


def test_one_changes_nothing_and_more_flattens() -> None:
    p = np.random.default_rng(0).dirichlet(np.ones(5), 20)
    np.testing.assert_allclose(temper(p, 1.0), p, atol=1e-9)
    flat = temper(p, 3.0)
    np.testing.assert_allclose(flat.sum(axis=1), 1)
    assert (flat.max(axis=1) < p.max(axis=1)).all()
    assert (flat.argmax(axis=1) == p.argmax(axis=1)).all()


@pytest.mark.parametrize("right", [1.0, 2.5])
def test_the_temperature_is_found_from_answers_alone(right: float) -> None:
    """Labels drawn from tempered probabilities, two answers per item: the second is judged given the first."""
    rng, n, k = np.random.default_rng(1), 4000, 6
    p = rng.dirichlet(np.full(k, 0.3), n)
    labels = (temper(p, right).cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
    evidence = [np.zeros((n, k))]
    for _ in range(2):
        subsets = UniformQueries(k, 3).draw(n, rng)
        evidence.append(evidence[-1] + Answers(subsets, respond(subsets, labels)).evidence(n))
    before, after = np.concatenate(evidence[:2]), np.concatenate(evidence[1:])
    assert find_temperature(np.tile(p, (2, 1)), before, after) == pytest.approx(right, rel=0.08)


def test_a_model_that_knows_nothing_is_flattened_and_no_answers_say_nothing() -> None:
    p = np.tile([0.98, 0.01, 0.01], (300, 1))
    truth = np.arange(300) % 3
    after = np.where(np.eye(3, dtype=np.bool_)[truth], 0.0, -np.inf)
    assert find_temperature(p, np.zeros((300, 3)), after) > 0.9 * FLATTEST
    assert find_temperature(p[:0], np.zeros((0, 3)), np.zeros((0, 3))) == 1.0
    with pytest.raises(ValueError, match="evidence must have shape"):
        find_temperature(p, np.zeros((300, 2)), after)


def test_what_a_model_foresees_lies_between_nothing_and_everything() -> None:
    rng, n, k = np.random.default_rng(0), 2000, 4
    labels = rng.integers(k, size=n)
    subsets = UniformQueries(k, 2).draw(n, rng)
    after, before = Answers(subsets, respond(subsets, labels)).evidence(n), np.zeros((n, k))
    right = np.eye(k)[labels]
    half = np.where((np.arange(n) % 2 == 0)[:, None], right, 1 / k)
    assert foreseen(right, before, after) == pytest.approx(1.0, abs=1e-6)
    assert foreseen(half, before, after) == pytest.approx(0.5, abs=0.01), "sure and right of every other item"
    sure_and_wrong = np.eye(k)[rng.integers(k, size=n)]
    assert foreseen(sure_and_wrong, before, after) == pytest.approx(0.0, abs=0.03), "as flat as it goes"
    assert foreseen(right[:0], before[:0], after[:0]) == 0.0


@pytest.mark.parametrize(("right", "judges", "expected"), [(0.9, 60, True), (0.9, 29, False), (0.0, 60, False)])
def test_a_model_may_choose_once_it_foresees_enough_answers(right: float, judges: int, expected: bool) -> None:
    rng, n, k = np.random.default_rng(0), 100, 6
    labels = rng.integers(k, size=n)
    subsets = UniformQueries(k, 3).draw(judges, rng)
    evidence = Answers(subsets, respond(subsets, labels[:judges])).evidence(n)
    p = np.where((rng.random(n) < right)[:, None], np.eye(k)[labels], 1 / k)
    assert may_choose(p, evidence) is expected


def test_with_many_classes_any_model_may_choose() -> None:
    assert may_choose(np.full((5, MANY), 1 / MANY), np.zeros((5, MANY)))
    assert not may_choose(np.full((5, MANY - 1), 1 / (MANY - 1)), np.zeros((5, MANY - 1)))
