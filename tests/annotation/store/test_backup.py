"""Online backup, and moving a project to another database."""

import sqlite3

import psycopg
import pytest
from sqlalchemy import func, select

from oneof.annotation.project.starting import move_project
from oneof.annotation.store.auditing import audit
from oneof.annotation.store.backup import back_up
from oneof.annotation.store.database import Database, sqlite_url
from oneof.annotation.store.schema import events, metadata


def contents(database):
    with database.read() as connection:
        return {
            table.name: connection.execute(select(table).order_by(*table.primary_key)).all()
            for table in metadata.sorted_tables
        }


def test_item_22_a_backup_is_the_whole_project_in_one_file(world, tmp_path):
    ann = world.annotator("ann")
    for answer in ("yes", "no", "skip"):
        world.give(ann, answer)
    world.step(ann, "undo")
    out = tmp_path / "backup.sqlite"
    assert back_up(world.database, out) == 4
    assert [path.name for path in tmp_path.glob("*backup*")] == ["backup.sqlite"]
    copy = Database(sqlite_url(out))
    assert contents(copy) == contents(world.database)
    assert audit(copy) == []
    copy.close()
    connection = sqlite3.connect(out)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def test_item_22_a_backup_goes_on_while_people_answer(world, tmp_path, monkeypatch):
    from oneof.annotation.store import backup

    ann = world.annotator("ann")
    world.give(ann)
    real = backup._copy_all

    def meanwhile(reading, writing):
        reading.execute(select(func.count()).select_from(events)).scalar()
        world.give(ann)
        real(reading, writing)

    monkeypatch.setattr(backup, "_copy_all", meanwhile)
    out = tmp_path / "backup.sqlite"
    # The copy is of the moment when it began.
    assert back_up(world.database, out) == 1
    copy = Database(sqlite_url(out))
    assert audit(copy) == []
    copy.close()


@pytest.mark.parametrize("backend", ["sqlite"])
def test_serving_from_an_empty_postgresql_moves_the_project_there(make_world, postgres):
    world = make_world(6)
    ann = world.annotator("ann")
    row = world.give(ann)
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("CREATE DATABASE oneof_moved")
    before, _, after = postgres.rpartition("/postgres")
    url = f"{before}/oneof_moved{after}"
    moved = move_project(world.project, url)
    try:
        assert contents(moved) == contents(world.database)
        assert world.project.database_url() == url
        assert (world.project.folder / "database.url").stat().st_mode & 0o077 == 0
        # New rows are numbered after the ones that came along.
        world.close()
        del world.served
        world.database = moved
        again = world.annotator("bob")
        assert world.give(again)["task"] != row["task"]
        assert audit(moved) == []
    finally:
        world.close()
        with psycopg.connect(postgres, autocommit=True) as connection:
            connection.execute("DROP DATABASE oneof_moved WITH (FORCE)")
