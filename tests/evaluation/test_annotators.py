import numpy as np
import pytest

from oneof import Answers, UniformQueries, estimate_accuracy, respond
from oneof.evaluation.annotators import ERRORS, useless_annotators, without_useless
from oneof.evaluation.judges import choose_judges


@pytest.mark.parametrize("size", [3, 5])
def test_a_coin_an_inverter_and_one_who_always_says_yes_are_named_and_left_out(size: int) -> None:
    rng = np.random.default_rng(size)
    labels = rng.integers(10, size=3000)
    predictions = np.where(rng.random(3000) < 0.85, labels, (labels + 1) % 10)
    who = np.array(["ann", "bob", "coin", "eve", "yes", "zoe"])[np.arange(3000) % 6]
    subsets = UniformQueries(10, size).draw(3000, rng)
    responses = respond(subsets, labels, flip_yes=0.03, flip_no=0.03, rng=rng) ^ (who == "eve")
    responses = np.where(who == "coin", rng.random(3000) < 0.5, responses | (who == "yes"))
    answers = Answers(subsets, responses, annotators=who, flip_yes=0.03, flip_no=0.03)
    named = useless_annotators(choose_judges(predictions, answers))
    assert named == {"coin": "no better than chance", "eve": "inverted", "yes": "no better than chance"}
    found = estimate_accuracy(predictions, answers)
    assert found.n == 1500
    assert found.low < 0.85 < found.high
    assert "eve (500 answers): inverted" in found.notes[-1]


def test_honest_annotators_are_not_named() -> None:
    rng = np.random.default_rng(0)
    for _ in range(40):
        labels = rng.integers(10, size=600)
        rates = np.array([0.0, 0.05, 0.1, 0.15])[np.arange(600) % 4]
        subsets = UniformQueries(10, 3).draw(600, rng)
        responses = respond(subsets, labels, flip_yes=rates, flip_no=rates, rng=rng)
        judges = choose_judges(labels, Answers(subsets, responses, annotators=(np.arange(600) % 4).astype(str)))
        assert useless_annotators(judges) == {}
    assert without_useless(judges) is judges, "nobody is left out, and no note says so"
    assert useless_annotators(choose_judges(labels, Answers(subsets, responses))) == {}, "nobody is recorded"


def test_people_whose_rates_nobody_knows() -> None:
    """5 % of the answers are wrong: the figure is too low, and a note says what it would be at that rate."""
    rng = np.random.default_rng(0)
    labels = rng.integers(10, size=4000)
    predictions = np.where(rng.random(4000) < 0.9, labels, (labels + 1) % 10)
    subsets = UniformQueries(10, 3).draw(4000, rng)
    responses = respond(subsets, labels, flip_yes=0.05, flip_no=0.05, rng=rng)
    answers = Answers(subsets, responses, annotators=np.array(["ann", "bob"])[np.arange(4000) % 2])
    found = estimate_accuracy(predictions, answers)
    assert found.high < 0.88
    values = [float(value) for value in found.notes[-1].split("accuracy is ")[1].split(" %")[0].split(", ")]
    wanted = [100 * estimate_accuracy(predictions, answers, flip_yes=rate, flip_no=rate).value for rate in ERRORS]
    np.testing.assert_allclose(values, wanted, atol=0.51)
    assert abs(values[1] - 90) < 4
    silent = [answers.replace(annotators=None), answers.replace(flip_yes=np.full(4000, 0.05))]
    assert not any("flip rates" in note for some in silent for note in estimate_accuracy(predictions, some).notes)
    assert not estimate_accuracy(predictions, answers, flip_yes=0.0, check=False).notes


def test_if_nobody_is_left_to_judge_the_error_says_why() -> None:
    labels, subsets = np.arange(2000) % 10, UniformQueries(10, 5).draw(2000, rng=0)
    inverted = Answers(subsets, ~respond(subsets, labels), annotators=np.array(["ann", "bob"])[np.arange(2000) % 2])
    with pytest.raises(ValueError, match=r"no annotator can judge: ann \(1,000 answers\): inverted; bob .*mixed up"):
        estimate_accuracy(labels, inverted)
