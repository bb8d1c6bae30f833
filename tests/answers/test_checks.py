"""The columns of a set of answers: what passes, and how the first row that does not is named."""

import numpy as np
import pytest

from oneof.answers.checks import (
    as_bits,
    as_column,
    as_counts,
    as_designs,
    as_names,
    as_predicted,
    as_rates,
    as_responses,
    refuse_first,
)


def test_what_passes():
    assert as_bits([1, 0, 1.0], "responses", ndim=1).tolist() == [True, False, True]
    assert as_column(np.zeros(3), 3, "x").shape == (3,)
    assert as_rates(0.25, 2, "flip_yes").tolist() == [0.25, 0.25]
    assert as_rates(None, 2, "flip_yes") is None
    assert as_names(["cat", 7], 2, "class") == ("cat", "7")
    refuse_first(np.zeros(3, dtype=bool), lambda row: "never")


def test_responses_in_words_and_numbers():
    for spelled in (["Yes ", "n", "can't tell"], np.array(["T", "0", "skip"], dtype=object)):
        responses, skips = as_responses(spelled, None, 3)
        assert responses.tolist() == [True, False, False]
        assert skips.tolist() == [False, False, True]
    responses, skips = as_responses(["yes", "-", "yes"], [False, True, True], 3)
    assert responses.tolist() == [True, False, False], "what was skipped says nothing, whatever is written there"
    assert as_responses([1, 0], None, 2)[1] is None


def test_columns_that_say_nothing_are_none():
    assert as_designs("uniform", 2) is None
    assert as_designs(np.array([3, 0], dtype=np.uint8), 2).tolist() == [3, 0]
    assert as_predicted([-1, -1], 2, 3) is None
    assert as_predicted([-1, 2], 2, 3).tolist() == [-1, 2]
    assert as_predicted(0, 2, 3).tolist() == [0, 0]
    assert as_counts([np.inf, np.inf], 2, "known_yes") is None
    assert as_counts(0, 2, "known_yes").tolist() == [0, 0]
    assert as_counts([np.inf, 3], 2, "known_yes").tolist() == [np.inf, 3]


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda: as_bits([0, 2], "responses", ndim=1), r"true or false \(or 1 and 0\), but responses\[1\] is 2"),
        (lambda: as_bits([[1, np.nan]], "subsets", ndim=2), r"but subsets\[0, 1\] is nan"),
        (lambda: as_bits([0, 1], "subsets", ndim=2), "subsets must have 2 dimensions"),
        (lambda: as_column(np.zeros(3), 2, "annotators"), r"annotators must have shape \(2,\)"),
        (lambda: as_rates([0.1, 1.0], 2, "flip_no"), "row 1: flip_no is 1.0, expected a rate"),
        (lambda: as_responses(["yes", "maybe"], None, 2), "row 1: response 'maybe', expected yes, no or skip"),
        (lambda: as_responses([["yes"], ["no"]], None, 2), "responses must have 1 dimension"),
        (lambda: as_designs(np.array([4], dtype=np.uint8), 1), "design must be one of uniform"),
        (lambda: as_designs([1.0], 1), "design must be one of uniform"),
        (lambda: as_predicted([0, 3], 2, 3), r"row 1: predicted is 3, expected a class in 0\.\.2"),
        (lambda: as_predicted([0, -2], 2, 3), "row 1: predicted is -2"),
        (lambda: as_counts([3.0, -1.0], 2, "known_no"), "row 1: known_no is -1.0, expected a number of answers"),
        (lambda: as_names(["a", "b", "a"], None, "item"), "the item name 'a' appears twice"),
        (lambda: as_names(["a"], 2, "class"), "there are 2 classes but 1 class names"),
        (lambda: as_names(["0", "1"], None, "item"), "are row numbers: pass them as items"),
        (lambda: refuse_first(np.array([False, True]), lambda row: f"at {row}", what="answer"), "answer 1: at 1"),
    ],
)
def test_what_does_not(check, message):
    with pytest.raises(ValueError, match=message):
        check()


def test_a_name_that_comes_twice_is_found_among_many():
    """Comparing each name with all before it would take minutes."""
    with pytest.raises(ValueError, match="the item name 'n7' appears twice"):
        as_names([*(f"n{number}" for number in range(200_000)), "n7"], None, "item")
