"""The columns of a set of answers: what passes, and how the first row that does not is named."""

import numpy as np
import pytest

from oneof.answers.checks import as_bits, as_column, as_names, as_rates, refuse_first


def test_what_passes():
    assert as_bits([1, 0, 1.0], "responses", ndim=1).tolist() == [True, False, True]
    assert as_column(np.zeros(3), 3, "x").shape == (3,)
    assert as_rates(0.25, 2, "flip_yes").tolist() == [0.25, 0.25]
    assert as_rates(None, 2, "flip_yes") is None
    assert as_names(["cat", 7], 2, "class") == ("cat", "7")
    refuse_first(np.zeros(3, dtype=bool), lambda row: "never")


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda: as_bits([0, 2], "responses", ndim=1), "responses must be true or false"),
        (lambda: as_bits([0, 1], "subsets", ndim=2), "subsets must have 2 dimensions"),
        (lambda: as_column(np.zeros(3), 2, "annotators"), r"annotators must have shape \(2,\)"),
        (lambda: as_rates([0.1, 1.0], 2, "flip_no"), "row 1: flip_no is 1.0, expected a rate"),
        (lambda: as_names(["a", "b", "a"], None, "item"), "the item name 'a' appears twice"),
        (lambda: as_names(["a"], 2, "class"), "there are 2 classes but 1 class names"),
        (lambda: as_names(["0", "1"], None, "item"), "are row numbers: pass them as items"),
        (lambda: refuse_first(np.array([False, True]), lambda row: f"at {row}", what="answer"), "answer 1: at 1"),
    ],
)
def test_what_does_not(check, message):
    with pytest.raises(ValueError, match=message):
        check()
