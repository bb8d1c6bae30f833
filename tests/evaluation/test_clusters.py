"""Answers about one item are one piece of evidence, and few pieces give a wide interval."""

import numpy as np
import pytest
from scipy import stats

from oneof import Answers, UniformQueries, WeightedQueries, estimate_accuracy, estimate_risk, respond

ITEMS, CLASSES = 12, 4


def answered(size: int = 2) -> tuple[np.ndarray, np.ndarray, Answers]:
    """Logits and labels of a few items, and one answer about each."""
    rng = np.random.default_rng(5)
    labels = rng.integers(CLASSES, size=ITEMS)
    subsets = UniformQueries(CLASSES, size).draw(ITEMS, rng)
    return rng.normal(size=(ITEMS, CLASSES)), labels, Answers(subsets, respond(subsets, labels))


def repeated(answers: Answers, times: int) -> Answers:
    """The same answers again and again, about the same items: nothing new is learned from them."""
    rows = np.tile(np.arange(len(answers)), times)
    return Answers(answers.subsets[rows], answers.responses[rows], answers.items[rows])


@pytest.mark.parametrize("times", [2, 5])
def test_the_same_answers_again_make_no_risk_more_certain(times: int) -> None:
    logits, _, answers = answered()
    once, often = estimate_risk(logits, answers), estimate_risk(logits, repeated(answers, times))
    assert often[:3] == pytest.approx(once[:3], rel=1e-12)
    assert (once.n, often.n) == (ITEMS, times * ITEMS)


def test_the_same_answers_again_make_no_accuracy_more_certain() -> None:
    _, labels, answers = answered()
    table = np.array([[i >> j & 1 for j in range(CLASSES)] for i in range(2**CLASSES)], dtype=bool)
    table = table[table.sum(axis=1) == 2]
    queries = WeightedQueries(table, np.full(len(table), 1 / len(table)))
    guesses = np.where(np.arange(ITEMS) % 3 == 0, (labels + 1) % CLASSES, labels)
    once, often = (estimate_accuracy(guesses, given, queries=queries) for given in (answers, repeated(answers, 3)))
    assert 0 < once.low < once.value < 1
    assert often[:3] == pytest.approx(once[:3], rel=1e-12)


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_with_one_answer_an_item_the_risk_has_the_interval_of_student(confidence: float) -> None:
    """The quantile of Student's law, and the variance with one degree of freedom less; not the normal law's."""
    logits, _, answers = answered()
    values = [estimate_risk(logits, answers[[row]]).value for row in range(ITEMS)]
    wanted = stats.ttest_1samp(values, 0.0).confidence_interval(confidence)
    found = estimate_risk(logits, answers, confidence=confidence)
    assert found.value == pytest.approx(np.mean(values), rel=1e-12)
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high), rel=1e-9)
    assert found.high - found.value > 1.02 * stats.norm.ppf(0.5 + confidence / 2) * stats.sem(values)
