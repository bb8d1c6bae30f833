"""The API for programs: with a key, everything that the dashboard does."""

import pytest

from oneof.annotation.asking import tokens
from oneof.annotation.learning import jobs
from oneof.annotation.store.auditing import audit

without_postgresql = pytest.mark.parametrize("backend", ["sqlite"])


@pytest.fixture
def program(world):
    key = world.database.write(lambda c: tokens.make(c, world.person("admin"), "tests", 0.0))
    client = world.browser()
    del client.headers["X-Oneof"]
    client.headers["Authorization"] = f"Bearer {key}"
    return client


def test_a_project_is_run_with_a_key(world, program):
    link = program.post("/api/v1/people", json={"name": "ann"})
    assert link.status_code == 201
    ann = world.browser()
    assert ann.get(link.json()["link"]).status_code == 303
    world.give(ann)
    assert program.get("/api/v1/status").json()["answered"] == 1
    assert len(program.get("/api/v1/items", params={"show": "unanswered"}).json()["items"]) == 19
    assert program.get("/api/v1/items/1").json()["name"] == "t0"
    assert program.post("/api/v1/items/1/ask").status_code == 200
    assert program.put("/api/v1/items/1/gold", json={"label": "c2"}).json() == {"item": 1, "label": "c2"}
    assert program.get("/api/v1/review").json() == {"cases": []}
    assert len(program.get("/api/v1/answers.csv").text.splitlines()) == 2
    assert program.get("/api/v1/backup.sqlite").content.startswith(b"SQLite")
    assert program.get("/api/v1/models").json() == {"models": []}
    assert program.get("/api/v1/predictions.csv").text == "item,label,confidence,kept_aside\n"
    assert program.post("/api/v1/pause", json={"paused": True}).json() == {"paused": True}
    assert program.post("/api/v1/people/ann/pause").status_code == 200
    assert program.post("/api/v1/people/ann/withdraw").json()["count"] == 1
    assert program.post("/api/v1/people/ann/restore").json()["count"] == 1
    for action in ("remove", "restore"):
        assert program.post(f"/api/v1/items/t7/{action}").json() == {"item": "t7", "changed": True}
    assert program.patch("/api/v1/settings", json={"prefetch": 1}).json()["prefetch"] == 1
    assert program.get("/api/v1/settings").json()["size"] == 2
    assert program.put("/api/v1/guidelines", json={"text": "Look."}).status_code == 200
    actions = [one["action"] for one in program.get("/api/v1/journal").json()["entries"]]
    assert actions[0] == "guidelines"
    assert {"invite", "item-ask", "item-gold", "backup", "pause", "withdraw", "settings"} <= set(actions)
    assert audit(world.database) == []


@without_postgresql
def test_classes_change_once_that_is_confirmed(world, program):
    wanted = {"kind": "merge", "name": "c4", "into": "c1"}
    assert program.post("/api/v1/classes", json=wanted).json()["done"] is False
    assert program.get("/api/v1/classes").json()["classes"][4]["ended"] is None
    assert program.post("/api/v1/classes", json=wanted | {"confirmed": True}).json()["done"] is True
    assert program.get("/api/v1/classes").json()["classes"][4]["into"] == 1
    assert program.post("/api/v1/classes", json={"kind": "retire", "name": "c4"}).status_code == 422


@without_postgresql
def test_a_judging_round_by_number_or_width(world, program):
    assert "no model" in program.post("/api/v1/judge", json={"questions": 3}).json()["detail"]
    model = world.model()
    assert program.post("/api/v1/judge", json={"questions": 3}).json() == {"model": model, "questions": 3}
    too_many = program.post("/api/v1/judge", json={"width": 0.05})
    assert (too_many.status_code, "only 17 items are left" in too_many.json()["detail"]) == (422, True)
    assert program.post("/api/v1/judge", json={}).status_code == 422
    assert program.get("/api/v1/status").json()["model"]["round"] == {"asked": 3, "answered": 0}


def test_a_case_is_settled(make_world):
    world = make_world(items=1, overlap=2)
    for name, answer in (("ann", "yes"), ("bob", "no")):
        world.give(world.annotator(name), answer)
    admin = world.admin()
    (case,) = admin.get("/api/v1/review").json()["cases"]
    settled = admin.post("/api/v1/review", json={"task": case["task"], "answer": "yes"})
    assert settled.json() == {"task": case["task"], "overruled": 1}


@without_postgresql
def test_uploads_and_training_are_jobs(world, program, monkeypatch):
    begun = []
    monkeypatch.setattr(jobs, "start", lambda *given: begun.append(given[2]) or len(begun))
    assert program.get("/api/v1/jobs/train").status_code == 404
    sent = program.post("/api/v1/items", files={"files": ("t.csv", b"id,text\n" + b"x" * 100_000)})
    assert (sent.status_code, sent.json()) == (202, {"job": 1, "kind": "import"})
    assert program.post("/api/v1/train").json() == {"job": 2, "kind": "train"}
    assert begun == ["import", "train"]


@without_postgresql
def test_mistakes_are_told(world, program):
    for method, path, body in (
        ("POST", "/api/v1/people/zoe/pause", None),
        ("POST", "/api/v1/people", {"name": "admin"}),
        ("PUT", "/api/v1/items/1/gold", {"label": "zebra"}),
        ("POST", "/api/v1/items/99/ask", None),
        ("POST", "/api/v1/review", {"task": 1, "answer": "yes"}),
        ("PATCH", "/api/v1/settings", {"overlap": 0}),
        ("PATCH", "/api/v1/settings", {"size": 1}),
        ("PATCH", "/api/v1/settings", {"sise": 1}),
        ("GET", "/api/v1/models/9.zip", None),
    ):
        reply = program.request(method, path, json=body)
        assert reply.status_code == 422, (path, reply.text)
        assert reply.json()["detail"]


@without_postgresql
def test_without_a_key_nothing_is_shown(world, program):
    nobody = world.browser()
    assert nobody.get("/api/v1/status").status_code == 401
    assert world.annotator("ann").get("/api/v1/status").status_code == 403
    program.headers["Authorization"] = "Bearer oneof_wrong"
    assert program.get("/api/v1/status").status_code == 401
    paths = nobody.get("/openapi.json").json()["paths"]
    for path, methods in paths.items():
        if path.startswith("/api/v1/"):
            for method in methods:
                filled = (
                    path.replace("{name}", "ann")
                    .replace("{action}", "remove" if "items" in path else "pause")
                    .replace("{number}", "1")
                )
                filled = filled.replace("{kind}", "train" if "jobs" in path else "csv").replace("{version}", "1")
                assert nobody.request(method, filled, json={}).status_code == 401, path
