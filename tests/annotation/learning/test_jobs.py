"""Jobs: begun once, told as they go on, and ended whatever happens."""

import json
import threading

import pytest
from sqlalchemy import select

from oneof.annotation.learning import jobs
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.store import history
from oneof.annotation.store.database import BusyError
from oneof.annotation.store.schema import items
from oneof.annotation.store.schema import jobs as table

from ..conftest import write_texts

without_postgresql = pytest.mark.parametrize("backend", ["sqlite"])


@pytest.fixture
def begun(monkeypatch):
    """Commands that would have been started."""
    commands = []

    class Process:
        def wait(self):
            return 0

    monkeypatch.setattr(jobs.subprocess, "Popen", lambda command, **more: commands.append((command, more)) or Process())
    return commands


def latest(world, kind, now):
    with world.database.read() as connection:
        return jobs.latest(connection, kind, now)


def test_one_of_a_kind_at_a_time_until_it_has_been_silent_for_long(world, begun):
    first = jobs.start(world.database, world.project, "train", {}, 100.0)
    with pytest.raises(ProjectError, match="at work already"):
        jobs.start(world.database, world.project, "train", {}, 150.0)
    assert jobs.start(world.database, world.project, "import", {"path": "x"}, 150.0) == first + 1
    assert latest(world, "train", 150.0).working
    late = latest(world, "train", 200.0)
    assert (late.state, "ended before" in late.message) == ("failed", True)
    assert jobs.start(world.database, world.project, "train", {}, 200.0) > first
    command, more = begun[0]
    assert command[-2:] == [str(world.project.folder), str(first)]
    assert "ONEOF_DATABASE" in more["env"]


def test_an_import_stores_its_items_and_tells_what_it_did(world, begun, tmp_path):
    path = write_texts(tmp_path / "more.csv", 25)
    job = jobs.start(world.database, world.project, "import", {"path": str(path)}, 5.0, world.person("admin"))
    jobs.run(world.database, world.project, job)
    assert len(world.rows(select(items.c.id))) == 25
    ended = latest(world, "import", 6.0)
    assert (ended.state, ended.message) == ("done", "5 new items, 20 already here")
    with world.database.read() as connection:
        entry = history.entries(connection)[0]
    assert (entry.action, entry.who, entry.detail["added"], entry.detail["known"]) == ("import", "admin", 5, 20)


def test_a_failure_is_told_in_the_job(world, begun):
    job = jobs.start(world.database, world.project, "train", {}, 5.0)
    jobs.run(world.database, world.project, job)
    ended = latest(world, "train", 6.0)
    assert ended.state == "failed"
    assert "ask for at least 20 first" in ended.message
    with world.database.read() as connection:
        assert history.entries(connection)[0].action == "train-failed"


@without_postgresql
def test_progress_reaches_the_row(world, begun, monkeypatch):
    seen = threading.Event()

    def work(database, project, request, report, person_id):
        report(3, 10, "half way")
        while not seen.wait(0.01):
            row = world.rows(select(table.c.done, table.c.total, table.c.message, table.c.state))[0]
            if tuple(row) == (3, 10, "half way", "running"):
                seen.set()
        return "well", {}

    monkeypatch.setattr(jobs, "BEAT_SECONDS", 0.01)
    monkeypatch.setitem(jobs.WORK, "train", work)
    job = jobs.start(world.database, world.project, "train", {"epochs": 1}, 5.0)
    assert json.loads(world.rows(select(table.c.request))[0][0]) == {"epochs": 1}
    jobs.run(world.database, world.project, job)
    assert latest(world, "train", 6.0).message == "well"


@without_postgresql
def test_a_job_lives_on_when_the_database_is_busy_for_long(world, begun, monkeypatch):
    write, refused, reached = world.database.write, threading.Event(), threading.Event()

    def busy_once(work, *given):
        if not refused.is_set():
            refused.set()
            raise BusyError("busy")
        reached.set()
        return write(work, *given)

    def work(database, project, request, report, person_id):
        monkeypatch.setattr(database, "write", busy_once)
        assert reached.wait(20), "it said nothing more"
        return "well", {}

    monkeypatch.setattr(jobs, "BEAT_SECONDS", 0.01)
    monkeypatch.setitem(jobs.WORK, "train", work)
    job = jobs.start(world.database, world.project, "train", {}, 5.0)
    jobs.run(world.database, world.project, job)
    assert latest(world, "train", 6.0).message == "well"
