"""Items from arrays, tables, folders of images and data sets."""

import os

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from oneof.answers import Answers
from oneof.items.loading import Items, load


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


def test_a_folder_of_pictures_is_not_decoded_yet(tmp_path):
    picture(tmp_path / "b.png", (9, 8))
    picture(tmp_path / "a" / "z.PNG", (18, 16))
    (tmp_path / "bad.jpg").write_bytes(b"gone bad")
    (tmp_path / "notes.txt").write_text("not a picture")
    items = load(str(tmp_path))
    assert items.kind == "pictures"
    assert items.ids.tolist() == ["a/z.PNG", "b.png", "bad.jpg"]
    kept = items.keep(np.zeros((2, 1)), np.array([0, 1]), {2: "broken"})
    assert (len(kept), kept.left_out, kept.missing, kept.kind) == (2, ("bad.jpg: broken",), ("bad.jpg",), "numbers")


def test_answers_about_what_was_left_out_are_dropped():
    items = Items(np.zeros((3, 1)), np.array(["a", "b", "c"])).keep(np.zeros((2, 1)), np.array([0, 2]), {1: "broken"})
    answers = Answers([[True, False]] * 3, [True] * 3, item_names=["b", "c", "a"])
    assert items.align(answers).items.tolist() == [1, 0]
    with pytest.raises(ValueError, match="item d is not among"):
        items.align(Answers([[True, False]], [True], item_names=["d"]))


def test_an_unknown_item_may_be_one_that_could_not_be_read(tmp_path):
    (tmp_path / "t.jsonl").write_text('{bad\n{"id": "a", "text": "one"}\n')
    items = load(str(tmp_path / "t.jsonl"))
    with pytest.raises(ValueError, match=r"item b is not among the 1 items, such as a; 1 could not be read: .*line 1"):
        items.align(Answers([[True, False]], [True], item_names=["b"]))


def test_a_file_whose_name_cannot_be_written_is_left_out(tmp_path):
    picture(tmp_path / "a.png")
    try:
        (tmp_path / os.fsdecode(b"gr\xfcn.png")).write_bytes((tmp_path / "a.png").read_bytes())
    except OSError:
        pytest.skip("this file system takes names in UTF-8 only")
    items = load(str(tmp_path))
    assert items.ids.tolist() == ["a.png"]
    assert items.left_out == (r"'gr\udcfcn.png': its name is not valid Unicode: rename it",)


def test_texts(tmp_path):
    (tmp_path / "t.csv").write_text("id,text,label\n0,one,5\n1,two,6\n")
    items = load(str(tmp_path / "t.csv"))
    assert (items.kind, items.ids, items.x.tolist(), items.labels) == ("texts", range(2), ["one", "two"], None)
    (tmp_path / "t.csv").write_text("id,text\na,one\nb,\nc,three\n")
    items = load(str(tmp_path / "t.csv"))
    assert (items.ids.tolist(), items.missing) == (["a", "c"], ("b",))
    assert items.left_out == (f"{tmp_path / 't.csv'}, line 3: `text` is empty",)
    (tmp_path / "only.txt").write_text("first\nsecond\n")
    assert load(str(tmp_path / "only.txt")).ids.tolist() == ["1", "2"]
    (tmp_path / "t.csv").unlink()
    assert load(str(tmp_path)).ids.tolist() == ["only.txt"]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_a_table_of_paths(suffix, tmp_path):
    picture(tmp_path / "sub" / "a.png")
    frame = pd.DataFrame({"id": ["x", "y"], "path": ["sub/a.png", f"file://{tmp_path}/b.png"], "label": [0, 1]})
    path = tmp_path / f"list{suffix}"
    if suffix == ".parquet":
        frame.to_parquet(path)
    elif suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, sep="\t" if suffix == ".tsv" else ",", index=False)
    items = load(str(path))
    assert items.ids.tolist() == ["x", "y"]
    assert list(items.x.sources) == [tmp_path / "sub" / "a.png", tmp_path / "b.png"]


def test_a_header_with_spaces(tmp_path):
    (tmp_path / "list.csv").write_text("id, path\n007, a.png\n")
    items = load(str(tmp_path / "list.csv"))
    assert (items.ids.tolist(), list(items.x.sources)) == (["007"], [tmp_path / "a.png"])


@pytest.mark.parametrize("column", ["label", "Class", "target", "y"])
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_column_of_labels_is_no_feature(column, suffix, tmp_path):
    frame = pd.DataFrame({"id": ["a", "b"], "width": [0.5, 1.5], column: [0, 1]})
    path = tmp_path / f"t{suffix}"
    frame.to_csv(path, index=False) if suffix == ".csv" else frame.to_parquet(path)
    with pytest.raises(ValueError, match=f"column {column} looks like the answer.*leave it out"):
        load(str(path))


def test_a_data_set_by_name():
    items = load("dataset:digits/train")
    assert items.x.shape == (1347, 1, 8, 8)
    assert items.class_names == tuple("0123456789")
    assert len(items.labels) == 1347


BAD = {
    "empty.npy": (b"", "empty file"),
    "text.npy": (b"hello", "not an array of numbers"),
    "text.npz": (b"hello", "not an npz file"),
    "items.md": (b"hello", "unknown kind of items, expected .npy"),
    "blank.txt": (b" \n\n", "there are no texts in it"),
    "same.csv": (b"id,text\n1,a\n1,b\n", "line 3, column id: '1' appears twice"),
    "far.csv": (b"id,url\n1,https://example.org/a.png\n", "is not on this machine: fetch it first"),
    "gap.tsv": (b"id\tpath\n1\t\n2\t\n", "there are no paths in the column path"),
    "none.jsonl": (b'{"id": 1, "height": 2}\n', "expected a column text or path, found id, height"),
    "empty.csv": (b"", "empty file"),
    "noid.csv": (b"a,b\n1,2\n", "column id is missing, found a, b"),
    "alone.csv": (b"id\n1\n2\n", "there are no features beside the column id"),
    "twice.csv": (b"id,a\n1,2\n2,3\n1,4\n", "line 4, column id: '1' appears twice"),
    "text.csv": (b"id,a\n1,2\n2,x\n", "line 3, column a: value 'x', expected a number"),
    "gap.csv": (b"id,a,b\n1,2,3\n2,,4\n", "line 3, column a: the value is missing"),
    "infinite.csv": (b"id,a,b\n1,2,3\n2,5,-inf\n", "line 3, column b: value -inf, expected a number below 3.4e38"),
    "large.csv": (b"id,a,b\n1,2,1e300\n", r"line 2, column b: value 1e\+300, expected a number below 3.4e38"),
    "words.csv": (b"id,body\n1,hello\n", "value 'hello', expected a number .a column of texts is called text"),
    "windows.csv": ("id,text\n1,grün\n".encode("cp1252"), "not UTF-8: .*: save it in that encoding"),
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
    with pytest.raises(ValueError, match="not an array of numbers") as caught:
        load(str(tmp_path / "x.npy"))
    assert "unsafely" not in str(caught.value), "numpy's advice is none that a command could follow"


def test_what_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"x\.npy: no such file or folder of items"):
        load(str(tmp_path / "x.npy"))
    with pytest.raises(ValueError, match=r"no pictures .* and no \.txt files in this folder"):
        load(str(tmp_path))
    with pytest.raises(ValueError, match="expected dataset:NAME/train or dataset:NAME/test"):
        load("dataset:digits")
    np.savez(tmp_path / "two.npz", a=np.zeros(2), b=np.zeros(2))
    with pytest.raises(ValueError, match=r"which array are the items. found a, b"):
        load(str(tmp_path / "two.npz"))


@pytest.mark.parametrize("labels", [np.zeros(2, dtype=int), np.zeros(3), np.array([0, -1, 1])])
def test_bad_labels_of_an_npz_file(labels, tmp_path):
    np.savez(tmp_path / "xy.npz", x=np.zeros((3, 2)), y=labels)
    with pytest.raises(ValueError, match=r"xy\.npz: expected 3 class numbers"):
        load(str(tmp_path / "xy.npz"))


def test_a_text_among_numbers_with_decimal_commas_is_named(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("id;height\na;1,5\nb;tall\n")
    with pytest.raises(ValueError, match=r"table.csv, line \d, column height: value .*, expected a number"):
        load(str(path))


def test_texts_with_semicolons_between(tmp_path):
    path = tmp_path / "texts.csv"
    path.write_text('id;text\n1;Eins, zwei\n2;"Drei; vier"\n')
    items = load(str(path))
    assert (items.kind, items.x.tolist()) == ("texts", ["Eins, zwei", "Drei; vier"])
