"""What answers say of a class, by the definition."""

import numpy as np
import pytest

from oneof.answers import evidence


@pytest.mark.parametrize("said", [True, False])
def test_log_probabilities_are_those_of_the_four_cases(said: bool) -> None:
    inside, outside = evidence.log_probabilities(np.array([said]), np.array([0.2]), np.array([0.3]))
    assert np.exp(inside[0]) == pytest.approx(0.8 if said else 0.2)
    assert np.exp(outside[0]) == pytest.approx(0.3 if said else 0.7)
    certain = evidence.log_probabilities(np.array([said]), np.zeros(1), np.zeros(1))
    assert sorted(np.concatenate(certain)) == [-np.inf, 0.0]


def test_answers_about_one_item_come_together() -> None:
    items = np.array([4, 1, 4, 1, 9])
    order, starts = evidence.by_item(items)
    assert items[order].tolist() == [1, 1, 4, 4, 9]
    assert starts.tolist() == [0, 2, 4]
    assert evidence.by_item(np.array([0, 0, 3]))[0] == slice(None)
    assert len(evidence.by_item(np.zeros(0, dtype=np.int64))[1]) == 0


def test_only_certain_answers_contradict() -> None:
    packed = np.array([[128], [128], [64]], dtype=np.uint8)  # {0}, {0}, {1} of two classes
    items, said = np.array([7, 7, 7]), np.array([True, False, True])
    zero = np.zeros(3)
    assert evidence.contradicted(packed, 2, items, said, zero, zero).tolist() == [7]
    assert evidence.contradicted(packed, 2, items, said, np.array([0, 0.1, 0]), np.array([0, 0, 0.1])).tolist() == []
    # The yes to {1} stays certain, and contradicts the yes to {0}.
    assert evidence.contradicted(packed, 2, items, said, np.array([0, 0.1, 0]), zero).tolist() == [7]
