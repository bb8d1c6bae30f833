"""Migrations make exactly the schema that the code uses, and keep what is there."""

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import select, text

from oneof.annotation.project.folder import Settings
from oneof.annotation.store.database import Database, sqlite_url
from oneof.annotation.store.schema import draws, events, metadata, models, tasks
from oneof.annotation.store.upgrading import MIGRATIONS, holds_project, upgrade

BEFORE_JUDGING = """
INSERT INTO people (id, name, role, token_hash, created_at, paused, cursor, claimed, repeat_cursor, answered, skipped,
 counted_answered, counted_skipped) VALUES (1, 'ann', 'annotator', 'h', 0, false, -1, 2, 0, 2, 0, 2, 0);
INSERT INTO items (id, key, name, kind, content_hash, text)
 VALUES (1, 'a', 'a', 'text', 'ff', 'x'), (2, 'b', 'b', 'text', 'fe', 'y');
INSERT INTO draws (id, seed, classes, size, drawn, adaptive, created_at)
 VALUES (1, 7, 5, 2, 2, false, 0), (2, 8, 5, 2, 1, true, 0);
INSERT INTO tasks (id, item_id, kind, subset, draw_id, draw_row, adaptive, quota, free, position)
 VALUES (1, 1, 'question', '0,1', 1, 0, false, 1, 0, 1), (2, 2, 'question', '0,1', 2, 0, true, 1, 0, 2);
INSERT INTO events (id, client_id, person_id, kind, task_id, at, answer, seconds, late, flip)
 VALUES (1, 'e1', 1, 'answer', 1, 5, 'yes', 1, false, 0), (2, 'e2', 1, 'answer', 2, 6, 'skip', 1, false, 0);
INSERT INTO claims (task_id, person_id, state, ordinal, claimed_at, expires_at, placed, event_id, answer)
 VALUES (1, 1, 'answered', 1, 4, 9, true, 1, 'yes'), (2, 1, 'answered', 2, 4, 9, true, 2, 'skip');
INSERT INTO models (id, trained_at, last_event, answers, held_out) VALUES (3, 5, 0, 0, 0);
INSERT INTO predictions (model_id, item_id, label, held_out) VALUES (3, 1, 0, true)
"""


def test_the_migrations_make_the_schema(world):
    with world.database.read() as connection:
        context = MigrationContext.configure(connection)
        assert context.get_current_revision() == max(path.name[:4] for path in MIGRATIONS.glob("versions/0*.py"))
        assert compare_metadata(context, metadata) == []


def test_upgrading_again_changes_nothing(world):
    upgrade(world.database)
    assert holds_project(world.database)


@pytest.fixture
def old(new_database_url, tmp_path):
    """A database of before judging rounds, with two answers and a model."""
    database = Database(new_database_url() or sqlite_url(tmp_path / "old.sqlite"))
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")

    def work(connection):
        config.attributes["connection"] = connection
        command.upgrade(config, "0003")
        for statement in BEFORE_JUDGING.split(";"):
            connection.execute(text(statement))

    database.write(work)
    yield database
    database.close()


def test_an_old_database_keeps_its_answers_and_learns_the_design_of_its_questions(old):
    upgrade(old)
    with old.read() as connection:
        assert connection.execute(select(draws.c.design, draws.c.edition).order_by(draws.c.id)).all() == [
            ("uniform", 0),
            ("adaptive", 0),
        ]
        asked = connection.execute(
            select(tasks.c.design, tasks.c.predicted, tasks.c.model_id).order_by(tasks.c.id)
        ).all()
        assert asked == [("uniform", None, None), ("adaptive", None, None)]
        said = connection.execute(select(events.c.answer, events.c.guess, events.c.shown).order_by(events.c.id)).all()
        assert said == [("yes", None, None), ("skip", None, None)]
        assert connection.execute(select(models.c.last_item, models.c.aside_share)).all() == [(1, None)]
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


@pytest.mark.parametrize(("shown", "judges"), [(False, 1), (True, 0)])
def test_whether_old_answers_saw_the_guess_is_told_by_the_setting(old, tmp_path, shown, judges):
    from oneof.annotation.learning.judging import current_model
    from oneof.annotation.project.classes import Class
    from oneof.annotation.project.folder import create_project

    upgrade(old)
    settings = Settings(name="old", size=2, show_predictions=shown)
    project = create_project(tmp_path / "project", settings, [Class(f"c{number}") for number in range(5)])
    with old.read() as connection:
        assert current_model(connection, project)["judged_on"] == judges
