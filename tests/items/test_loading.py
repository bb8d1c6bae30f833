"""Items from arrays, tables, folders of images and data sets."""

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from oneof.items.loading import Items, load, load_labels


def test_npy_stays_on_disk(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(12).reshape(4, 3))
    items = load(str(tmp_path / "x.npy"))
    assert isinstance(items.x, np.memmap)
    assert items.ids == range(4)
    assert (len(items), items.labels, items.class_names) == (4, None, None)


def test_npz_with_labels_or_a_single_array(tmp_path):
    x, y = np.zeros((3, 2)), np.array([2, 0, 1])
    np.savez(tmp_path / "both.npz", x=x, y=y)
    np.savez(tmp_path / "one.npz", anything=x)
    assert load(str(tmp_path / "both.npz")).labels.tolist() == [2, 0, 1]
    assert load(str(tmp_path / "one.npz")).x.shape == (3, 2)


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".CSV", ".PARQUET"])
def test_tables(suffix, tmp_path):
    frame = pd.DataFrame({"height": [1, 2], "id": ["b7", "007"], "wide": [True, False], "w": [0.5, 1.5]})
    path = tmp_path / f"items{suffix}"
    frame.to_csv(path, index=False) if suffix.lower() == ".csv" else frame.to_parquet(path)
    items = load(str(path))
    assert items.ids.tolist() == ["b7", "007"]
    assert items.x.dtype == np.float32
    np.testing.assert_array_equal(items.x, [[1, 1, 0.5], [2, 0, 1.5]])


@pytest.mark.parametrize("ids", [range(3), ["0", "1", "2"]])
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_ids_that_are_row_numbers_are_not_kept_as_text(suffix, ids, tmp_path):
    frame = pd.DataFrame({"id": ids, "x": [0.5, 1.5, 2.5]})
    frame.to_csv(tmp_path / "x.csv", index=False) if suffix == ".csv" else frame.to_parquet(tmp_path / "x.parquet")
    assert load(str(tmp_path / f"x{suffix}")).ids == range(3)


def test_ids_of_parquet_are_unique(tmp_path):
    pd.DataFrame({"id": [5, 3, 5], "x": [0.5, 1.5, 2.5]}).to_parquet(tmp_path / "x.parquet")
    with pytest.raises(ValueError, match=r"x\.parquet, row 2, column id: '5' appears twice"):
        load(str(tmp_path / "x.parquet"))
    pd.DataFrame({"id": [5, 3, 4], "x": [0.5, 1.5, 2.5]}).to_parquet(tmp_path / "x.parquet")
    assert load(str(tmp_path / "x.parquet")).ids.tolist() == ["5", "3", "4"]


def picture(path, size=(8, 8), mode="L", colour=100):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new(mode, size, colour).save(path)


def test_a_folder_of_images(tmp_path):
    picture(tmp_path / "b.png", (9, 8))
    picture(tmp_path / "a" / "z.PNG", (18, 16))
    (tmp_path / "notes.txt").write_text("not an image")
    items = load(str(tmp_path))
    assert items.ids.tolist() == ["a/z.PNG", "b.png"]
    assert items.x.shape == (2, 1, 16, 18), "grey, in the size of the first"
    assert items.x.dtype == np.uint8
    picture(tmp_path / "c.jpg", (9, 8), "RGB", (250, 0, 0))
    assert load(str(tmp_path)).x.shape == (3, 3, 16, 18)


def test_images_are_brought_to_the_shape_of_a_model(tmp_path):
    picture(tmp_path / "a.png", (30, 20), "RGB", (10, 200, 30))
    assert load(str(tmp_path), shape=(1, 8, 9)).x.shape == (1, 1, 8, 9)
    picture(tmp_path / "a.png", (30, 20))
    assert load(str(tmp_path), shape=(3, 8, 9)).x.shape == (1, 3, 8, 9)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "I;16"])
def test_every_mode_of_images(mode, tmp_path):
    suffix = ".tif" if mode == "CMYK" else ".png"
    grey = Image.new("L", (8, 8), 200)
    image = Image.new("I;16", (8, 8), 200 * 256) if mode == "I;16" else grey.convert("RGB").convert(mode)
    image.save(tmp_path / f"a{suffix}")
    x = load(str(tmp_path)).x
    assert x.shape[1] == (1 if mode in ("1", "L", "LA", "I;16") else 3)
    assert abs(int(x.mean()) - 200) <= 5 or mode == "1"


def test_photographs_are_turned_upright(tmp_path):
    image = Image.new("L", (20, 10))
    exif = image.getexif()
    exif[0x0112] = 6
    image.save(tmp_path / "a.jpg", exif=exif)
    assert load(str(tmp_path)).x.shape == (1, 1, 20, 10)


def test_a_data_set_by_name():
    items = load("dataset:digits/train")
    assert items.x.shape == (1347, 1, 8, 8)
    assert items.class_names == tuple("0123456789")
    assert len(items.labels) == 1347


BAD = {
    "empty.npy": (b"", "empty file"),
    "text.npy": (b"hello", "not an array of numbers"),
    "text.npz": (b"hello", "not an npz file"),
    "items.txt": (b"hello", "unknown kind of items, expected .npy"),
    "empty.csv": (b"", "empty file"),
    "noid.csv": (b"a,b\n1,2\n", "column id is missing, found a, b"),
    "alone.csv": (b"id\n1\n2\n", "there are no features beside the column id"),
    "twice.csv": (b"id,a\n1,2\n2,3\n1,4\n", "line 4, column id: '1' appears twice"),
    "text.csv": (b"id,a\n1,2\n2,x\n", "line 3, column a: value 'x', expected a number"),
    "gap.csv": (b"id,a,b\n1,2,3\n2,,4\n", "line 3, column a: the value is missing"),
    "ragged.csv": (b"id,a\n1,2\n1,2,3\n", "not a table"),
    "latin.csv": (b"id,a\n\xff,2\n", "not a table"),
    "text.parquet": (b"hello", "not a table"),
}


@pytest.mark.parametrize("name", list(BAD))
def test_bad_files_are_named(name, tmp_path):
    content, message = BAD[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=message) as caught:
        load(str(tmp_path / name))
    assert str(caught.value).startswith(str(tmp_path / name))


def test_truncated_arrays(tmp_path):
    np.save(tmp_path / "x.npy", np.zeros((100, 3)))
    np.savez(tmp_path / "x.npz", x=np.zeros((100, 3)))
    for name in ("x.npy", "x.npz"):
        whole = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(whole[: len(whole) // 2])
        with pytest.raises(ValueError, match="not an"):
            load(str(tmp_path / name))


def test_pickled_arrays_are_refused(tmp_path):
    np.save(tmp_path / "x.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match="not an array of numbers"):
        load(str(tmp_path / "x.npy"))


@pytest.mark.parametrize("content", [b"", b"not a picture", None])
def test_an_image_that_does_not_decode_is_named(content, tmp_path):
    picture(tmp_path / "a.png", (64, 64))
    picture(tmp_path / "b.png", (64, 64))
    whole = (tmp_path / "b.png").read_bytes()
    (tmp_path / "b.png").write_bytes(whole[: len(whole) - 30] if content is None else content)
    with pytest.raises(ValueError, match=r"b\.png: this image does not decode"):
        load(str(tmp_path))


def test_an_image_that_is_a_bomb_is_refused(tmp_path, monkeypatch):
    picture(tmp_path / "a.png", (64, 64))
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
    with pytest.raises(ValueError, match=r"a\.png: this image does not decode"):
        load(str(tmp_path))


def test_what_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"x\.npy: no such file or folder of items"):
        load(str(tmp_path / "x.npy"))
    with pytest.raises(ValueError, match="no images in this folder"):
        load(str(tmp_path))
    with pytest.raises(ValueError, match="expected dataset:NAME/train or dataset:NAME/test"):
        load("dataset:digits")
    np.savez(tmp_path / "two.npz", a=np.zeros(2), b=np.zeros(2))
    with pytest.raises(ValueError, match=r"which array are the items. found a, b"):
        load(str(tmp_path / "two.npz"))


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
    np.savez(tmp_path / "xy.npz", x=np.zeros((3, 2)), y=labels)
    with pytest.raises(ValueError, match=r"xy\.npz: expected 3 class numbers"):
        load(str(tmp_path / "xy.npz"))
