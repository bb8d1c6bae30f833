"""One item: asked again, and its label known."""

import pytest
from sqlalchemy import select

from oneof.annotation.asking import known, removing
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.store import facts
from oneof.annotation.store.auditing import audit
from oneof.annotation.store.schema import items, tasks


def kinds(world, item):
    return [row.kind for row in world.rows(select(tasks.c.kind).where(tasks.c.item_id == item).order_by(tasks.c.id))]


def test_asking_again_wants_one_more_answer(world):
    world.database.write(lambda c: known.ask_again(c, world.project, 1, 5.0))
    assert kinds(world, 1) == ["question", "question"]
    with world.database.read() as connection:
        assert facts.get(connection, "needed", "") == "21"
    assert audit(world.database) == []


def test_a_known_label_makes_a_check_once_and_can_be_taken_back(world):
    for label in ("c3", "c2"):
        world.database.write(lambda c, label=label: known.set_known(c, world.project, 1, label, 5.0))
    assert world.rows(select(items.c.gold).where(items.c.id == 1)) == [(2,)]
    assert kinds(world, 1) == ["question", "gold"]
    world.database.write(lambda c: known.set_known(c, world.project, 1, None, 5.0))
    assert kinds(world, 1) == ["question", "retired"]
    assert audit(world.database) == []


def test_an_item_that_is_not_there_is_refused(world):
    with pytest.raises(ProjectError, match="no item 99"):
        world.database.write(lambda c: known.ask_again(c, world.project, 99, 5.0))
    with pytest.raises(ProjectError, match="label 'cat': not one of the classes"):
        world.database.write(known.set_known, world.project, 1, "cat", 5.0)


def test_nobody_is_asked_about_an_item_that_was_taken_out(world):
    removing.remove(world.database, ["t0"], "blurred", 4.0)
    with pytest.raises(ProjectError, match="item 't0' was taken out of the project: bring it back first"):
        world.database.write(known.ask_again, world.project, 1, 5.0)
    with pytest.raises(ProjectError, match="'t0' was taken out"):
        world.database.write(known.set_known, world.project, 1, "c3", 5.0)
    assert kinds(world, 1) == ["question"]
