"""Training by itself, and predictions for what comes in."""

import pytest
from sqlalchemy import insert, update

from oneof.annotation.learning import automatic, jobs
from oneof.annotation.project.folder import save_settings
from oneof.annotation.store.schema import events, models, people


@pytest.fixture
def answered(world):
    """Fifty answers, as far as anybody looks here."""
    world.invite("ann")
    ann = world.person("ann")
    row = {"person_id": ann, "kind": "answer", "at": 0.0, "late": False, "flip": 0.0}
    rows = [row | {"client_id": str(number)} for number in range(50)]
    world.database.write(lambda c: c.execute(insert(events), rows))
    world.database.write(lambda c: c.execute(update(people).where(people.c.id == ann).values(counted_answered=50)))
    return world


def due(world, now=1000.0, **settings):
    with world.database.read() as connection:
        return automatic.is_due(connection, save_settings(world.project, settings), now)


def test_nothing_is_due_unless_the_settings_say_so_or_without_answers(world, answered):
    assert not due(answered)
    assert due(answered, train_every_answers=50, train_every_minutes=None)
    assert not due(answered, train_every_answers=51, train_every_minutes=None)
    assert due(answered, train_every_answers=None, train_every_minutes=5)
    answered.database.write(lambda c: c.execute(update(people).values(counted_answered=5)))
    assert not due(answered, train_every_answers=20)


def test_the_next_version_waits_for_new_answers_and_for_its_time(world, answered):
    model = {"trained_at": 900.0, "last_event": 40, "answers": 40, "held_out": 0}
    answered.database.write(lambda c: c.execute(insert(models).values(model)))
    assert not due(answered, train_every_answers=20, train_every_minutes=None)
    assert not due(answered, now=950.0, train_every_answers=None, train_every_minutes=1)
    assert due(answered, now=961.0, train_every_answers=None, train_every_minutes=1)
    answered.database.write(lambda c: c.execute(update(models).values(last_event=50)))
    assert not due(answered, now=9e9, train_every_answers=None, train_every_minutes=1)


def test_one_training_at_a_time_begins(world, answered, monkeypatch):
    begun = []
    monkeypatch.setattr(jobs.subprocess, "Popen", lambda command, **_: begun.append(command) or FakeProcess())
    project = save_settings(answered.project, {"train_every_answers": 20})
    assert automatic.train_if_due(answered.database, project, 1000.0) == 1
    assert automatic.train_if_due(answered.database, project, 1001.0) is None
    assert len(begun) == 1


def test_new_items_are_predicted_by_themselves_one_job_at_a_time(world, monkeypatch):
    begun = []
    monkeypatch.setattr(jobs.subprocess, "Popen", lambda command, **_: begun.append(command) or FakeProcess())
    assert automatic.predict_if_due(world.database, world.project, 1000.0) is None, "there is no model"
    world.model()
    job = automatic.predict_if_due(world.database, world.project, 1000.0)
    assert job is not None
    assert automatic.predict_if_due(world.database, world.project, 1001.0) is None
    failed = update(jobs.jobs).values(state="failed")
    world.database.write(lambda c: c.execute(failed))
    assert automatic.predict_if_due(world.database, world.project, 1300.0) is None, "not right after a failure"
    assert automatic.predict_if_due(world.database, world.project, 1700.0) == job + 1
    world.database.write(lambda c: c.execute(update(models).values(last_item=20)))
    world.database.write(lambda c: c.execute(update(jobs.jobs).values(state="done")))
    assert automatic.predict_if_due(world.database, world.project, 9000.0) is None, "every item has its prediction"
    assert len(begun) == 2


class FakeProcess:
    def wait(self):
        return 0
