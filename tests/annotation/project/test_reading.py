"""Reading items: what is taken, and what is refused with its place. No database here."""

import hashlib
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.reading import decoded, read_items
from oneof.items.texts import LONGEST_NAME


def table(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    return path


def problems(path):
    return [(item.place, item.problem) for item in read_items(path) if item.problem]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", b'\xef\xbb\xbf id , text,more\n1,"a, b",x\n\ncat,\xc3\xbc,\n'),
        ("a.jsonl", b'{"id": 1, "text": "a, b"}\n\n{"text": "\xc3\xbc", "id": "cat", "more": [1]}\n'),
        ("A.JSONL", b'{"id": 1, "text": "a, b"}\r\n{"text": "\\u00fc", "id": "cat"}'),
    ],
)
def test_tables_of_texts(tmp_path, name, content):
    found = list(read_items(table(tmp_path, name, content)))
    assert [(item.name, item.kind, item.text, item.problem) for item in found] == [
        ("1", "text", "a, b", None),
        ("cat", "text", "ü", None),
    ]


def test_parquet_is_read_and_its_rows_are_numbered(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": ["a", "b", None], "text": ["one", "", "three"]}), path)
    assert [item.text for item in read_items(path) if not item.problem] == ["one"]
    assert problems(path) == [("row 2", "`text` is empty"), ("row 3", "no `id`")]


@pytest.mark.parametrize("identity", [pa.array([1.5]), pa.array([True]), pa.array([b"a"]), pa.array([[1]])])
def test_a_name_is_text_or_a_whole_number(tmp_path, identity):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": identity, "text": ["one"]}), path)
    assert problems(path) == [("row 1", "expected `id` as text or a whole number, and `text` as text")]


def test_lines_are_counted_as_an_editor_counts_them(tmp_path):
    path = table(tmp_path, "a.csv", b'id,text\n1,"two\nlines"\n\n2\n3,"x"y\n')
    assert [place for place, _ in problems(path)] == ["line 5", "line 6"]
    path = table(tmp_path, "a.jsonl", b'\n{"id": 1, "text": "a"}\n\n[]\n' + b"9" * 5000 + b"\n" + b"[" * 90_000 + b"\n")
    found = problems(path)
    assert [place for place, _ in found] == ["line 4", "line 5", "line 6"]
    assert found[0][1] == "expected an object with `id` and `text`"
    assert all(problem.startswith("not proper JSON") for _, problem in found[1:])


def test_a_bad_line_does_not_end_a_jsonl_file(tmp_path):
    path = table(tmp_path, "a.jsonl", b'\xff\n{"id": 1, "text": "a"}\n')
    assert [item.problem is None for item in read_items(path)] == [False, True]


def test_names_are_not_endless(tmp_path):
    path = table(tmp_path, "a.csv", f"id,text\n{'x' * LONGEST_NAME},a\n{'y' * (LONGEST_NAME + 1)},b\n".encode())
    assert problems(path) == [("line 3", f"`id` is longer than {LONGEST_NAME} characters")]


def test_the_hash_is_of_the_content_not_of_the_name(tmp_path):
    first, same, other = read_items(table(tmp_path, "a.csv", b"id,text\n1,a\n2,a\n3,b\n"))
    assert first.content_hash == same.content_hash != other.content_hash


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.md", "expected a folder of pictures, sounds or .txt files, or"),
        ("missing.csv", "no such file"),
        ("no folder", "expected a folder"),
    ],
)
def test_what_is_no_source_of_items(tmp_path, name, message):
    (tmp_path / "a.md").write_text("id,text\n1,a\n")
    with pytest.raises(ProjectError, match=message) as caught:
        list(read_items(tmp_path / name))
    assert str(tmp_path / name) in str(caught.value)


def test_two_columns_of_one_name_are_refused(tmp_path):
    with pytest.raises(ProjectError, match="expected one column `text`, found columns id, text, text"):
        list(read_items(table(tmp_path, "a.csv", b"id,text,text\n1,a,b\n")))


def test_a_folder_is_read_in_order_and_hidden_files_are_not(tmp_path):
    for name in ("b.png", "a/z.JPG", "a/.hidden.png", ".git/x.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        Image.new("L", (2, 2), len(name)).save(tmp_path / name)
    (tmp_path / "notes.txt").write_text("not a picture")
    found = list(read_items(tmp_path))
    assert [item.name for item in found] == ["b.png", "a/z.JPG"]
    assert found[0].content_hash == hashlib.sha256((tmp_path / "b.png").read_bytes()).hexdigest()
    assert {item.kind for item in found} == {"image"}


def test_files_that_are_no_pictures_are_refused_one_by_one(tmp_path):
    folder = tmp_path / "pictures"
    folder.mkdir()
    Image.new("L", (2, 2)).save(tmp_path / "secret.png")
    Image.new("L", (2, 2)).save(folder / "good.png")
    Image.new("RGB", (64, 64), "red").save(folder / "cut.jpg")
    (folder / "cut.jpg").write_bytes((folder / "cut.jpg").read_bytes()[:-200])
    for name in ("broken.png", "scan.tiff", "logo.svg"):
        (folder / name).write_bytes(b"gone bad")
    os.symlink(tmp_path / "secret.png", folder / "outside.png")
    os.symlink(folder / "good.png", folder / "inside.png")
    os.symlink(folder / "circle.png", folder / "circle.png")
    os.symlink(folder / "gone.png", folder / "dangling.png")
    os.mkfifo(folder / "pipe.png")
    found = [decoded(item) for item in read_items(folder)]
    shown = "png, jpg, jpeg, gif, webp, bmp"
    cut = next(item.problem for item in found if item.name == "cut.jpg")
    assert cut is not None
    assert "runcated" in cut, "the header alone looks fine"
    assert {item.place: item.problem for item in found if item.problem and item.name != "cut.jpg"} == {
        "file 'broken.png'": "this picture cannot be read: not a picture of a known format",
        "file 'logo.svg'": f"an .svg file may carry scripts; expected {shown}",
        "file 'scan.tiff'": f"browsers do not show .tiff files; expected {shown}",
        "file 'circle.png'": "not a file",
        "file 'dangling.png'": "not a file",
        "file 'outside.png'": "a link that leads outside the folder",
        "file 'pipe.png'": "not a file",
    }
    assert sorted(item.name for item in found if not item.problem) == ["good.png", "inside.png"]


def test_a_folder_of_pictures_that_browsers_do_not_show_is_named_file_by_file(tmp_path):
    for name in ("a.heic", "b.svg"):
        (tmp_path / name).touch()
    found = {item.name: item.problem for item in read_items(tmp_path)}
    assert found["a.heic"].startswith("browsers do not show .heic files")
    assert found["b.svg"].startswith("an .svg file may carry scripts")
    (tmp_path / "c.txt").write_text("a text beside a drawing of it")
    assert [item.name for item in read_items(tmp_path)] == ["c.txt"]
