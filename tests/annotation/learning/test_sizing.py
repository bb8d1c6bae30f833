"""Judging rounds by number and by width, and what is recorded of them."""

import pytest
from sqlalchemy import select

from oneof.annotation.learning.sizing import WIDTHS, begin_round, suggest
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.store import history
from oneof.annotation.store.schema import tasks

NOW = 1000.0


def test_narrower_intervals_take_more_questions_and_looking_at_any_time_is_wider(world):
    plans = [suggest(world.project, None, width) for width in WIDTHS]
    assert [one.questions for one in plans] == sorted(one.questions for one in plans)
    assert all(1.2 < one.anytime / one.width < 2.2 for one in plans)
    assert suggest(world.project, 0.6, 0.1).questions > suggest(world.project, 0.95, 0.1).questions
    assert suggest(world.project, None, 1e-5) is None


def test_a_round_by_number_or_by_width(make_world):
    world = make_world(200)
    model = world.model()
    begun = begin_round(world.database, world.project, 7, NOW)
    assert (
        begun.model,
        begun.questions,
        len(world.rows(select(tasks.c.id).where(tasks.c.design == "prediction"))),
    ) == (model, 7, 7)
    begun = begin_round(world.database, world.project, None, NOW, width=0.4)
    assert begun.questions == suggest(world.project, None, 0.4).questions
    with world.database.read() as connection:
        latest = history.entries(connection)[0]
    assert (latest.action, latest.detail) == ("judge", {"model": model, "questions": begun.questions})
    for wrong in ({"questions": None}, {"questions": 3, "width": 0.1}):
        with pytest.raises(ProjectError, match="expected a number of questions, or the width"):
            begin_round(world.database, world.project, now=NOW, **wrong)
    with pytest.raises(ProjectError, match="nobody could answer"):
        begin_round(world.database, world.project, None, NOW, width=1e-5)
