import numpy as np
import pytest

from oneof import Answers, UniformQueries, respond
from oneof.noise import rates_from_repeated


def ask_each_twice(flip_yes: np.ndarray, flip_no: np.ndarray, questions: int, seed: int, size: int = 3) -> Answers:
    """Each question goes to two different annotators out of len(flip_yes)."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(8, size=questions)
    once = UniformQueries(8, size).draw(questions, rng)
    first = rng.integers(len(flip_yes), size=questions)
    second = (first + rng.integers(1, max(2, len(flip_yes)), size=questions)) % len(flip_yes)
    who = np.concatenate([first, second])
    subsets, items = np.concatenate([once, once]), np.tile(np.arange(questions), 2)
    responses = respond(subsets, labels[items], flip_yes=flip_yes[who], flip_no=flip_no[who], rng=rng)
    return Answers(subsets, responses, items, annotators=[f"a{number}" for number in who])


def test_rates_without_labels_or_model() -> None:
    flip_yes, flip_no = np.array([0.05, 0.2, 0.3, 0.1]), np.array([0.1, 0.05, 0.2, 0.15])
    rates = rates_from_repeated(ask_each_twice(flip_yes, flip_no, 6000, seed=0))
    assert np.abs(rates.flip_yes - flip_yes).mean() < 0.04
    assert np.abs(rates.flip_no - flip_no).mean() < 0.03
    assert rates.verdicts == ["fine"] * 4


def test_coin_and_liar_among_honest_annotators_are_found() -> None:
    flips = np.array([0.05, 0.1, 0.1, 0.5, 0.95, 0.1])
    rates = rates_from_repeated(ask_each_twice(flips, flips, 4000, seed=1))
    assert rates.named("random") == ["a3"]
    assert rates.named("inverts") == ["a4"]


def test_standard_errors_cover() -> None:
    inside = 0
    for seed in range(30):
        rates = rates_from_repeated(ask_each_twice(np.full(3, 0.2), np.full(3, 0.1), 800, seed))
        inside += int((np.abs(rates.flip_yes - 0.2) < 2 * np.sqrt(rates.covariance[:, 0, 0])).sum())
    assert inside >= 80, "of 90, at about 95 %"


def test_questions_asked_once_and_chosen_ones_do_not_count() -> None:
    answers = ask_each_twice(np.full(2, 0.1), np.full(2, 0.1), 500, seed=3)
    once = Answers(answers.subsets[:50], answers.responses[:50], answers.items[:50] + 1000, annotators=["a0"] * 50)
    rates = rates_from_repeated(answers + once)
    assert int(rates.answers.sum()) == 1000
    with pytest.raises(ValueError, match="no question was asked twice"):
        rates_from_repeated(once)
    with pytest.raises(ValueError, match="no question was asked twice"):
        rates_from_repeated(
            Answers(answers.subsets, answers.responses, answers.items, adaptive=np.ones(1000, dtype=bool))
        )
