"""Labels and predictions of items, from files."""

import numpy as np
import pytest

from oneof.items.labels import load_labels, load_predictions
from oneof.items.loading import Items


@pytest.fixture
def three() -> Items:
    return Items(np.zeros((3, 2)), np.array(["a", "b", "c"]))


def test_labels_by_id(three, tmp_path):
    (tmp_path / "y.csv").write_text("id,label\nc,2\na,0\nb,1\nd,9\n")
    labels, names = load_labels(tmp_path / "y.csv", three)
    assert (labels.tolist(), names) == ([0, 1, 2], None)
    (tmp_path / "n.csv").write_text("id,label\nc,wolf\na,cat\nb,dog\n")
    labels, names = load_labels(tmp_path / "n.csv", three)
    assert (labels.tolist(), names) == ([0, 1, 2], ("cat", "dog", "wolf"))
    np.save(tmp_path / "y.npy", np.array([2, 0, 1], dtype=np.uint8))
    labels, names = load_labels(tmp_path / "y.npy", three)
    assert (labels.tolist(), names) == ([2, 0, 1], None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,label\na,1\nb,2\n", "no label for item 'c'"),
        ("id,label\na,1\nb,\nc,2\n", "no label for item 'b'"),
        ("id,label\na,cat\nb,\nc,dog\n", "no label for item 'b'"),
        ("id,label\na,1\nb,2\nc,0\na,0\n", "line 5, column id: 'a' appears twice"),
        ("id,class\na,1\n", "column label is missing"),
    ],
)
def test_bad_labels(text, message, three, tmp_path):
    (tmp_path / "y.csv").write_text(text)
    with pytest.raises(ValueError, match=message):
        load_labels(tmp_path / "y.csv", three)


@pytest.mark.parametrize(
    "labels", [np.zeros(2, dtype=int), np.zeros(3), np.array([0, -1, 1]), np.zeros((3, 1), dtype=int)]
)
def test_bad_label_arrays(labels, three, tmp_path):
    np.save(tmp_path / "y.npy", labels)
    with pytest.raises(ValueError, match=r"y\.npy: expected 3 class numbers"):
        load_labels(tmp_path / "y.npy", three)


def test_predictions_by_id(three, tmp_path):
    (tmp_path / "p.csv").write_text("id,prediction,p_cat,p_dog\nc,dog,0.1,0.9\na,cat,0.8,0.2\nb,dog,0.4,0.6\n")
    assert load_predictions(tmp_path / "p.csv", three, ["cat", "dog"]).tolist() == [0, 1, 1]
    with pytest.raises(ValueError, match="prediction 'dog' of item 'b' is not among the classes cat, wolf"):
        load_predictions(tmp_path / "p.csv", three, ["cat", "wolf"])
