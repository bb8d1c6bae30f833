"""Transactions, durability settings, and patience with a busy database."""

import sqlite3
import threading
from contextlib import contextmanager

import pytest
from sqlalchemy import select, text

from oneof.annotation.store import database as database_module
from oneof.annotation.store import facts
from oneof.annotation.store.database import BusyError, Database, is_busy
from oneof.annotation.store.schema import facts as facts_table


def test_g1_sqlite_commits_are_on_disk_before_the_reply(tmp_path):
    database = Database(f"sqlite:///{tmp_path}/a.sqlite")
    with database.read() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
    database.close()


def test_g1_writes_begin_immediately(tmp_path):
    """Inside a write nobody else can begin one, even before the first statement."""
    database = Database(f"sqlite:///{tmp_path}/a.sqlite")

    def work(connection):
        other = sqlite3.connect(tmp_path / "a.sqlite", timeout=0)
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")
        other.close()

    database.write(work)
    database.close()


@pytest.fixture
def impatient_sqlite(monkeypatch):
    """SQLite itself gives up at once, so that what is seen is our own patience."""
    monkeypatch.setattr(database_module, "SQLITE_WAITS_SECONDS", 0.05)


@contextmanager
def locked(path):
    """Somebody else writes to the database, until `release` is set; or until the end."""
    begun, release = threading.Event(), threading.Event()

    def hold():
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("BEGIN IMMEDIATE")
        begun.set()
        release.wait()
        connection.execute("ROLLBACK")
        connection.close()

    other = threading.Thread(target=hold)
    other.start()
    begun.wait()
    try:
        yield release
    finally:
        release.set()
        other.join()


@pytest.mark.parametrize("backend", ["sqlite"])
def test_g7_a_busy_sqlite_is_waited_for(impatient_sqlite, world, monkeypatch):
    ann = world.annotator("ann")
    task = world.claim(ann)["task"]
    refused = []
    with locked(world.project.folder / "project.sqlite") as release:

        def notice(error):
            refused.append(error)
            if len(refused) == 3:
                release.set()
            return is_busy(error)

        monkeypatch.setattr(database_module, "is_busy", notice)
        assert ann.post("/api/answers", json=world.body(task)).status_code == 201
    assert len(refused) >= 3


@pytest.mark.parametrize("backend", ["sqlite"])
def test_g7_a_database_that_stays_busy_is_a_503_never_a_500(impatient_sqlite, world):
    ann = world.annotator("ann")
    task = world.claim(ann)["task"]
    world.database.patience = 0.1
    with locked(world.project.folder / "project.sqlite"):
        reply = ann.post("/api/answers", json=world.body(task))
        assert (reply.status_code, reply.headers["retry-after"]) == (503, "1")
        # Reading goes on meanwhile.
        assert ann.get("/api/progress").status_code == 200
    assert ann.post("/api/answers", json=world.body(task)).status_code == 201


@pytest.mark.parametrize("backend", ["postgresql"])
def test_g7_lost_connections_and_serialisation_failures_are_retried(world):
    tries = []

    def work(connection):
        tries.append(1)
        if len(tries) == 1:
            connection.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))
        if len(tries) == 2:
            connection.execute(text("DO $$ BEGIN RAISE SQLSTATE '40001'; END $$"))
        facts.put(connection, "tried", "yes")

    world.database.write(work)
    assert len(tries) == 3
    assert world.rows(select(facts_table.c.value).where(facts_table.c.name == "tried")) == [("yes",)]


@pytest.mark.parametrize("backend", ["postgresql"])
def test_g7_a_server_survives_the_loss_of_its_connections(world):
    ann = world.annotator("ann")
    world.give(ann)
    with world.database.read() as connection:
        connection.execute(
            text(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        )
    assert world.give(ann)["answer"] == "yes"


def test_a_failed_write_leaves_nothing(world):
    def work(connection):
        facts.put(connection, "half", "done")
        raise RuntimeError("power cut")

    with pytest.raises(RuntimeError, match="power cut"):
        world.database.write(work)
    assert world.rows(select(facts_table.c.value).where(facts_table.c.name == "half")) == []


def test_other_databases_are_refused():
    with pytest.raises(ValueError, match=r"expected sqlite:///FILE or postgresql://"):
        Database("mysql://localhost/x")


def test_patience_ends(tmp_path, impatient_sqlite):
    database = Database(f"sqlite:///{tmp_path}/a.sqlite", patience=0.0)
    with locked(tmp_path / "a.sqlite"), pytest.raises(BusyError):
        database.write(lambda connection: facts.put(connection, "a", "b"))
    database.close()
