"""Looking through the items."""

import pytest
from sqlalchemy import insert, select

from oneof.annotation.asking.questions import read_subset
from oneof.annotation.learning import catalogue
from oneof.annotation.store.schema import items, models, predictions, tasks


def shown(world, show, **more):
    with world.database.read() as connection:
        return [one["name"] for one in catalogue.listed(connection, world.project, show, **more).items]


def test_each_filter_lets_through_what_it_says(make_world):
    world = make_world(items=6, overlap=2)
    ann, bob = world.annotator("ann"), world.annotator("bob")
    names = {row.id: row.name for row in world.rows(select(tasks.c.id, items.c.name).join(items))}
    given = {}
    for client in (ann, bob):
        for turn in range(2):
            task = world.claim(client)["task"]
            answer = "skip" if (client, turn) == (ann, 1) else "yes" if client is ann else "no"
            client.post("/api/answers", json=world.body(task, answer))
            given.setdefault(names[task], []).append(answer)
    held = world.claim(ann)["task"]
    ann.post("/api/flags", json={"id": world.body(held)["id"], "task": held, "comment": "odd"})
    assert set(shown(world, "all")) == set(names.values())
    assert set(shown(world, "unanswered")) == set(names.values()) - set(given)
    assert shown(world, "skipped") == [name for name, said in sorted(given.items()) if "skip" in said]
    assert shown(world, "flagged") == [names[held]]
    assert shown(world, "disagreeing") == sorted(name for name, said in given.items() if {"yes", "no"} <= set(said))
    assert shown(world, "gold") == []


def test_predictions_that_are_unsure_or_against_the_answers(make_world):
    world = make_world(items=4)
    ann = world.annotator("ann")
    task = world.claim(ann)["task"]
    ann.post("/api/answers", json=world.body(task, "yes"))
    row = world.rows(select(tasks.c.item_id, tasks.c.subset).where(tasks.c.id == task))[0]
    inside = read_subset(row.subset)
    outside = next(label for label in range(5) if label not in inside)
    model = {"trained_at": 0.0, "last_event": 0, "answers": 2, "held_out": 0}
    world.database.write(lambda c: c.execute(insert(models), [model, model]))
    values = [
        {"model_id": number, "item_id": row.item_id, "label": label, "held_out": False, "confidence": confidence}
        for number, label, confidence in ((1, outside, 0.3), (2, inside[0], 0.9))
    ]
    world.database.write(lambda c: c.execute(insert(predictions), values))
    assert shown(world, "unsure") == []
    assert shown(world, "against") == []
    world.database.write(lambda c: c.execute(insert(models).values(model)))
    third = {"model_id": 3, "item_id": row.item_id, "label": outside, "held_out": False, "confidence": 0.3}
    world.database.write(lambda c: c.execute(insert(predictions).values(third)))
    assert shown(world, "unsure") == shown(world, "against")
    assert len(shown(world, "against")) == 1


def test_some_at_a_time_and_a_search(world):
    with world.database.read() as connection:
        first = catalogue.listed(connection, world.project, limit=12)
        rest = catalogue.listed(connection, world.project, after=first.following, limit=12)
    assert [one["name"] for one in first.items + rest.items] == [f"t{number}" for number in range(20)]
    assert rest.following is None
    assert shown(world, "all", search="number 17") == ["t17"]
    assert shown(world, "all", search="100%") == []
    with pytest.raises(ValueError, match="filter 'odd'"):
        shown(world, "odd")


def test_one_item_tells_everything(world):
    ann = world.annotator("ann")
    claimed = world.claim(ann)
    ann.post("/api/answers", json=world.body(claimed["task"], "yes", reason="sure"))
    item = world.rows(select(tasks.c.item_id).where(tasks.c.id == claimed["task"]))[0][0]
    with world.database.read() as connection:
        found = catalogue.one_item(connection, world.project, item)
        assert catalogue.one_item(connection, world.project, 999) is None
    (question,) = found["questions"]
    assert question["labels"] == sorted(one["name"] for one in claimed["labels"])
    assert [(one["name"], one["answer"]) for one in question["answers"]] == [("ann", "yes")]
    names = [one.name for one in world.project.classes]
    likely = {name for name, share in zip(names, found["evidence"], strict=True) if share > 0.4}
    assert likely == set(question["labels"])
    assert sum(found["evidence"]) == pytest.approx(1)
