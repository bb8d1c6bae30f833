import numpy as np
import pytest

from oneof import Answers, UniformQueries, respond
from oneof.noise import rates_from_gold


def test_rates_and_their_errors_on_gold_items() -> None:
    """Over many repetitions the estimates are right on average, and their standard errors tell their spread."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(200):
        labels = rng.integers(6, size=300)
        subsets = UniformQueries(6, 2).draw(300, rng)
        answers = Answers(subsets, respond(subsets, labels, flip_yes=0.3, flip_no=0.1, rng=rng))
        rates = rates_from_gold(answers, labels)
        found.append([rates.flip_yes[0], rates.flip_no[0], *np.sqrt(np.diagonal(rates.covariance[0]))])
    means, spread = np.mean(found, axis=0), np.std(found, axis=0)
    np.testing.assert_allclose(means[:2], [0.3, 0.1], atol=0.01)
    np.testing.assert_allclose(means[2:], spread[:2], rtol=0.15)


def test_only_gold_items_count_and_annotators_are_told_apart() -> None:
    labels = np.where(np.arange(4000) % 2 == 0, np.arange(4000) % 5, -1)
    subsets = UniformQueries(5, 2).draw(4000, rng=0)
    truth = np.maximum(labels, 0)
    who = np.array(["good", "coin", "liar", "yea-sayer"])[np.arange(4000) // 2 % 4]
    flip_yes = np.select([who == "coin", who == "liar", who == "yea-sayer"], [0.5, 0.95, 0.0], 0.05)
    flip_no = np.select([who == "coin", who == "liar", who == "yea-sayer"], [0.5, 0.95, 1.0], 0.05)
    responses = respond(subsets, truth, flip_yes=flip_yes, flip_no=flip_no, rng=1)
    rates = rates_from_gold(Answers(subsets, responses, annotators=who), labels)
    assert dict(zip(rates.annotators, rates.verdicts, strict=True)) == {
        "coin": "random",
        "good": "fine",
        "liar": "inverts",
        "yea-sayer": "random",
    }
    assert rates.answers.tolist() == [500] * 4


def test_mistakes_are_refused() -> None:
    answers = Answers([[True, False, False]], [True], items=[2])
    with pytest.raises(ValueError, match="for 3 items"):
        rates_from_gold(answers, [0, 1])
    with pytest.raises(ValueError, match="label 5 of item 1"):
        rates_from_gold(answers, [0, 5, 1])
    with pytest.raises(ValueError, match="no answer is about a gold item"):
        rates_from_gold(answers, [0, 1, -1])


def test_gold_answers_are_counted_exactly_and_skips_are_none() -> None:
    subsets = [[True, False, False]] * 5
    answers = Answers(subsets, [True, False, True, False, False], skipped=[False, False, False, False, True])
    found = rates_from_gold(answers, [0, 0, 1, 2, 1])
    assert found.worth.tolist() == [[2, 2]]
    np.testing.assert_allclose([found.flip_yes[0], found.flip_no[0]], [1.5 / 3, 1.5 / 3])
