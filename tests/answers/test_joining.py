"""Several sets of answers as one."""

import numpy as np
import pytest

from oneof import Answers
from oneof.answers.joining import join

ASKED = np.eye(9, dtype=bool)[:2]


def test_columns_that_a_part_lacks_are_filled_in():
    joined = join(
        [Answers(ASKED, [True, False]), Answers(~ASKED, [True, True], [4, 0], flip_no=0.1, annotators=["a", "b"])]
    )
    np.testing.assert_array_equal(joined.subsets, np.concatenate([ASKED, ~ASKED]))
    assert joined.items.tolist() == [0, 1, 4, 0]
    assert joined.flip_no.tolist() == [0, 0, 0.1, 0.1]
    assert joined.annotators.tolist() == ["", "", "a", "b"]
    assert joined.flip_yes is None


def test_names_are_brought_together():
    parts = [Answers(ASKED, [True, False], item_names=names) for names in (["x", "y"], ["z", "x"])]
    joined = join(parts)
    assert joined.item_names == ("x", "y", "z")
    assert joined.items.tolist() == [0, 1, 2, 0]


def test_what_cannot_be_joined():
    with pytest.raises(ValueError, match="nothing to concatenate"):
        join([])
    with pytest.raises(ValueError, match=r"answers over 8 classes .* cannot join answers over 9"):
        join([Answers(ASKED, [True, False]), Answers(ASKED[:, 1:] | ASKED[:, :-1], [True, False])])
    with pytest.raises(ValueError, match="align them first"):
        join([Answers(ASKED, [True, False]), Answers(ASKED, [True, False], item_names=["x", "y"])])
