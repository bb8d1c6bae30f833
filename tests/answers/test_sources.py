"""Answers that nobody was asked for: labels, candidate sets, complementary labels."""

import numpy as np
import pytest

from oneof import Answers


def test_labels_leave_one_class_and_complementary_labels_all_others() -> None:
    exact = Answers.from_labels(["dog", "cat"], classes=["cat", "dog", "owl"], items=[5, 2])
    assert exact.consistent.tolist() == [[False, True, False], [True, False, False]]
    assert exact.class_names == ("cat", "dog", "owl")
    assert exact.items.tolist() == [5, 2]
    other = Answers.from_complementary(np.array([1, 0]), classes=3)
    assert other.consistent.tolist() == [[True, False, True], [False, True, True]]
    assert {*exact.design, *other.design} == {"given"}


def test_candidates_are_the_consistent_set() -> None:
    mask = np.array([[1, 0, 1], [1, 1, 1], [0, 1, 0]], dtype=bool)
    answers = Answers.from_candidates(mask, class_names=["cat", "dog", "owl"])
    assert np.array_equal(answers.consistent, mask)
    assert answers.skipped.tolist() == [False, True, False]
    assert set(answers.design) == {"given"}


def test_labels_mix_with_answers() -> None:
    uniform = Answers([[1, 1, 0]], [True], items=[0])
    mixed = uniform + Answers.from_labels([2], classes=3, items=[1])
    assert mixed.design.tolist() == ["uniform", "given"]
    assert np.isneginf(mixed.evidence()).tolist() == [[False, False, True], [True, True, False]]


@pytest.mark.parametrize(
    ("labels", "classes", "message"),
    [
        ([0, 3], 3, r"row 1: label 3, expected a class number in 0\.\.2"),
        ([-1], 3, "row 0: label -1"),
        (["cat", "cow"], ["cat", "dog"], "row 1: label cow, expected one of cat, dog"),
        ([0.5], 3, "labels must be class numbers, or names if classes are names, not float64"),
        ([[0]], 3, r"labels must have shape \(n,\)"),
    ],
)
def test_bad_labels(labels, classes, message) -> None:
    with pytest.raises(ValueError, match=message):
        Answers.from_labels(labels, classes)


def test_an_empty_candidate_set_is_refused() -> None:
    with pytest.raises(ValueError, match="row 1: no candidate"):
        Answers.from_candidates([[True, False], [False, False]])
