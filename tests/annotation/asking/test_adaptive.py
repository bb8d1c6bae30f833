"""Adaptive questions: what may be changed, in which order it is asked, and that a share stays uniform."""

import numpy as np
import pytest
from sqlalchemy import func, select

from oneof import Answers
from oneof.annotation.asking import claims
from oneof.annotation.asking.adaptive import choose_questions
from oneof.annotation.asking.questions import read_subset
from oneof.annotation.learning.content import load_content
from oneof.annotation.store.schema import draws, tasks

CLASSES = 5
NO_ANSWERS = Answers(np.zeros((0, CLASSES), dtype=bool), np.zeros(0, dtype=bool), np.zeros(0, dtype=np.int64))


def choose(world, probabilities=None, aside=None):
    with world.database.read() as connection:
        content = load_content(connection)
    count = len(content.ids)
    probabilities = np.full((count, CLASSES), 1 / CLASSES) if probabilities is None else probabilities
    aside = np.zeros(count, dtype=bool) if aside is None else aside
    return choose_questions(world.database, world.project, content, probabilities, NO_ANSWERS, aside, 1.0)


def questions(world):
    return world.rows(select(tasks).order_by(tasks.c.id))


def test_questions_ask_about_what_the_model_doubts(make_world):
    world = make_world(10, uniform_share=0.0)
    # Between classes 3 and 4, a question tells something only if it has one of them and not the other.
    doubt = np.tile([0.0, 0.0, 0.0, 0.5, 0.5], (10, 1))
    assert choose(world, doubt) == 10
    for row in questions(world):
        assert row.design == "adaptive"
        assert len({3, 4} & set(read_subset(row.subset))) == 1


def test_the_most_telling_questions_come_first_in_the_same_places(make_world):
    world = make_world(10, uniform_share=0.0)
    places = sorted(row.position for row in questions(world))
    sure = np.tile([1.0, 0.0, 0.0, 0.0, 0.0], (10, 1))
    sure[[2, 7]] = 1 / CLASSES
    choose(world, sure)
    rows = questions(world)
    assert sorted(row.position for row in rows) == places
    assert {row.item_id for row in sorted(rows, key=lambda row: row.position)[:2]} == {3, 8}


def test_what_somebody_was_shown_and_items_kept_aside_stay(make_world):
    world = make_world(10, uniform_share=0.0, overlap=2)
    world.invite("ann")
    me = world.person("ann")
    (shown,) = world.database.write(lambda c: claims.claim(c, world.project, me, 1.0)).tasks
    # Given back, all its places are free again; but it was seen.
    world.database.write(lambda c: claims.release(c, me, [shown]))
    before = {row.id: row for row in questions(world)}
    kept = next(task for task in before if task != shown)
    aside = np.arange(1, 11) == before[kept].item_id
    assert choose(world, aside=aside) == 8
    same = {row.id for row in questions(world) if row == before[row.id]}
    assert same == {shown, kept}


@pytest.mark.parametrize("backend", ["sqlite"])
def test_the_uniform_share_is_drawn_without_the_model_from_the_recorded_seed(make_world):
    first, same = (make_world(200, uniform_share=0.3) for _ in range(2))
    doubt = np.tile([0.0, 0.0, 0.0, 0.5, 0.5], (200, 1))
    choose(first)
    choose(same, doubt)
    chosen = [{row.id for row in questions(world) if row.design == "adaptive"} for world in (first, same)]
    assert chosen[0] == chosen[1]
    assert 0.2 < 1 - len(chosen[0]) / 200 < 0.4


def test_each_adaptive_question_names_its_draw(make_world):
    world = make_world(10, uniform_share=0.0)
    choose(world)
    (uniform, adaptive) = world.rows(select(draws).order_by(draws.c.id))
    assert (uniform.design, adaptive.design, adaptive.drawn) == ("uniform", "adaptive", 10)
    assert {row.draw_id for row in questions(world)} == {adaptive.id}


@pytest.mark.parametrize("backend", ["sqlite"])
def test_a_share_of_one_changes_nothing(make_world):
    world = make_world(10, uniform_share=1.0)
    assert choose(world) == 0
    assert world.rows(select(func.count()).where(tasks.c.design == "adaptive")) == [(0,)]


def test_a_group_counts_as_one_label(make_world, tmp_path):
    listed = tmp_path / "grouped.csv"
    names = [f"c{n}" for n in range(12)]
    listed.write_text("name,parent\n" + "".join(f"{name},{'many' if n < 6 else ''}\n" for n, name in enumerate(names)))
    world = make_world(40, classes=listed, size=2, uniform_share=0.0)
    with world.database.read() as connection:
        content = load_content(connection)
    flat = np.full((40, 12), 1 / 12)
    none = Answers(np.zeros((0, 12), dtype=bool), np.zeros(0, dtype=bool), np.zeros(0, dtype=np.int64))
    assert choose_questions(world.database, world.project, content, flat, none, np.zeros(40, dtype=bool), 1.0) == 40
    asked = [set(read_subset(row.subset)) for row in questions(world)]
    grouped = [one for one in asked if one >= set(range(6))]
    assert grouped, "half of the classes by one label: a whole bit"
    assert all(len(one - set(range(6))) <= 1 for one in grouped)
    assert all(len(one) <= 2 for one in asked if one not in grouped)
