"""Import: streamed, idempotent by content, errors with line numbers, nothing half-stored, nobody blocked."""

import json
import threading

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image
from sqlalchemy import func, select

from oneof.annotation.project import importing
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.importing import import_items, read_gold
from oneof.annotation.store.auditing import audit
from oneof.annotation.store.schema import items, tasks

without_postgresql = pytest.mark.parametrize("backend", ["sqlite"])
"""For what never reaches the database."""


def count(world, table=items):
    return world.rows(select(func.count()).select_from(table))[0][0]


def write_table(path, rows):
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        path.write_text("id,text,more\n" + "".join(f'{row["id"]},"{row["text"]}",x\n' for row in rows))
    return path


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_item_17_tables_come_in_and_again_changes_nothing(world, tmp_path, suffix):
    rows = [{"id": f"n{number}", "text": f"a new text, {number}"} for number in range(30)]
    table = write_table(tmp_path / f"more{suffix}", rows)
    done = import_items(world.database, world.project, table)
    assert (done.added, done.known) == (30, 0)
    again = import_items(world.database, world.project, table)
    assert (again.added, again.known) == (0, 30)
    assert (count(world), count(world, tasks)) == (50, 50)
    texts = dict(world.rows(select(items.c.name, items.c.text)))
    assert texts["n7"] == "a new text, 7"
    assert audit(world.database) == []


def test_item_17_folders_come_in_and_again_changes_nothing(make_world, tmp_path):
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number in range(6):
        Image.new("L", (3, 3), number).save(folder / f"{number}.png")
    (folder / "notes.txt").write_text("not a picture")
    (folder / "broken.png").write_text("not a picture either")
    world = make_world(folder)
    assert count(world) == 6
    # The same content under another name is the same item.
    (folder / "copy of 0.png").write_bytes((folder / "0.png").read_bytes())
    again = import_items(world.database, world.project, folder)
    assert (again.added, again.known) == (0, 7)
    assert again.left_out == ["file 'broken.png': this picture cannot be read: not a picture of a known format"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"id,text\n1,one\n2,\n", "line 3: `text` is empty"),
        ("a.csv", b"id,text\n1,one\n2,two,three\n", "line 3: more cells than columns"),
        ("a.csv", b'id,text\n1,"a\nb"\n,x\n', "line 4: `id` is empty"),
        ("a.csv", b"id,words\n1,one\n", "expected one column `text`"),
        ("a.csv", b"", "expected one column `id`"),
        ("a.csv", b"id,text\n", "no items here"),
        ("a.csv", b"id,text\n1,\xff\xfe\n", "not UTF-8"),
        ("a.csv", b"id,text\n1,one\n1,two\n", "line 3: '1' is already here with other content"),
        ("a.csv", b"id,text\nt1,other words\n", "line 2: 't1' is already here with other content"),
        ("a.csv", b"id,text\n1,ab\x00c\n", "line 2"),
        ("a.jsonl", b'{"id": 1, "text": "a"}\n{"id": 2}\n', "line 2: no `text`"),
        ("a.jsonl", b'{"id": 1, "text": "a"}\n\n[1]\n', "line 3: expected an object"),
        ("a.jsonl", b'{"id": 1, "text": "a"}\n{oops\n', "line 2: not proper JSON"),
        ("a.jsonl", b'{"id": 1, "text": 5}\n', "line 1: expected `id` as text"),
        ("a.jsonl", b'{"id": 1, "text": "\\ud800"}\n', "line 1: `text` is not valid Unicode"),
        ("a.parquet", b"not parquet", "not a table"),
        ("a.xlsx", b"", "expected a folder of pictures, sounds or .txt files, or a .csv"),
    ],
)
@without_postgresql
def test_item_17_a_bad_row_is_named_and_nothing_is_stored(make_world, tmp_path, name, content, message):
    world = make_world(5)
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ProjectError) as caught:
        import_items(world.database, world.project, path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)
    assert (count(world), count(world, tasks)) == (5, 5)


@without_postgresql
def test_every_bad_row_is_listed_up_to_a_limit(make_world, tmp_path):
    world = make_world(5)
    path = tmp_path / "a.csv"
    path.write_text("id,text\n" + "x,\n" * 5000)
    with pytest.raises(ProjectError) as caught:
        import_items(world.database, world.project, path)
    assert str(caught.value).count("\n") == importing.SHOWN_PROBLEMS
    assert "line 2:" in str(caught.value)


def test_an_import_that_broke_off_is_finished_by_the_next(world, tmp_path, monkeypatch):
    monkeypatch.setattr(importing, "BATCH", 10)
    rows = [{"id": f"n{number}", "text": f"fresh {number}"} for number in range(35)]
    table = write_table(tmp_path / "more.jsonl", rows)

    def crash(stored):
        if stored == 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_items(world.database, world.project, table, report=crash)
    assert (count(world), count(world, tasks)) == (40, 40)
    done = import_items(world.database, world.project, table)
    assert (done.added, done.known) == (15, 20)
    assert (count(world), count(world, tasks)) == (55, 55)


def test_g6_import_never_blocks_answering(world, tmp_path):
    rows = [{"id": f"n{number}", "text": f"fresh {number}"} for number in range(8000)]
    table = write_table(tmp_path / "many.jsonl", rows)
    ann = world.annotator("ann")
    importer = threading.Thread(target=import_items, args=(world.database, world.project, table))
    importer.start()
    during = 0
    for _ in range(15):  # fewer than the tasks that were there before, so that there is always one to claim
        world.give(ann)
        during += importer.is_alive()
    importer.join()
    assert count(world) == 8020
    # Answers were claimed, given and stored while the import was still going on: none waited for it.
    assert during >= 3
    assert audit(world.database) == []


@without_postgresql
def test_gold_must_name_items_and_classes_that_exist(make_world, tmp_path):
    gold = tmp_path / "gold.csv"
    gold.write_text("item,label\nt1,c9\n")
    with pytest.raises(ProjectError, match=r"line 2: 'c9' is not one of the classes"):
        read_gold(gold, ["c0", "c1"])
    gold.write_text("item,label\nt1,c1\nt1,c1\nt1,c0\n")
    with pytest.raises(ProjectError, match="line 4: item 't1' is there twice, with different labels"):
        read_gold(gold, ["c0", "c1"])
    gold.write_text("item,label\nt99,c1\n")
    with pytest.raises(ProjectError, match="gold item 't99' is not among the items"):
        make_world(5, gold=gold)
