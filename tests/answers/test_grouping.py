"""Answers sorted by item, and numbered by question."""

import numpy as np

from oneof import Answers
from oneof.answers.grouping import by_item, by_question


def test_answers_are_sorted_by_item() -> None:
    items = np.array([4, 1, 4, 1, 9])
    order, starts = by_item(items)
    assert items[order].tolist() == [1, 1, 4, 4, 9]
    assert starts.tolist() == [0, 2, 4]
    assert by_item(np.array([0, 0, 3]))[0] == slice(None)
    assert len(by_item(np.zeros(0, dtype=np.int64))[1]) == 0


def test_a_question_is_an_item_and_a_subset() -> None:
    rng = np.random.default_rng(0)
    subsets, items = rng.random((200, 11)) < 0.5, rng.choice([0, 1, 300, 2**40], 200)
    subsets[:, 0], subsets[:, 1] = True, False
    subsets[:, 4:] = True
    answers = Answers(subsets, np.ones(200, dtype=bool), items)
    numbers = by_question(answers.items, answers.packed)
    keys = [(item, *subset) for item, subset in zip(items.tolist(), subsets.tolist(), strict=True)]
    pairs = set(zip(numbers.tolist(), keys, strict=True))
    assert len(pairs) == len(set(keys)) == numbers.max() + 1 < 200
    assert len(by_question(items[:0], answers.packed[:0])) == 0
