"""The routes of the page: codes, reasons, replays, and that a refused request stores nothing."""

import uuid

import pytest
from sqlalchemy import func, select

from oneof.annotation.asking import managing
from oneof.annotation.store.schema import claims, events

without_postgresql = pytest.mark.parametrize("backend", ["sqlite"])


def stored(world, table=events):
    return world.rows(select(func.count()).select_from(table))[0][0]


def test_health(world):
    browser = world.browser()
    assert browser.get("/healthz").json() == {"status": "ok", "project": "test"}


def test_a_claim_is_one_question_or_a_list(world):
    ann = world.annotator("ann")
    one = ann.post("/api/claim").json()
    assert one["guidelines_version"] == 1
    assert one["progress"]["project"]["needed"] == 20
    some = ann.post("/api/claim", json={"count": 3}).json()
    assert len({one["task"], *(task["task"] for task in some["tasks"])}) == 4
    assert set(some) == {"tasks", "progress", "guidelines_version"}


def test_an_empty_reply_tells_why(make_world):
    world = make_world(1)
    ann, bob = world.annotator("ann"), world.annotator("bob")

    def reason(client):
        reply = client.post("/api/claim", json={})
        assert (reply.status_code, reply.content) == (204, b"")
        return reply.headers["x-oneof-reason"]

    task = world.claim(ann)["task"]
    assert reason(bob) == "held"
    managing.set_paused(world.database, None, True, world.clock())
    assert reason(bob) == "paused"
    assert bob.get("/api/progress").json()["reason"] == "paused"
    managing.set_paused(world.database, None, False, world.clock())
    assert bob.get("/api/progress").json()["reason"] is None
    assert ann.post("/api/answers", json=world.body(task)).status_code == 201
    assert reason(ann) == reason(bob) == "done"


def test_an_answer_is_new_once(world):
    ann = world.annotator("ann")
    body = world.body(world.claim(ann)["task"], "no", reason="too dark")
    first = ann.post("/api/answers", json=body)
    again = ann.post("/api/answers", json=body | {"answer": "yes"})
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == first.json()
    assert (again.json()["answer"], again.json()["reason"]) == ("no", "too dark")
    assert stored(world) == 1
    # The same question under another id has its answer already.
    assert ann.post("/api/answers", json=body | {"id": str(uuid.uuid4())}).status_code == 409
    assert stored(world) == 1


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/answers", {"task": "1"}),
        ("/api/answers", {"seconds": "1"}),
        ("/api/answers", {"answer": True}),
        ("/api/answers", {"guidelines_version": 2}),
        ("/api/flags", {"id": str(uuid.uuid4()), "task": 1, "comment": 5}),
        ("/api/flags", {"id": str(uuid.uuid4()), "task": 1, "comment": ""}),
        ("/api/undo", {"id": 1}),
        ("/api/redo", {"id": str(uuid.uuid4()), "answer_id": "last"}),
        ("/api/release", {"tasks": ["1"]}),
        ("/api/release", {"tasks": 1}),
        ("/api/claim", {"count": "1"}),
        ("/api/claim", {"count": 1, "everything": True}),
    ],
)
@without_postgresql
def test_a_wrong_type_is_422_and_stores_nothing(world, path, body):
    ann = world.annotator("ann")
    task = world.claim(ann)["task"]
    sent = world.body(task) | body if path == "/api/answers" else body
    reply = ann.post(path, json=sent)
    assert reply.status_code == 422
    assert isinstance(reply.json()["detail"], str)
    assert stored(world) == 0
    assert world.rows(select(claims.c.state)) == [("held",)]


@without_postgresql
def test_the_reply_does_not_send_the_input_back(world):
    reply = world.annotator("ann").post("/api/release", content=b'{"tasks": ["<b>secret</b>"]}')
    assert reply.status_code == 422
    assert "tasks.0" in reply.json()["detail"]
    assert "secret" not in reply.text


@pytest.mark.parametrize(("epsilon", "private", "code"), [(1.0, True, 201), (1.0, False, 422), (1.0, None, 201)])
@without_postgresql
def test_a_private_project_takes_flipped_answers_only(make_world, epsilon, private, code):
    """One that says it was not flipped would be corrected for a coin that nobody threw."""
    world = make_world(3, epsilon=epsilon)
    ann = world.annotator("ann")
    assert ann.post("/api/answers", json=world.body(world.claim(ann)["task"], private=private)).status_code == code
    assert stored(world) == (code == 201)


@without_postgresql
def test_an_open_project_takes_no_flipped_answer(world):
    ann = world.annotator("ann")
    assert ann.post("/api/answers", json=world.body(world.claim(ann)["task"], private=True)).status_code == 422
    assert stored(world) == 0


def test_undo_holds_the_question_again_and_redo_lets_the_answer_stand(world):
    ann = world.annotator("ann")
    given = world.give(ann, "no")
    undone = world.step(ann, "undo").json()
    assert (undone["task"]["task"], undone["answer"], undone["undone"]) == (given["task"], "no", given["id"])
    assert undone["progress"]["mine"]["answered"] == 0
    redone = world.step(ann, "redo").json()
    assert (redone["task"], redone["answer"], redone["redone"]) == (given["task"], "no", given["id"])
    assert redone["progress"]["mine"]["answered"] == 1
    assert world.step(ann, "redo").status_code == 409
    assert world.step(ann, "undo", answer_id=str(uuid.uuid4())).status_code == 404


def test_a_flag_is_kept_once_and_only_about_what_was_asked(world):
    ann, bob = world.annotator("ann"), world.annotator("bob")
    body = {"id": str(uuid.uuid4()), "task": world.claim(ann)["task"], "comment": "two cats"}
    assert [ann.post("/api/flags", json=body).status_code for _ in range(2)] == [201, 200]
    assert stored(world) == 1
    assert bob.post("/api/flags", json=body).status_code == 404
    assert stored(world) == 1


def test_only_what_one_holds_is_released(world):
    ann, bob = world.annotator("ann"), world.annotator("bob")
    mine, theirs = world.claim(ann)["task"], world.claim(bob)["task"]
    plain = {"Content-Type": "text/plain"}
    reply = ann.post("/api/release", content=f'{{"tasks": [{mine}, {theirs}, 9999]}}', headers=plain)
    assert reply.json() == {"released": 1}
    assert dict(world.rows(select(claims.c.task_id, claims.c.state))) == {mine: "returned", theirs: "held"}


@pytest.mark.parametrize(("limit", "shown"), [(2, 2), (0, 1), (-5, 1), (10**30, 3)])
@without_postgresql
def test_the_history_takes_any_limit(world, limit, shown):
    ann = world.annotator("ann")
    for _ in range(3):
        world.give(ann)
    assert len(ann.get("/api/history", params={"limit": limit}).json()["answers"]) == shown
