"""Raw items in the forms that people have them in."""

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from oneof.encoders.reading import as_pictures, as_texts, decode_all
from oneof.items.pictures import Frame, Pictures, Unreadable


@pytest.mark.parametrize(
    "texts", [["a", "b"], ("a", "b"), np.array(["a", "b"]), pd.Series(["a", "b"]), pd.DataFrame({"text": ["a", "b"]})]
)
def test_texts(texts):
    assert as_texts(texts) == ["a", "b"]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("abc", "put it in a list"),
        (["a", 5], "item 1 is not a text but int: 5"),
        (["a", None], "item 1"),
        (pd.DataFrame({"t": ["a"]}), "column text"),
    ],
)
def test_what_is_no_texts(texts, message):
    with pytest.raises(ValueError, match=message):
        as_texts(texts)


def test_pictures(tmp_path):
    path = tmp_path / "a.png"
    Image.new("L", (8, 8), 7).save(path)
    for given in (
        [path],
        [str(path)],
        np.array([str(path)]),
        Pictures([path]),
        pd.Series([str(path)]),
        [Image.open(path)],
    ):
        ((row, pixels),) = decode_all(as_pictures(given), Frame(8, 8))
        assert (row, pixels.mean()) == (0, 7)
    assert len(as_pictures(np.zeros((4, 1, 8, 8)))) == 4
    with pytest.raises(ValueError, match="put its path in a list"):
        as_pictures(str(path))
    with pytest.raises(ValueError, match=r"but got an array \(4, 8\)"):
        as_pictures(np.zeros((4, 8)))


def test_bad_ones_keep_their_row(tmp_path):
    found = dict(decode_all(as_pictures([np.zeros((8, 8)), tmp_path / "no.png", np.zeros((8, 8))]), Frame(8, 8)))
    assert [isinstance(found[row], Unreadable) for row in range(3)] == [False, True, False]


def test_what_is_no_collection_of_pictures():
    for other in (5, None):
        with pytest.raises(ValueError, match=f"expected a list of pictures .* but got {type(other).__name__}"):
            as_pictures(other)
