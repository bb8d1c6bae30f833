"""What one server process changes reaches the others; what a running project cannot take is refused."""

import logging
from dataclasses import replace

import pytest

from oneof.annotation.project.classes import Class
from oneof.annotation.project.folder import save_classes, save_settings
from oneof.annotation.web.app import create_app
from oneof.annotation.web.live import LiveProject


@pytest.fixture
def backend():
    """SQLite alone: what is asked of the database here, other tests ask of PostgreSQL too."""
    return "sqlite"


def test_settings_and_classes_changed_in_one_process_reach_the_other(world):
    one, other = (create_app(world.project, world.database).state.site for _ in range(2))
    assert other.project is other.project, "nothing is read again while nothing has changed"
    one.project = save_settings(one.project, {"question": "Can you see one of these?", "prefetch": 7})
    assert (other.project.settings.question, other.project.settings.prefetch) == ("Can you see one of these?", 7)
    renamed = [Class(f"{known.name} renamed", known.definition) for known in one.project.classes]
    other.project = save_classes(other.project, renamed)
    assert [known.name for known in one.project.classes] == [known.name for known in renamed]


@pytest.mark.parametrize(
    ("file", "before", "after", "problem"),
    [
        ("project.toml", "size = 2", "size = 3", "size: fixed when the project was made"),
        ("project.toml", "size = 2", "size = two", "project.toml"),
        ("classes.json", '"c4"', '"c4"}, {"name": "c5"', "6 classes, but questions were drawn from 5"),
    ],
)
def test_an_edit_that_answers_do_not_allow_is_refused_and_told(world, caplog, file, before, after, problem):
    live = LiveProject(world.project, world.database)
    path = world.project.folder / file
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))
    # Logs go to a handler of their own once a server was set up in this process.
    logger = logging.getLogger("oneof.annotation")
    logger.addHandler(caplog.handler)
    try:
        assert live.get() is world.project
        assert live.get() is world.project
    finally:
        logger.removeHandler(caplog.handler)
    told = {record.getMessage() for record in caplog.records}
    assert len(told) == 1
    assert problem in told.pop()
    path.write_text(text)
    assert live.get().settings == world.project.settings


def test_a_look_within_a_transaction_that_writes_does_not_wait_for_itself(world):
    live = LiveProject(world.project, world.database)
    save_classes(world.project, [replace(one, name=f"new {one.name}") for one in world.project.classes])
    seen = world.database.write(lambda _connection: live.get())
    assert seen.classes[0].name == "new c0"


def test_a_change_while_a_process_starts_or_saves_is_not_missed(world):
    """Files may change after they were read and before anybody looks at their times."""
    save_settings(world.project, {"prefetch": 8})
    live = LiveProject(world.project, world.database)
    assert live.get().settings.prefetch == 8
    mine = save_settings(live.get(), {"prefetch": 9})
    save_settings(mine, {"question": "Changed by another process?"})
    live.set(mine)
    assert (live.get().settings.prefetch, live.get().settings.question) == (9, "Changed by another process?")
