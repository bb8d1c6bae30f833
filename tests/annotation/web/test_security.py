"""Hostile requests: a clear 4xx and nothing stored. Tokens are hashed, sessions end, files stay inside the project."""

import http.client
import json
import os
import uuid
from pathlib import Path

import pytest
from PIL import Image
from sqlalchemy import func, select

from oneof.annotation.asking import managing
from oneof.annotation.asking.access import digest
from oneof.annotation.store.schema import claims, events, items, metadata, people


@pytest.fixture
def backend():
    """SQLite alone: what is asked of the database here, other tests ask of PostgreSQL too."""
    return "sqlite"


def untouched(world):
    return world.rows(select(func.count()).select_from(events)) == [(0,)]


def raw(world, method, path, headers=None, body=None):
    """A request exactly as written: httpx would tidy the path."""
    connection = http.client.HTTPConnection(world.served.url.removeprefix("http://"), timeout=20)
    try:
        connection.request(method, path, body=body, headers=headers or {})
        reply = connection.getresponse()
        return reply.status, reply.read()
    finally:
        connection.close()


def cookie_of(client):
    return {"Cookie": "; ".join(f"{name}={value}" for name, value in client.cookies.items())}


@pytest.fixture
def pictures(tmp_path):
    folder = tmp_path / "pictures"
    (folder / "deep").mkdir(parents=True)
    for number, name in enumerate(["a.png", "deep/b.png", "x onerror=alert(1) '\"><b>.png", "ünïcode 猫.png"]):
        Image.new("RGB", (4, 4), (number, 0, 0)).save(folder / name)
    (tmp_path / "secret.png").write_bytes((folder / "a.png").read_bytes() + b"secret")
    os.symlink(tmp_path / "secret.png", folder / "link.png")
    return folder


def test_item_13_tokens_and_sessions_are_stored_hashed(world):
    token = world.invite("ann")
    ann = world.browser()
    ann.get(f"/join/{token}")
    (session,) = ann.cookies.values()
    with world.database.read() as connection:
        stored = str([list(connection.execute(select(table))) for table in metadata.sorted_tables])
    assert token not in stored
    assert session not in stored
    assert digest(token) in stored
    assert digest(session) in stored


def test_item_13_the_cookie_is_out_of_reach_for_scripts_and_other_sites(world):
    set_cookie = world.browser().get(f"/join/{world.invite('ann')}").headers["set-cookie"]
    assert "HttpOnly" in set_cookie
    assert "SameSite=strict" in set_cookie


def test_item_13_a_revoked_link_and_its_sessions_end(world):
    token = world.invite("ann")
    ann = world.browser()
    ann.get(f"/join/{token}")
    task = world.claim(ann)["task"]
    managing.revoke(world.database, "ann", world.clock())
    assert ann.post("/api/answers", json=world.body(task)).status_code == 401
    assert ann.get("/").status_code == 401
    assert world.browser().get(f"/join/{token}").status_code == 403
    assert untouched(world)
    # What Ann held goes to others at once.
    assert world.rows(select(claims.c.state)) == [("returned",)]


def test_item_13_a_new_link_ends_the_old_one(world):
    old = world.invite("ann")
    new = world.invite("ann")
    assert world.browser().get(f"/join/{old}").status_code == 403
    assert world.browser().get(f"/join/{new}").status_code == 303


def test_item_13_admin_and_annotators_are_apart(world):
    ann, admin = world.annotator("ann"), world.admin()
    assert ann.get("/admin").status_code == 403
    assert ann.post("/admin/pause", data={"paused": "yes"}).status_code == 403
    assert admin.get("/admin").status_code == 200
    assert admin.post("/api/claim", json={}).status_code == 403
    assert world.browser().get("/admin").status_code == 401
    assert world.browser().get("/admin", params={"token": "wrong"}).status_code == 403
    assert world.browser().get("/admin", params={"token": world.admin_token}).status_code == 303


def test_a_session_runs_out(make_world):
    world = make_world(3, session_days=1)
    ann = world.annotator("ann")
    world.clock.ahead = 86_401
    assert ann.post("/api/claim", json={}).status_code == 401


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "http://127.0.0.1:1"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": "text/plain"},
    ],
)
def test_item_13_forged_posts_are_refused(make_world, headers):
    world = make_world(3)
    ann = world.annotator("ann")
    body = json.dumps(world.body(world.claim(ann)["task"]))
    sent = {"Content-Type": "application/json"} | cookie_of(ann) | headers
    assert raw(world, "POST", "/api/answers", sent, body)[0] == 403
    if "Content-Type" not in headers:
        # Our own header does not help a page of another site.
        assert raw(world, "POST", "/api/answers", sent | {"X-Oneof": "1"}, body)[0] == 403
    assert untouched(world)


def test_the_pages_own_posts_are_taken(world):
    ann = world.annotator("ann")
    for headers in ({"Origin": world.served.url}, {"Sec-Fetch-Site": "same-origin"}, {}):
        assert ann.post("/api/claim", json={}, headers=headers).status_code == 200
    plain = {"Content-Type": "application/json"} | cookie_of(ann)
    assert raw(world, "POST", "/api/claim", plain, "{}")[0] == 200


def test_a_tab_of_one_annotator_does_not_speak_for_another(world):
    ann, bob = world.annotator("ann"), world.annotator("bob")
    owner = json.loads(ann.get("/").text.split('id="boot">')[1].split("</script>")[0])["owner"]
    assert ann.post("/api/claim", json={}, headers={"X-Oneof-Owner": owner}).status_code == 200
    assert bob.post("/api/claim", json={}, headers={"X-Oneof-Owner": owner}).status_code == 401


@pytest.mark.parametrize(
    "change",
    [
        {"id": "not-a-uuid"},
        {"id": 7},
        {"id": None},
        {"task": "1"},
        {"task": 1.5},
        {"task": -1},
        {"task": 2**63},
        {"task": True},
        {"answer": "maybe"},
        {"answer": 1},
        {"answer": None},
        {"seconds": "1"},
        {"seconds": -1},
        {"seconds": 1e300},
        {"reason": 5},
        {"reason": "x" * 2001},
        {"reason": "zero \x00 byte"},
        {"reason": "\ud800"},
        {"private": "yes"},
        {"guidelines_version": 0},
        {"annotator": "bob"},
        {"flip": 0.0},
    ],
)
def test_wrong_types_are_refused(make_world, change):
    world = make_world(3)
    ann = world.annotator("ann")
    body = json.dumps(world.body(world.claim(ann)["task"]) | change)
    reply = ann.post("/api/answers", content=body, headers={"Content-Type": "application/json"})
    assert reply.status_code == 422
    assert next(iter(change)) in reply.json()["detail"]
    assert untouched(world)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/answers", b""),
        ("/api/answers", b"{"),
        ("/api/answers", b"[]"),
        ("/api/answers", b"null"),
        ("/api/answers", b'{"seconds": NaN, "id": Infinity}'),
        ("/api/answers", b"[" * 60_000),
        ("/api/answers", b"\xff\xfe\x00"),
        ("/api/claim", b'{"count": 99}'),
        ("/api/claim", b'{"exclude": "all"}'),
        ("/api/release", b""),
        ("/api/release", b'{"tasks": [1, "2"]}'),
        ("/api/release", b"[" * 60_000),
        ("/api/undo", b"{}"),
        ("/api/redo", b'{"id": "x"}'),
        ("/api/flags", b'{"id": "x", "task": 1}'),
    ],
)
def test_broken_bodies_are_refused(make_world, path, body):
    world = make_world(3)
    ann = world.annotator("ann")
    reply = ann.post(path, content=body, headers={"Content-Type": "application/json"})
    assert reply.status_code in (400, 422)
    assert reply.json()["detail"]
    assert untouched(world)
    assert world.rows(select(func.count()).select_from(claims)) == [(0,)]


def test_oversized_bodies_are_refused(world):
    ann = world.annotator("ann")
    large = json.dumps(world.body(world.claim(ann)["task"], reason="x" * 70_000))
    assert ann.post("/api/answers", content=large).status_code == 413

    def in_pieces():
        for _ in range(70):
            yield b"x" * 1024

    # Without a length the pieces are counted as they come.
    assert ann.post("/api/answers", content=in_pieces()).status_code == 413
    assert untouched(world)


@pytest.mark.parametrize(
    "path",
    [
        "/items/../../../../etc/passwd",
        "/items/..%2f..%2fproject.toml",
        "/items/%2e%2e/%2e%2e/etc/passwd",
        "/items//etc/passwd",
        "/items/a.png",
        "/items/deep/b.png",
        "/items/1",
        "/items/%00",
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e/schema.py",
        "/examples/-1",
        "/examples/999",
        "/examples/..%2fproject.toml",
        "/examples/0",
    ],
)
def test_no_path_leads_outside_the_project(make_world, pictures, path):
    world = make_world(pictures)
    status, body = raw(world, "GET", path, cookie_of(world.annotator("ann")))
    assert status in (404, 422)
    assert b"root:" not in body
    assert b"import" not in body


def test_item_09_hostile_names_are_served_by_key_and_links_outside_are_not_taken(make_world, pictures):
    world = make_world(pictures)
    ann = world.annotator("ann")
    shown = [world.claim(ann) for _ in range(4)]
    assert {one["item"] for one in shown} == {
        "a.png",
        "deep/b.png",
        "x onerror=alert(1) '\"><b>.png",
        "ünïcode 猫.png",
    }
    for one in shown:
        assert one["kind"] == "image"
        reply = ann.get(one["content_url"])
        assert reply.content == (pictures / one["item"]).read_bytes()
        assert reply.headers["content-type"] == "image/png"
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["content-security-policy"] == "default-src 'none'"
    assert world.browser().get(shown[0]["content_url"]).status_code == 401


def test_a_file_that_became_a_link_outside_is_not_served(make_world, pictures):
    world = make_world(pictures)
    ann = world.annotator("ann")
    shown = next(one for one in (world.claim(ann) for _ in range(4)) if one["item"] == "a.png")
    (pictures / "a.png").unlink()
    os.symlink(pictures.parent / "secret.png", pictures / "a.png")
    assert ann.get(shown["content_url"]).status_code == 404


def test_item_09_hostile_text_reaches_the_page_as_data_only(make_world, tmp_path):
    table = tmp_path / "hostile.jsonl"
    text = "<script>alert(1)</script> \u202eרטל</textarea>"
    table.write_text(json.dumps({"id": "</script><b>", "text": text}) + "\n")
    world = make_world(table)
    ann = world.annotator("ann")
    shown = world.claim(ann)
    assert (shown["kind"], shown["text"], shown["item"]) == ("text", text, "</script><b>")
    page = ann.get("/")
    assert "alert(1)" not in page.text
    policy = page.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    reply = ann.post("/api/claim", json={"resume": True})
    assert reply.headers["content-type"] == "application/json"


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", 'o\'neil "quoted"', "猫", "x" * 200])
def test_hostile_annotator_names_are_shown_never_run(make_world, name):
    world = make_world(3)
    page = world.annotator(name).get("/").text
    assert "<script>alert" not in page
    assert "<script>alert" not in world.admin().get("/admin").text


@pytest.mark.parametrize("name", ["", "   ", "x" * 201, "line\nbreak", "zero\x00", "\u202e"])
def test_impossible_names_are_refused(make_world, name):
    world = make_world(3)
    with pytest.raises(ValueError, match="printable"):
        world.invite(name)
    assert world.rows(select(func.count()).select_from(people).where(people.c.role == "annotator")) == [(0,)]


def test_every_page_forbids_framing_and_foreign_scripts(world):
    for reply in (world.browser().get("/"), world.annotator("ann").get("/"), world.browser().get("/healthz")):
        assert "frame-ancestors 'none'" in reply.headers["content-security-policy"]
        assert reply.headers["referrer-policy"] == "same-origin"


def test_unknown_addresses_and_methods(world):
    browser = world.browser()
    assert browser.get("/nothing").status_code == 404
    assert browser.get("/api/answers").status_code == 405
    assert browser.post("/api/claim", json={}).status_code == 401
    assert browser.get("/join/" + "x" * 5000).status_code == 403
    assert browser.get(f"/join/{uuid.uuid4()}").status_code == 403
    assert browser.get("/docs").status_code == 404


def test_nothing_of_the_project_folder_is_public(world):
    for path in Path(world.project.folder).iterdir():
        assert world.browser().get(f"/{path.name}").status_code == 404
    assert world.rows(select(func.count()).select_from(items)) == [(20,)]
