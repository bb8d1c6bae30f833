"""What is not drawn uniformly is refused, with figures; what is, hardly ever."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from oneof import Answers, PredictionQueries, UniformQueries, WeightedQueries, estimate_accuracy, estimate_risk, respond
from oneof.evaluation.judges import choose_judges
from oneof.evaluation.law import misfits, p_value, unusual_annotators

RNG = np.random.default_rng(2026)
LABELS = RNG.integers(10, size=1000)
HALF_RIGHT = np.where(RNG.random(1000) < 0.5, LABELS, (LABELS + 1) % 10)


def complementary() -> Answers:
    wrong = (LABELS + RNG.integers(1, 10, size=1000)) % 10
    return Answers(np.eye(10, dtype=bool)[wrong], np.zeros(1000, dtype=bool))


def candidates() -> Answers:
    sets = RNG.random((1000, 10)) < 0.3
    sets[np.arange(1000), LABELS] = True
    sets[sets.all(axis=1), 0] = False
    return Answers(sets, respond(sets, LABELS))


def exact_labels() -> Answers:
    return Answers(np.eye(10, dtype=bool)[LABELS], np.ones(1000, dtype=bool))


def one_label_more_often() -> Answers:
    subsets = UniformQueries(10, 3).draw(1000, RNG)
    subsets[:300, 4] = True
    return Answers(subsets, respond(subsets, LABELS))


def always_together() -> Answers:
    """Each label equally often, but only as neighbours: the marginals fit, the pairs do not."""
    start = RNG.integers(10, size=1000)
    subsets = np.zeros((1000, 10), dtype=bool)
    subsets[np.arange(1000)[:, None], (start[:, None] + np.arange(3)) % 10] = True
    return Answers(subsets, respond(subsets, LABELS))


def inverted(size: int) -> Answers:
    subsets = UniformQueries(10, size).draw(1000, RNG)
    return Answers(subsets, ~respond(subsets, LABELS))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (complementary, r"0\.0 % of 1,000 answers are yes, where 10\.0 % are expected"),
        (candidates, "100.0 % of 1,000 answers are yes"),
        (exact_labels, "100.0 % of 1,000 answers are yes"),
        (one_label_more_often, r"the label 4 was shown in \d+\.\d % of 1,000 questions, where"),
        (always_together, r"the labels \d and \d were shown together in"),
        (lambda: inverted(3), "of 1,000 answers are yes, where 30.0 % are expected"),
    ],
)
def test_other_laws_are_refused_with_figures_and_remedy(make: Callable[[], Answers], message: str) -> None:
    answers = make()
    with pytest.raises(ValueError, match=message) as error:
        estimate_accuracy(HALF_RIGHT, answers)
    assert "queries=" in str(error.value)
    assert "check=False" in str(error.value)
    assert estimate_accuracy(HALF_RIGHT, answers, check=False).n == 1000
    with pytest.raises(ValueError, match="do not fit"):
        estimate_risk(np.eye(10)[HALF_RIGHT], answers)


def test_answers_turned_around_are_seen_even_where_yes_and_no_are_equally_likely() -> None:
    with pytest.raises(ValueError, match="yes and no may be mixed up"):
        estimate_accuracy(LABELS, inverted(5))


def test_decoys_that_are_not_random() -> None:
    subsets = PredictionQueries(10, 3).draw(LABELS, 0)
    fine: dict[str, Any] = {"design": "prediction", "predicted": LABELS}
    assert not misfits(choose_judges(LABELS, Answers(subsets, respond(subsets, LABELS), **fine)))
    easy = np.eye(10, dtype=bool)[LABELS] | np.eye(10, dtype=bool)[(LABELS + 1) % 10 * (LABELS < 5)]
    found = misfits(choose_judges(LABELS, Answers(easy, respond(easy, LABELS), **fine)))
    assert "was shown as a decoy" in found[0]


def test_every_question_with_decoys_is_counted() -> None:
    predictions = (np.arange(60) + 1) % 3
    decoys = np.where(predictions == 0, np.arange(60) % 2 + 1, 0)
    subsets = np.eye(3, dtype=bool)[predictions] | np.eye(3, dtype=bool)[decoys]
    answers = Answers(subsets, np.ones(60, dtype=bool), design="prediction", predicted=predictions)
    found = misfits(choose_judges(predictions, answers))
    assert found[0] == "the label 0 was shown as a decoy in 100.0 % of 40 questions, where 50.0 % are expected"


def test_a_law_of_ones_own() -> None:
    queries = WeightedQueries([[1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 0, 0], [0, 0, 0, 1]], [0.4, 0.3, 0.2, 0.1])
    labels = LABELS % 4
    subsets = queries.draw(1000, 0)
    answers = Answers(subsets, respond(subsets, labels))
    with pytest.raises(ValueError, match="questions drawn uniformly at random"):
        estimate_accuracy(labels, answers)
    assert estimate_accuracy(labels, answers, queries=queries).high == 1
    other = WeightedQueries([[1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 0, 0], [0, 0, 0, 1]], [0.1, 0.3, 0.2, 0.4])
    with pytest.raises(ValueError, match="do not fit the law given as queries: the label"):
        estimate_accuracy(labels, answers, queries=other)


def test_answers_that_fit_are_hardly_ever_refused() -> None:
    """At a level of 20 % at most a fifth is refused, copies of a question and skips among them."""
    refused = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        labels = rng.integers(6, size=100)
        once = UniformQueries(6, 2).draw(100, rng)
        items = np.tile(np.arange(100), 3)
        subsets = once[items]
        skipped = rng.random(300) < 0.1
        answers = Answers(subsets, respond(subsets, labels[items]), items, skipped=skipped)
        refused += bool(misfits(choose_judges(labels, answers), level=0.2))
    assert refused / 150 <= 0.2


def test_unlikely_is_the_binomial_test() -> None:
    assert p_value(0, 10, 0.5, 0.5) == pytest.approx(2 / 1024)
    assert p_value(10, 10, 0.5, 0.5) == pytest.approx(2 / 1024)
    assert p_value(0, 10, 0.5, 0.5, more=5) == 1
    assert p_value(3, 10, 0.2, 0.6) == 1


def test_annotators_whose_share_of_yes_does_not_fit() -> None:
    subsets = UniformQueries(10, 3).draw(1000, 0)
    who = np.array(["ann", "bob"])[np.arange(1000) % 2]
    responses = respond(subsets, LABELS) | (who == "bob")
    unusual = unusual_annotators(choose_judges(LABELS, Answers(subsets, responses, annotators=who)))
    assert list(unusual) == ["bob"]
    assert "100.0 % of 500 answers are yes" in unusual["bob"]
