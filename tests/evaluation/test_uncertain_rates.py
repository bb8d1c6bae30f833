"""Flip rates that were estimated widen the interval by what they are worth."""

import numpy as np
import pytest

from oneof import Answers, UniformQueries, estimate_accuracy, respond
from oneof.evaluation import clopper_pearson, uncertain_rates
from oneof.noise import rates_from_gold, rates_from_repeated

REPETITIONS = 100


def judged(rho: float, gold: int, annotators: int, seed: int, *, anytime: bool = False) -> tuple[bool, bool]:
    """Whether the interval holds the accuracy 0.9, with the rates' own error and with rates as if they were known."""
    rng = np.random.default_rng([seed, gold, annotators])
    n, extra = 2000, gold * annotators
    labels = rng.integers(10, size=n + extra)
    who = np.concatenate([rng.integers(annotators, size=n), np.arange(extra) % annotators])
    subsets = UniformQueries(10, 3).draw(n + extra, rng)
    responses = respond(subsets, labels, flip_yes=rho, flip_no=rho, rng=rng)
    predictions = np.where(rng.random(n + extra) < 0.9, labels, (labels + 1) % 10)
    answers = Answers(subsets, responses, annotators=who.astype(str) if annotators > 1 else None)
    known = np.where(np.arange(n + extra) < n, -1, labels)
    noisy = rates_from_gold(answers, known).apply(answers[:n])
    found = estimate_accuracy(predictions, noisy, check=False, anytime=anytime)
    sure = noisy.replace(known_yes=None, known_no=None)
    naive = estimate_accuracy(predictions, sure, check=False)
    return found.low <= 0.9 <= found.high, naive.low <= 0.9 <= naive.high


@pytest.mark.parametrize(("rho", "gold", "annotators"), [(0.08, 100, 1), (0.02, 50, 5), (0.15, 300, 1)])
def test_coverage_with_rates_from_gold(rho: float, gold: int, annotators: int) -> None:
    both = np.array([judged(rho, gold, annotators, seed) for seed in range(REPETITIONS)])
    covered, naive = both.mean(axis=0)
    assert covered >= 0.95 - 2.5 * np.sqrt(0.05 * 0.95 / REPETITIONS)
    if annotators == 1:
        assert naive < 0.8, "as if the rates were known"


def test_an_anytime_interval_with_estimated_rates() -> None:
    assert all(judged(0.08, 200, 1, seed, anytime=True)[0] for seed in range(25))


def test_rates_from_repeated_questions_carry_their_error() -> None:
    held = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        labels = rng.integers(10, size=1500)
        once = UniformQueries(10, 3).draw(1500, rng)
        predictions = np.where(rng.random(1500) < 0.9, labels, (labels + 1) % 10)
        items = np.concatenate([np.arange(1500), np.arange(400)])
        responses = respond(once[items], labels[items], flip_yes=0.08, flip_no=0.08, rng=rng)
        answers = Answers(once[items], responses, items)
        noisy = rates_from_repeated(answers).apply(answers)
        found = estimate_accuracy(predictions, noisy, check=False)
        held.append(found.low <= 0.9 <= found.high)
    assert np.mean(held) >= 0.88


def test_known_rates_have_no_ends() -> None:
    answers = Answers([[True, False]] * 3, [True] * 3, flip_yes=0.1)
    assert not uncertain_rates.estimated(answers)
    assert uncertain_rates.ends(answers, np.full(3, 0.1), np.zeros(3), lambda a, b: 0.0, 0.95) == []
    some = answers.replace(known_yes=[10, 10, np.inf])
    assert uncertain_rates.estimated(some)
    rates = np.full(3, 0.1), np.zeros(3)
    ((low, high),) = uncertain_rates.ends(some, *rates, lambda a, b: float(a.sum()), 0.95)
    plain = uncertain_rates.plain_rates(some, *rates)[0]
    ends = clopper_pearson(10 * plain[0], 10, 0.95)
    np.testing.assert_allclose([low, high], [2 * end + plain[2] for end in ends])
    assert len(uncertain_rates.ends(some, *rates, lambda a, b: float(a.sum()), 0.95, anytime=True)) == 1


def test_nobody_is_chosen_by_the_luck_of_an_estimate() -> None:
    """Rates that are estimates do not decide whose answers count: everybody's do, at one size of question."""
    rng = np.random.default_rng(0)
    subsets = UniformQueries(10, 3).draw(900, rng)
    labels = rng.integers(10, size=900)
    who = (np.arange(900) % 3).astype(str)
    rates = np.array([0.0, 0.02, 0.4])[np.arange(900) % 3]
    responses = respond(subsets, labels, flip_yes=rates, flip_no=rates, rng=rng)
    sure = Answers(subsets, responses, annotators=who, flip_yes=rates, flip_no=rates)
    noisy = sure.replace(known_yes=np.full(900, 20.0), known_no=np.full(900, 20.0))
    assert estimate_accuracy(labels, noisy, check=False).n == 900
    assert estimate_accuracy(labels, sure, check=False).n < 900


def test_the_half_answer_that_was_added_is_taken_out_again() -> None:
    answers = Answers([[True, False]] * 2, [True] * 2, flip_yes=[2.5 / 11, 0.2], known_yes=[10, np.inf])
    rho1, _ = uncertain_rates.plain_rates(answers, *answers.flips(None, None))
    np.testing.assert_allclose(rho1, [0.2, 0.2])
