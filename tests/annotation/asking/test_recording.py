"""Answers, undo, redo and flags: append-only, exactly once, and the current answer is derived."""

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import delete, func, select, update
from sqlalchemy.exc import DBAPIError

from oneof.annotation.store.auditing import audit, replay
from oneof.annotation.store.schema import claims, events


def count_events(world, kind="answer"):
    return world.rows(select(func.count()).select_from(events).where(events.c.kind == kind))[0][0]


def test_item_01_one_request_answers_and_says_how_things_stand(world):
    ann = world.annotator("ann")
    row = world.give(ann, "yes")
    assert row["answer"] == "yes"
    assert row["progress"] == {
        "mine": {"answered": 1, "skipped": 0},
        "project": {"answered": 1, "needed": 20, "skipped": 0},
    }


def test_item_02_undo_and_redo_over_several_steps(world):
    ann = world.annotator("ann")
    rows = [world.give(ann, answer) for answer in ("yes", "no", "skip")]
    undone = [world.step(ann, "undo").json() for _ in rows]
    assert [one["undone"] for one in undone] == [row["id"] for row in reversed(rows)]
    assert [one["task"]["task"] for one in undone] == [row["task"] for row in reversed(rows)]
    assert undone[-1]["progress"]["mine"] == {"answered": 0, "skipped": 0}
    assert world.step(ann, "undo").status_code == 409
    redone = [world.step(ann, "redo").json() for _ in rows]
    assert [one["redone"] for one in redone] == [row["id"] for row in rows]
    assert redone[-1]["progress"]["mine"] == {"answered": 2, "skipped": 1}
    assert world.step(ann, "redo").status_code == 409
    again = [world.step(ann, "undo").json()["undone"] for _ in rows]
    assert again == [row["id"] for row in reversed(rows)], "what came back can be taken back again"
    assert audit(world.database) == []


def test_item_02_undo_survives_a_reload(world):
    """A new session of the same annotator undoes what an earlier one answered."""
    token = world.invite("ann")
    first, second = world.browser(), world.browser()
    first.get(f"/join/{token}")
    rows = [world.give(first, "yes") for _ in range(2)]
    second.get(f"/join/{token}")
    assert second.get("/api/history").json()["can_undo"] is True
    assert [world.step(second, "undo").json()["undone"] for _ in rows] == [row["id"] for row in reversed(rows)]
    held = [one["task"] for one in world.claim(second, resume=True, count=1)["tasks"]]
    assert held == [row["task"] for row in rows]


def test_item_02_an_undone_question_can_be_answered_otherwise_and_others_still_redone(world):
    ann = world.annotator("ann")
    first, second = world.give(ann, "yes"), world.give(ann, "yes")
    world.step(ann, "undo")
    world.step(ann, "undo")
    changed = ann.post("/api/answers", json=world.body(first["task"], "no"))
    assert changed.status_code == 201
    assert world.step(ann, "redo").json()["redone"] == second["id"]
    assert world.step(ann, "redo").status_code == 409
    stands = {row["task"]: row["answer"] for row in ann.get("/api/history").json()["answers"]}
    assert stands == {first["task"]: "no", second["task"]: "yes"}
    assert audit(world.database) == []


def test_undo_of_a_given_answer_and_its_replay(world):
    ann = world.annotator("ann")
    first, second = world.give(ann), world.give(ann)
    wanted = {"id": str(uuid.uuid4()), "answer_id": first["id"]}
    for _ in range(2):
        assert ann.post("/api/undo", json=wanted).json()["undone"] == first["id"]
    assert count_events(world, "undo") == 1
    assert world.step(ann, "undo", answer_id=first["id"]).status_code == 409
    assert world.step(ann, "undo", answer_id=str(uuid.uuid4())).status_code == 404
    # The stack passes over what was undone out of turn.
    assert world.step(ann, "undo").json()["undone"] == second["id"]
    assert world.step(ann, "redo", answer_id=first["id"]).json()["redone"] == first["id"]
    assert audit(world.database) == []


def test_an_undone_answer_whose_place_went_to_another_is_redone_beyond_the_quota(make_world):
    world = make_world(1, claim_seconds=60)
    ann, bob = world.annotator("ann"), world.annotator("bob")
    world.give(ann, "yes")
    world.step(ann, "undo")
    world.clock.ahead = 61
    world.give(bob, "no")
    assert world.step(ann, "redo").json()["progress"]["project"]["answered"] == 1
    assert audit(world.database) == []


def test_item_03_cannot_tell_is_its_own_value_with_a_reason(world):
    ann = world.annotator("ann")
    row = world.give(ann, "skip", reason="too blurred")
    assert (row["answer"], row["reason"]) == ("skip", "too blurred")
    assert row["progress"]["project"] == {"answered": 0, "needed": 20, "skipped": 1}
    assert world.rows(select(events.c.answer, events.c.comment)) == [("skip", "too blurred")]


def test_item_11_flags_keep_the_comment_once(world):
    ann = world.annotator("ann")
    body = {"id": str(uuid.uuid4()), "task": world.claim(ann)["task"], "comment": "<script>alert(1)</script>"}
    assert [ann.post("/api/flags", json=body).status_code for _ in range(2)] == [201, 200]
    assert world.rows(select(events.c.comment).where(events.c.kind == "flag")) == [(body["comment"],)]
    page = world.admin().get("/admin/review").text
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert(1)" not in page
    unasked = {"id": str(uuid.uuid4()), "task": 19, "comment": "?"}
    assert world.annotator("bob").post("/api/flags", json=unasked).status_code == 404


def test_g3_a_replay_returns_the_stored_row(world):
    ann = world.annotator("ann")
    body = world.body(world.claim(ann)["task"], "no")
    first = ann.post("/api/answers", json=body)
    # Even a changed body: what counts is what was stored under this id.
    again = ann.post("/api/answers", json=body | {"answer": "yes"})
    assert (first.status_code, again.status_code) == (201, 200)
    assert {key: again.json()[key] for key in ("id", "task", "answer", "at")} == {
        key: first.json()[key] for key in ("id", "task", "answer", "at")
    }
    assert count_events(world) == 1


def test_g3_the_same_answer_sent_at_once_is_stored_once(world):
    ann = world.annotator("ann")
    body = world.body(world.claim(ann)["task"])
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda _: ann.post("/api/answers", json=body).status_code, range(8)))
    assert sorted(replies) == [200] * 7 + [201]
    assert count_events(world) == 1
    assert audit(world.database) == []


def test_g3_ids_belong_to_their_annotator(world):
    """Bob may use Ann's id without seeing or touching her answer."""
    ann, bob = world.annotator("ann"), world.annotator("bob")
    row = world.give(ann, "yes")
    task = world.claim(bob)["task"]
    own = bob.post("/api/answers", json=world.body(task, "no") | {"id": row["id"]})
    assert own.status_code == 201
    assert own.json()["task"] == task
    assert count_events(world) == 2


def test_an_id_used_for_another_kind_of_event_is_refused(world):
    ann = world.annotator("ann")
    row = world.give(ann)
    assert ann.post("/api/undo", json={"id": row["id"]}).status_code == 409
    assert count_events(world, "undo") == 0


def test_a_question_never_asked_cannot_be_answered(world):
    ann, bob = world.annotator("ann"), world.annotator("bob")
    task = world.claim(ann)["task"]
    for body in (world.body(task), world.body(10**9)):
        assert bob.post("/api/answers", json=body).status_code == 404
    assert count_events(world) == 0


@pytest.mark.parametrize("change", [update(events).values(answer="no"), delete(events)])
def test_g5_events_cannot_be_changed_or_deleted(world, change):
    world.give(world.annotator("ann"))
    with pytest.raises(DBAPIError, match="append-only"):
        world.database.write(lambda connection: connection.execute(change))
    assert count_events(world) == 1


def test_g5_undo_is_an_event_and_the_current_answer_is_derived(world):
    ann = world.annotator("ann")
    row = world.give(ann, "yes")
    world.step(ann, "undo")
    kinds = world.rows(select(events.c.kind).order_by(events.c.id))
    assert kinds == [("answer",), ("undo",)]
    with world.database.read() as connection:
        assert replay(connection) == {}
    world.step(ann, "redo")
    with world.database.read() as connection:
        assert [answer for _, answer in replay(connection).values()] == ["yes"]
    assert world.rows(select(claims.c.task_id, claims.c.answer)) == [(row["task"], "yes")]
    assert world.rows(select(func.count()).select_from(events)) == [(3,)]


def test_item_14_nobody_sees_the_answers_of_others(make_world):
    world = make_world(3, overlap=2)
    ann, bob = world.annotator("ann"), world.annotator("bob")
    row = world.give(ann, "yes")
    assert bob.get("/api/history").json() == {"answers": [], "can_undo": False, "can_redo": False}
    assert world.step(bob, "undo", answer_id=row["id"]).status_code == 404
    assert world.step(bob, "undo").status_code == 409
    shown = world.claim(bob)
    assert not {"answer", "answers", "prediction", "annotator"} & shown.keys()
    assert bob.get("/admin").status_code == 403


def test_item_08_the_version_of_the_guidelines_is_stored_with_each_answer(world):
    ann = world.annotator("ann")
    assert ann.get("/").status_code == 200
    assert world.give(ann)["guidelines"] == 1
    world.project.guidelines_file.write_text("New rules.")
    world.clock.ahead = 10
    # Ann's page still shows the first version; the reply tells it that there is a newer one.
    row = world.give(ann)
    assert (row["guidelines"], row["guidelines_version"]) == (1, 2)
    assert "New rules." in ann.get("/").text
    assert world.give(ann)["guidelines"] == 2
    assert world.give(ann, guidelines_version=1)["guidelines"] == 1
    wrong = ann.post("/api/answers", json=world.body(world.claim(ann)["task"], guidelines_version=9))
    assert wrong.status_code == 422


def test_item_06_progress_counts_skips_apart(world):
    ann, bob = world.annotator("ann"), world.annotator("bob")
    for client, answer in ((ann, "yes"), (ann, "skip"), (bob, "no")):
        world.give(client, answer)
    assert ann.get("/api/progress").json() == {
        "progress": {
            "mine": {"answered": 1, "skipped": 1},
            "project": {"answered": 2, "needed": 20, "skipped": 1},
        },
        "reason": None,
    }
