"""Judging rounds: which items are asked about, what the questions show, where they stand, and what a training does."""

from collections import Counter

import numpy as np
import pytest
from sqlalchemy import insert, select

from oneof.annotation.asking import claims, decoys, removing
from oneof.annotation.asking.questions import read_subset
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.store import facts
from oneof.annotation.store.auditing import audit
from oneof.annotation.store.schema import draws, events, tasks

NOW = 1000.0


def ask(world, count):
    return world.database.write(lambda connection: decoys.ask_round(connection, world.project, count, NOW))


def asked(world):
    return world.rows(select(tasks).where(tasks.c.design == "prediction").order_by(tasks.c.id))


def test_there_must_be_a_model_and_enough_items(make_world):
    world = make_world(6)
    with pytest.raises(ProjectError, match="no model to judge yet"):
        ask(world, 1)
    world.model()
    with pytest.raises(ProjectError, match="8 questions: only 6 items are left"):
        ask(world, 8)
    with pytest.raises(ProjectError, match="expected 1"):
        ask(world, 0)


def test_the_guess_stands_among_uniform_others_in_random_order_an_item_once(make_world):
    world = make_world(200, size=3)
    model = world.model()
    assert ask(world, 200) == model
    rows = asked(world)
    assert sorted(row.item_id for row in rows) == list(range(1, 201))
    shown = [read_subset(row.subset) for row in rows]
    assert all(
        row.predicted == row.item_id % 5 and row.predicted in labels for row, labels in zip(rows, shown, strict=True)
    )
    assert all(len(set(labels)) == 3 for labels in shown)
    places = Counter(labels.index(row.predicted) for row, labels in zip(rows, shown, strict=True))
    assert min(places.values()) > 40, "of 200, each of three places some 67 times"
    others = Counter((other - row.predicted) % 5 for row, labels in zip(rows, shown, strict=True) for other in labels)
    assert others[0] == 200
    assert all(70 < others[step] < 130 for step in (1, 2, 3, 4)), "each other class in half of the questions"
    (draw,) = world.rows(select(draws).where(draws.c.design == "prediction"))
    assert {(row.draw_id, row.model_id, row.quota) for row in rows} == {(draw.id, model, 1)}
    with world.database.read() as connection:
        assert facts.get(connection, "needed", "") == "400"
        assert decoys.available(connection, world.project) == 0
        assert decoys.round_progress(connection, model) == decoys.Round(200, 0)


def test_items_that_were_learned_from_or_known_or_taken_out_are_never_asked_about(make_world, tmp_path):
    (tmp_path / "gold.csv").write_text("item,label\nt0,c0\n")
    world = make_world(12, gold=tmp_path / "gold.csv", gold_share=0.0)
    ann = world.annotator("ann")
    learned = {world.give(ann)["task"] for _ in range(4)}
    learned = {row.item_id for row in world.rows(select(tasks).where(tasks.c.id.in_(learned)))}
    out = max(set(range(2, 13)) - learned)
    kept = min(learned)
    world.model(aside={kept})
    removing.remove(world.database, [f"t{out - 1}"], "", NOW)
    with world.database.read() as connection:
        left = decoys.available(connection, world.project)
    assert left == 12 - 4 + 1 - 1 - 1, "without those learned from but one kept aside, the known one and the one out"
    ask(world, left)
    found = {row.item_id for row in asked(world)}
    assert kept in found
    assert not found & ((learned - {kept}) | {1, out})


def test_items_kept_aside_come_first_and_are_all_there_is_when_questions_are_adaptive(make_world):
    world = make_world(30)
    world.model(aside=range(1, 11))
    ask(world, 6)
    assert {row.item_id for row in asked(world)} <= set(range(1, 11))
    ask(world, 8)
    assert Counter(row.item_id <= 10 for row in asked(world)) == {True: 10, False: 4}
    chosen = make_world(30, mechanism="adaptive")
    chosen.model(aside=range(1, 11))
    with pytest.raises(ProjectError, match="only 10 items"):
        ask(chosen, 11)


def test_every_other_of_the_next_questions_judges_and_nothing_tells_them_apart(make_world):
    world = make_world(80, gold_share=0.0)
    ann = world.annotator("ann")
    for _ in range(10):
        world.give(ann)
    world.model()
    ask(world, 20)
    judging = {row.id for row in asked(world)}
    seen = [world.claim(ann) for _ in range(40)]
    assert sum(one["task"] in judging for one in seen) >= 19
    assert 5 <= sum(one["task"] in judging for one in seen[:20]) <= 15
    assert {frozenset(set(one) - {"guess"}) for one in seen} == {frozenset(set(seen[0]) - {"guess"})}


def test_after_a_training_untouched_questions_ask_about_the_new_model(make_world):
    world = make_world(20, gold_share=0.0)
    ann = world.annotator("ann")
    first = world.model(aside=range(1, 11))
    ask(world, 12)
    held = world.claim(ann)["task"]
    while not any(row.id == held for row in asked(world)):
        held = world.claim(ann)["task"]
    before = {row.id: row for row in asked(world)}
    learned = next(row for row in before.values() if row.item_id > 10 and row.id != held)
    (uniform,) = world.rows(select(tasks).where(tasks.c.item_id == learned.item_id, tasks.c.design == "uniform"))
    me = world.person("ann")

    def answer(connection):
        connection.execute(
            insert(events).values(client_id="x", person_id=me, kind="answer", task_id=uniform.id, at=NOW)
        )

    world.database.write(answer)
    second = world.model(aside=range(1, 11), label=lambda item: (item + 1) % 5)
    count = world.database.write(lambda connection: decoys.renew(connection, world.project, NOW))
    after = {row.id: row for row in asked(world)}
    assert after[held] == before[held], "what is on a screen stays as it is"
    assert (after[learned.id].quota, after[learned.id].free) == (0, 0), "nobody is asked about what was learned from"
    fresh = [row for row in after.values() if row.id not in (held, learned.id)]
    assert count == len(fresh) == 10
    assert all(row.model_id == second and row.predicted == (row.item_id + 1) % 5 for row in fresh)
    assert all(row.predicted in read_subset(row.subset) for row in fresh)
    assert after[held].model_id == first
    with world.database.read() as connection:
        assert facts.get(connection, "needed", "") == str(20 + 11)
        assert claims.is_paused(connection) is False
    assert [problem for problem in audit(world.database) if problem.startswith("task")] == []


def test_a_round_draws_the_same_questions_from_the_same_seed(make_world):
    worlds = [make_world(15) for _ in range(2)]
    for world in worlds:
        world.model()
        ask(world, 9)
    assert np.array_equal(*[[(row.item_id, row.subset) for row in asked(world)] for world in worlds])
