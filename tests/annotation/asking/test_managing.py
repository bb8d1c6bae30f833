"""The manager's hand: pause, reassign, withdraw, revoke; nothing is deleted and everything still adds up."""

import pytest
from sqlalchemy import func, select

from oneof.annotation.asking import managing
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.store.auditing import audit
from oneof.annotation.store.schema import events


def test_item_21_pause_and_resume(world):
    ann = world.annotator("ann")
    task = world.claim(ann)["task"]
    managing.set_paused(world.database, None, True, world.clock())
    nothing = ann.post("/api/claim", json={})
    assert (nothing.status_code, nothing.headers["x-oneof-reason"]) == (204, "paused")
    assert ann.get("/api/progress").json()["reason"] == "paused"
    # What is on the screen may still be answered.
    assert ann.post("/api/answers", json=world.body(task)).status_code == 201
    managing.set_paused(world.database, None, False, world.clock())
    assert ann.post("/api/claim", json={}).status_code == 200


def test_item_21_one_annotator_can_be_paused(world):
    ann, bob = world.annotator("ann"), world.annotator("bob")
    managing.set_paused(world.database, "ann", True, world.clock())
    assert ann.post("/api/claim", json={}).headers["x-oneof-reason"] == "paused"
    assert bob.post("/api/claim", json={}).status_code == 200


def test_item_21_held_questions_can_be_reassigned_to_anybody(make_world):
    world = make_world(2)
    ann, bob = world.annotator("ann"), world.annotator("bob")
    held = [world.claim(ann)["task"] for _ in range(2)]
    assert managing.reassign(world.database, "ann", world.clock()) == 2
    assert sorted(world.claim(bob)["task"] for _ in range(2)) == sorted(held)
    assert audit(world.database) == []


def test_item_21_held_questions_can_be_reassigned_to_somebody(make_world):
    world = make_world(10)
    ann, bob, eve = (world.annotator(name) for name in ("ann", "bob", "eve"))
    held = {world.claim(ann)["task"] for _ in range(2)}
    assert managing.reassign(world.database, "ann", world.clock(), to="eve") == 2
    assert not held & {world.claim(bob)["task"] for _ in range(3)}
    assert {world.claim(eve)["task"] for _ in range(2)} == held
    with pytest.raises(ProjectError, match="holds these questions already"):
        managing.reassign(world.database, "ann", world.clock(), to="ann")
    assert audit(world.database) == []


def test_item_21_skipped_questions_can_be_asked_of_others(make_world):
    world = make_world(3)
    ann, bob = world.annotator("ann"), world.annotator("bob")
    skipped = world.give(ann, "skip")["task"]
    world.give(ann, "yes")
    assert managing.reassign(world.database, "ann", world.clock(), skipped=True) == 1
    progress = ann.get("/api/progress").json()["progress"]
    assert progress["mine"] == {"answered": 1, "skipped": 0}
    assert skipped in {world.claim(bob)["task"] for _ in range(2)}
    # Ann had it; she is not asked again.
    assert ann.post("/api/claim", json={}).status_code == 204
    assert audit(world.database) == []


def test_item_21_withdrawn_answers_stay_but_do_not_count(make_world, monkeypatch):
    monkeypatch.setattr(managing, "BATCH", 2)
    world = make_world(5)
    ann, bob = world.annotator("ann"), world.annotator("bob")
    tasks = {world.give(ann, answer)["task"] for answer in ("yes", "no", "skip", "yes", "no")}
    assert managing.withdraw(world.database, "ann", world.clock()) == 5
    assert ann.get("/api/progress").json()["progress"] == {
        "mine": {"answered": 0, "skipped": 0},
        "project": {"answered": 0, "needed": 5, "skipped": 0},
    }
    kinds = world.rows(select(events.c.kind, func.count()).group_by(events.c.kind).order_by(events.c.kind))
    assert kinds == [("answer", 5), ("withdraw", 5)]
    assert {world.give(bob)["task"] for _ in range(5)} == tasks
    assert ann.post("/api/claim", json={}).status_code == 204
    assert world.step(ann, "undo").status_code == 409
    assert ann.get("/api/history").json()["answers"] == []
    assert audit(world.database) == []


def test_unknown_names_are_named(world):
    for act in (managing.revoke, managing.withdraw, managing.reassign):
        with pytest.raises(ProjectError, match="nobody here is called 'zoe'"):
            act(world.database, "zoe", 0.0)
    with pytest.raises(ProjectError, match="zoe"):
        managing.set_paused(world.database, "zoe", True, world.clock())
