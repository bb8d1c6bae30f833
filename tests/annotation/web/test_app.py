"""The application as a whole: health, joining, the page, the description of the interface."""

import json

import httpx
import pytest
from sqlalchemy import event

from oneof.annotation.project.folder import Settings
from oneof.annotation.store.auditing import audit
from oneof.annotation.web.app import create_app


def test_item_22_health(world):
    reply = world.browser().get("/healthz")
    assert (reply.status_code, reply.json()) == (200, {"status": "ok", "project": "test"})


def test_item_13_joining_by_personal_link(world):
    browser = world.browser()
    reply = browser.get(f"/join/{world.invite('ann')}")
    assert (reply.status_code, reply.headers["location"]) == (303, "/")
    page = browser.get("/")
    boot = json.loads(page.text.split('id="boot">')[1].split("</script>")[0])
    assert boot["annotator"] == "ann"
    assert boot["guidelines"]["version"] == 1
    assert boot["epsilon"] is None
    assert boot["flip_probability"] is None


def test_without_a_link_the_page_says_so_and_asks_once_more(world):
    """Right after a link on another site a Strict cookie is held back; the second, own request brings it."""
    browser = world.browser()
    first = browser.get("/")
    assert (first.status_code, first.headers["refresh"]) == (401, "0; url=/?again=1")
    assert "personal link" in first.text
    second = browser.get("/?again=1")
    assert second.status_code == 401
    assert "refresh" not in second.headers


def test_an_admin_lands_on_the_dashboard(world):
    assert world.browser().get(f"/join/{world.admin_token}").headers["location"] == "/admin"
    assert world.admin().get("/").headers["location"] == "/admin"


def test_the_interface_is_described(world):
    paths = world.browser().get("/openapi.json").json()["paths"]
    for path in ("/healthz", "/join/{token}", "/api/claim", "/api/answers", "/api/undo", "/admin"):
        assert path in paths


def test_names_can_be_hidden(make_world):
    world = make_world(3, show_names=Settings(name="x", size=1).show_names)  # as it is unless told otherwise
    shown = world.claim(world.annotator("ann"))
    assert shown["item"] not in {"t0", "t1", "t2"}
    assert len(shown["item"]) == 24


@pytest.mark.parametrize("backend", ["sqlite"])
def test_the_static_files_are_fresh_and_typed(world):
    browser = world.browser()
    style = browser.get("/static/dashboard.css")
    assert style.headers["content-type"].startswith("text/css")
    assert style.headers["cache-control"] == "no-cache"
    assert browser.get("/static/annotate.js").headers["content-type"].startswith("text/javascript")


def page_of(reply):
    return reply.status_code, 'href="/"' in reply.text, reply.headers["content-type"].startswith("text/html")


@pytest.mark.parametrize("backend", ["sqlite"])
def test_every_error_page_leads_back(world, backend):
    ann = world.annotator("ann")
    assert page_of(ann.get("/nothing")) == (404, True, True)
    assert page_of(ann.get("/admin")) == (403, True, True)
    assert page_of(world.browser().get("/join/wrong")) == (403, True, True)
    assert page_of(world.browser().get("/")) == (401, True, True)
    assert page_of(world.admin().get("/admin/items/999")) == (404, True, True)


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.mark.parametrize("backend", ["sqlite"])
@pytest.mark.anyio
async def test_a_mistake_of_ours_is_a_page_for_people_and_json_for_scripts(world, backend):
    app = create_app(world.project, world.database)

    def fail():
        raise RuntimeError("secret detail")

    for path in ("/fails", "/api/fails"):
        app.add_api_route(path, fail)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://server") as client:
        page, data = await client.get("/fails"), await client.get("/api/fails")
    assert page_of(page) == (500, True, True)
    assert "Answers that were saved are safe" in page.text
    assert (data.status_code, "The server made a mistake" in data.json()["detail"]) == (500, True)
    assert "secret" not in page.text + data.text


@pytest.mark.parametrize("backend", ["sqlite"])
def test_no_answer_is_acknowledged_once_the_project_was_deleted_under_the_server(world, backend, caplog):
    """What is written into a deleted file is lost: the page must keep the answer, and does after a 503."""
    ann = world.annotator("ann")
    task = world.claim(ann)["task"]
    kept = world.project.folder.with_name("kept")
    world.project.folder.rename(kept)
    refused = ann.post("/api/answers", json=world.body(task))
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "10")
    assert ann.get("/healthz").status_code == 503
    assert "was deleted" in caplog.text
    kept.rename(world.project.folder)
    assert ann.post("/api/answers", json=world.body(task)).status_code == 201
    copied = (world.project.folder / "project.sqlite").read_bytes()
    (world.project.folder / "project.sqlite").unlink()
    (world.project.folder / "project.sqlite").write_bytes(copied)
    assert ann.post("/api/claim", json={}).status_code == 503, "another file: restart the server"


@pytest.mark.parametrize("backend", ["sqlite"])
def test_a_full_disk_refuses_and_recovers(world, backend):
    ann = world.annotator("ann")
    task = world.claim(ann)["task"]

    def limit(connection, record, proxy):
        connection.execute(f"PRAGMA max_page_count = {pages}")

    with world.database.read() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
    event.listen(world.database.engine, "checkout", limit)
    refused = None
    while refused is None:
        skip = ann.post("/api/answers", json=world.body(task, "skip", reason="x" * 900))
        step = world.step(ann, "undo") if skip.status_code == 201 else skip
        refused = step if step.status_code != 200 else None
    assert refused.status_code == 503, "no page can be added any more"
    assert "disk of the server is full" in refused.json()["detail"]
    pages = 10**6
    assert world.give(ann)["answer"] == "yes"
    assert audit(world.database) == []


@pytest.mark.parametrize("backend", ["sqlite"])
def test_a_clock_that_is_set_back_stops_nobody(world, backend):
    ann, bob = world.annotator("ann"), world.annotator("bob")
    first = world.give(ann)
    held = world.claim(ann)["task"]
    world.clock.ahead = -86_400
    assert ann.post("/api/answers", json=world.body(held)).status_code == 201
    assert world.give(bob)["task"] not in (first["task"], held)
    assert world.step(ann, "undo").status_code == 200
    assert world.admin().get("/admin").status_code == 200
    assert audit(world.database) == []
