"""What every encoder does."""

import numpy as np
import pytest

from oneof.encoders.base import Encoded, Encoder


class Lengths(Encoder):
    name = "lengths"
    takes = "texts"

    def __init__(self, scale=1):
        self.scale = scale

    def encode(self, X, *, shown=False):
        rows = np.array([row for row, text in enumerate(X) if text], dtype=np.int64)
        x = np.array([[self.scale * len(X[row])] for row in rows])
        return Encoded(x, rows, {row: "nothing there" for row, text in enumerate(X) if not text})


def test_transform_names_the_first_item_that_cannot_be_read():
    assert Lengths().fit(["a"]).transform(["ab", "c"]).tolist() == [[2], [1]]
    with pytest.raises(ValueError, match=r"item 1: nothing there \(and 1 more\)"):
        Lengths().transform(["a", "", ""])


def test_the_file_of_an_item_is_named():
    class Files(Lengths):
        def encode(self, X, *, shown=False):
            return Encoded(np.zeros((0, 1)), np.zeros(0, np.int64), {0: "not a file"})

    with pytest.raises(ValueError, match=r"^item 0 \(a/b\.png\): not a file$"):
        Files().transform(["a/b.png"])


def test_a_fingerprint_is_of_the_settings_and_of_the_state():
    assert Lengths().fingerprint == Lengths(1).fingerprint != Lengths(2).fingerprint
