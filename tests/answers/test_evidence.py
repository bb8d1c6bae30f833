"""What answers say of a class, by the definition."""

import numpy as np
import pytest

from oneof.answers import evidence


@pytest.mark.parametrize("response", [True, False])
def test_log_probabilities_are_those_of_the_four_cases(response: bool) -> None:
    inside, outside = evidence.log_probabilities(np.array([response]), np.array([0.2]), np.array([0.3]))
    assert np.exp(inside[0]) == pytest.approx(0.8 if response else 0.2)
    assert np.exp(outside[0]) == pytest.approx(0.3 if response else 0.7)
    certain = evidence.log_probabilities(np.array([response]), np.zeros(1), np.zeros(1))
    assert sorted(np.concatenate(certain)) == [-np.inf, 0.0]


def test_only_certain_answers_contradict() -> None:
    packed = np.array([[128], [128], [64]], dtype=np.uint8)  # {0}, {0}, {1} of two classes
    items, responses = np.array([7, 7, 7]), np.array([True, False, True])
    zero = np.zeros(3)
    assert evidence.contradicted(packed, 2, items, responses, zero, zero).tolist() == [7]
    assert (
        evidence.contradicted(packed, 2, items, responses, np.array([0, 0.1, 0]), np.array([0, 0, 0.1])).tolist() == []
    )
    # The yes to {1} stays certain, and contradicts the yes to {0}.
    assert evidence.contradicted(packed, 2, items, responses, np.array([0, 0.1, 0]), zero).tolist() == [7]
