"""Attacks over HTTP: each is refused with a clear status, and the database is afterwards what it was before."""

import http.client
import json
import uuid
from contextlib import contextmanager

import pytest
from sqlalchemy import select

from oneof.annotation.asking import tokens
from oneof.annotation.store.schema import metadata


@pytest.fixture
def backend():
    """SQLite alone: what is asked of the database here, other tests ask of PostgreSQL too."""
    return "sqlite"


NUMBERS = (
    "0",
    "-1",
    "999999",
    str(2**63 - 1),
    str(2**63),
    str(2**200),
    "9" * 5000,
    "1.5",
    "one",
    "1%00",
    "%F0%9F%92%A3",
)
"""What stands in an address in place of the number of an item or of a person."""
LONE = '"\\ud800"'
"""Half of a surrogate pair, as JSON can write it and no UTF-8 can."""


def everything(world):
    with world.database.read() as connection:
        return {table.name: sorted(map(repr, connection.execute(select(table)))) for table in metadata.sorted_tables}


@contextmanager
def nothing_changes(world):
    """Within this block not a single row of the database changes, nor the files of the project's settings."""

    def state():
        folder = world.project.folder
        files = {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix in (".toml", ".json", ".md")}
        return everything(world), files

    before = state()
    yield
    assert state() == before


def refused(reply, *expected):
    """A refusal is one of these statuses, and says why."""
    assert reply.status_code in expected, (
        reply.request.method,
        str(reply.request.url)[:200],
        reply.status_code,
        reply.text[:500],
    )
    assert reply.text


def raw(world, method, path, headers, body=None):
    """A request exactly as written: httpx would tidy it."""
    connection = http.client.HTTPConnection(world.served.url.removeprefix("http://"), timeout=20)
    try:
        connection.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders(body)
        reply = connection.getresponse()
        return reply.status, reply.read()
    finally:
        connection.close()


def cookies(client):
    return "; ".join(f"{name}={value}" for name, value in client.cookies.items())


def test_links_and_sessions_of_another_project_or_role_open_nothing(make_world):
    here, there = make_world(3), make_world(4)
    ann, admin, stranger = there.annotator("ann"), there.admin(), here.browser()
    here.annotator("ann")
    with nothing_changes(here):
        for token in (there.admin_token, there.invite("bob"), "", "x", "%00", "%ff", "../" + here.admin_token):
            refused(stranger.get(f"/join/{token}"), 403, 404)
        # The value of a session of another project, under the name of this project's cookie.
        known = {name: client.cookies[name] for client in (ann, admin) for name in client.cookies}
        own = {
            role: here.served.server.config.app.state.site.cookie(role) for role in ("annotator", "admin", "reviewer")
        }
        for value in known.values():
            for name in own.values():
                headers = {"Cookie": f"{name}={value}"}
                refused(stranger.get("/admin", headers=headers), 401)
                refused(stranger.post("/api/claim", json={}, headers=headers), 401)
                refused(stranger.get("/api/v1/status", headers=headers), 401)
        for value in ("", "x" * 5000, "\x7f", "%00", "é"):
            headers = {"Cookie": f"{own['admin']}={value}".encode()}
            refused(stranger.get("/admin", headers=headers), 401)


def test_a_session_of_one_role_under_the_cookie_of_another_opens_nothing(world):
    ann = world.annotator("ann")
    (secret,) = ann.cookies.values()
    site = world.served.server.config.app.state.site
    with nothing_changes(world):
        for role in ("admin", "reviewer"):
            headers = {"Cookie": f"{site.cookie(role)}={secret}"}
            refused(world.browser().get("/admin/review", headers=headers), 401, 403)
            refused(world.browser().patch("/api/v1/settings", json={"name": "mine"}, headers=headers), 401, 403)


def test_keys_that_are_wrong_ended_or_of_another_kind_open_nothing(world):
    admin = world.admin()
    key = admin.post("/api/v1/keys", json={"name": "job"}).json()["key"]
    with world.database.read() as connection:
        (number,) = [one.id for one in tokens.valid(connection)]
    assert admin.delete(f"/api/v1/keys/{number}").status_code == 200
    browser = world.browser()
    with nothing_changes(world):
        for given in (
            f"Bearer {key}",
            f"Bearer {world.admin_token}",
            "Bearer",
            "Bearer x",
            "Basic YTpi",
            "x" * 5000,
            f"Token {key}",
        ):
            headers = {"Authorization": given}
            refused(browser.get("/api/v1/status", headers=headers), 401)
            refused(browser.post("/api/v1/people", json={"name": "me", "role": "admin"}, headers=headers), 401)
            refused(browser.get("/admin", headers=headers), 401)
        # A wrong key is not made good by a session that comes with it.
        refused(admin.get("/api/v1/status", headers={"Authorization": "Bearer wrong"}), 401)


def test_questions_of_others_cannot_be_answered_released_flagged_or_seen(world):
    ann, eve = world.annotator("ann"), world.annotator("eve")
    task = world.claim(ann)["task"]
    mine = world.give(ann)
    with nothing_changes(world):
        for number in (task, 999_999, 2**63 - 1):
            refused(eve.post("/api/answers", json=world.body(number)), 404)
            refused(eve.post("/api/flags", json={"id": str(uuid.uuid4()), "task": number, "comment": "x"}), 404)
        assert eve.post("/api/release", json={"tasks": [task]}).json() == {"released": 0}
        for step in ("undo", "redo"):
            refused(world.step(eve, step, answer_id=mine["id"]), 404, 409)
            refused(world.step(ann, step, answer_id=str(uuid.uuid4())), 404, 409)
        assert eve.get("/api/history").json()["answers"] == []
        # Somebody else's answer under Eve's name, and Ann's own once more with other content.
        refused(eve.post("/api/answers", json=world.body(mine["task"]) | {"id": mine["id"]}), 404, 409)
        again = ann.post("/api/answers", json=world.body(mine["task"], "no") | {"id": mine["id"]})
        assert (again.status_code, again.json()["answer"]) == (200, "yes")


def test_numbers_in_addresses_that_no_item_or_person_has(world):
    admin, ann = world.admin(), world.annotator("ann")
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    with nothing_changes(world):
        for number in NUMBERS:
            for path in (
                "/admin/items/{}",
                "/admin/people/{}",
                "/admin/model/{}.zip",
                "/api/v1/items/{}",
                "/api/v1/models/{}.zip",
            ):
                refused(admin.get(path.format(number)), 404, 422)
            for action in ("ask", "gold", "remove", "restore"):
                body = f"action={action}&label=c1&confirmed=yes"
                refused(admin.post(f"/admin/items/{number}", content=body, headers=form), 404, 422)
            refused(admin.post(f"/api/v1/items/{number}/ask"), 404, 422)
            refused(admin.put(f"/api/v1/items/{number}/gold", json={"label": "c1"}), 404, 422)
            refused(admin.delete(f"/api/v1/keys/{number}"), 404, 422)
            refused(admin.delete(f"/api/v1/webhooks/{number}"), 404, 422)
            refused(admin.get(f"/admin/items?after={number}1"), 404, 422) if number[0] in "-o%" else None
            refused(admin.post("/admin/review", content=f"task={number}&answer=yes", headers=form), 404, 422)
            refused(ann.get(f"/items/{number}"), 404)
            refused(ann.get(f"/thumbnails/{number}"), 404)
            refused(ann.get(f"/examples/{number}"), 404, 422)
            refused(ann.get(f"/api/history?limit={number}"), 422) if not number.lstrip("-").isdigit() else None
        # Whoever is not signed in gets a page that leads back to the address; whatever that holds, it is one header.
        for path in ("/me", "/guidelines/%E7%8C%AB.png", "/admin/project/answers.%0d%0aX-Evil:%201", "/me%0aX"):
            reply = world.browser().get(path)
            refused(reply, 401, 404)
            assert "x-evil" not in reply.headers
        for path in (
            "/admin/items/1",
            "/admin/people/1",
            "/api/v1/items/1",
            "/api/v1/journal",
            "/admin/project/backup.sqlite",
        ):
            refused(ann.get(path), 403)


def test_names_and_texts_that_no_database_takes(world):
    """Zero bytes, which PostgreSQL refuses, and lone surrogates, which are no text."""
    admin, ann = world.admin(), world.annotator("ann")
    task = world.claim(ann)["task"]
    json_type, form_type = ({"Content-Type": f"application/{kind}"} for kind in ("json", "x-www-form-urlencoded"))
    new = str(uuid.uuid4())
    with nothing_changes(world):
        for text in (LONE, '"a\\u0000b"'):
            for method, path, body in (
                ("POST", "/api/v1/people", '{"name": %s}'),
                ("POST", "/api/v1/people", '{%s: "name"}'),
                ("PATCH", "/api/v1/settings", '{"name": %s}'),
                ("PATCH", "/api/v1/settings", '{"question": %s}'),
                ("PATCH", "/api/v1/settings", "{%s: 1}"),
                ("PUT", "/api/v1/guidelines", '{"text": %s}'),
                ("POST", "/api/v1/keys", '{"name": %s}'),
                ("POST", "/api/v1/webhooks", '{"url": %s}'),
                ("POST", "/api/v1/classes", '{"kind": "add", "name": %s, "confirmed": true}'),
                ("POST", "/api/v1/classes", '{"kind": "add", "name": "n", "definition": %s, "confirmed": true}'),
                ("POST", "/api/v1/classes", '{"kind": "rename", "name": "c1", "to": %s, "confirmed": true}'),
                ("POST", "/api/v1/classes", '{"kind": "merge", "name": "c1", "into": %s, "confirmed": true}'),
                ("POST", "/api/v1/review", '{"task": 1, "answer": "accept", "note": %s}'),
                ("PUT", "/api/v1/items/1/gold", '{"label": %s}'),
            ):
                refused(admin.request(method, path, content=body % text, headers=json_type), 404, 409, 422)
            for path, body in (
                ("/api/answers", '{"id": "%s", "task": %d, "answer": "skip", "seconds": 1, "reason": %s}'),
                ("/api/flags", '{"id": "%s", "task": %d, "comment": %s}'),
                ("/api/flags", '{"id": "%s", "task": %d, "comment": "x", %s: 1}'),
            ):
                refused(ann.post(path, content=body % (new, task, text), headers=json_type), 422)
        for path, body in (
            ("/admin/people/invite", "name=a%00b"),
            ("/admin/people/act", "action=pause&name=a%00"),
            ("/admin/project/settings", "name=a%00b"),
            ("/admin/project/guidelines", "text=a%00b"),
            ("/admin/project/classes", "name-0=a%00b&confirmed=yes"),
            ("/admin/project/classes/add", "name=a%00b&confirmed=yes"),
            ("/admin/project/programs", "action=key&name=a%00b"),
            ("/admin/review", "task=1&answer=yes&note=%00"),
        ):
            refused(admin.post(path, content=body, headers=form_type), 422)
        for path in ("/api/v1/people/a%00b/pause", "/api/v1/items/a%00b/remove", "/api/v1/items/t1/remove?reason=%00"):
            refused(admin.post(path), 404, 422)
        refused(admin.post("/api/v1/people/ann/reassign?to=a%00b"), 404, 422)


def test_huge_bodies_wrong_types_and_broken_ones(world):
    admin, ann = world.admin(), world.annotator("ann")
    task = world.claim(ann)["task"]
    large = 5_000_000
    answer = json.dumps(world.body(task))
    with nothing_changes(world):
        refused(ann.post("/api/answers", json=world.body(task, reason="x" * large)), 413)
        refused(admin.post("/admin/project/guidelines", data={"text": "x" * large}), 413)
        refused(admin.put("/api/v1/guidelines", json={"text": "x" * large}), 413)
        refused(
            admin.put("/api/v1/guidelines", content="[" * 1_000_000, headers={"Content-Type": "application/json"}),
            400,
            422,
        )
        many = "&".join(f"name-{number}=x" for number in range(6000))
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        refused(admin.post("/admin/project/classes", content=many, headers=form), 422)
        for kind in (
            "application/xml",
            "text/plain",
            "multipart/form-data; boundary=x",
            "application/x-www-form-urlencoded",
            "?",
        ):
            refused(ann.post("/api/answers", content=answer, headers={"Content-Type": kind}), 403, 422)
            refused(admin.put("/api/v1/guidelines", content='{"text": "x"}', headers={"Content-Type": kind}), 422)
        # Without a form's own type there are no fields, which must not be taken for empty ones.
        for path in ("settings", "guidelines", "classes", "classes/add", "classes/take-back"):
            for kind in ("application/json", "multipart/form-data; boundary=x", "text/plain"):
                reply = admin.post(f"/admin/project/{path}", content='{"text": ""}', headers={"Content-Type": kind})
                refused(reply, 415)
        refused(admin.post("/admin/model/schedule", content="", headers=form), 422)
        refused(admin.post("/admin/project/guidelines", content="", headers=form), 422)
        for body in (b"", b"--x", b'--x\r\nContent-Disposition: form-data; name="files"'):
            upload = {"Content-Type": "multipart/form-data; boundary=x"}
            refused(admin.post("/admin/project/import", content=body, headers=upload), 400, 422)
            refused(admin.post("/api/v1/items", content=body, headers=upload), 400, 422)
        refused(
            admin.post("/api/v1/items", content="id,text\n1,x\n", headers={"Content-Type": "text/csv"}), 400, 415, 422
        )


def test_headers_that_no_browser_sends(world):
    ann = world.annotator("ann")
    task = world.claim(ann)["task"]
    body, address = json.dumps(world.body(task)), world.served.url.removeprefix("http://")
    plain = {"Cookie": cookies(ann), "Content-Type": "application/json", "Content-Length": str(len(body))}
    with nothing_changes(world):
        for headers in (
            {"Origin": "http://[::1"},
            {"Origin": "//"},
            {"Origin": "javascript:alert(1)"},
            {"Origin": f"http://{address}.evil.example"},
            {"Origin": f"http://evil.example/{address}"},
            {"Origin": f"http://{address}@evil.example"},
            {"Host": "evil.example", "Origin": f"http://{address}"},
        ):
            assert raw(world, "POST", "/api/answers", plain | headers, body.encode())[0] == 403, headers
        for host in ("[::1", "a b", "<script>", "a/b", "a@b", "", "x" * 300 + ":99999999"):
            for method, path in (
                ("GET", "/"),
                ("GET", f"/join/{'x' * 43}"),
                ("POST", "/api/claim"),
                ("GET", "/admin/"),
            ):
                status, text = raw(world, method, path, {"Host": host, "Cookie": cookies(ann), "X-Oneof": "1"})
                assert (status, b"<script>" in text) == (400, False), (host, method, path, status)
        for length in ("-1", "1e3", "٣", "9" * 30):
            headers = plain | {"Content-Length": length.encode()}
            assert raw(world, "POST", "/api/answers", headers)[0] in (400, 413), length


def test_methods_that_no_page_uses(world):
    ann = world.annotator("ann")
    ann.get("/")  # stores which guidelines were shown
    with nothing_changes(world):
        for method in ("OPTIONS", "TRACE", "PUT", "DELETE", "PATCH", "PROPFIND"):
            for path in ("/", "/api/answers", "/api/claim", "/admin", "/join/x", "/static/annotate.js", "/items/x"):
                headers = {"Cookie": cookies(ann), "X-Oneof": "1", "X-Secret": "reflected"}
                status, text = raw(world, method, path, headers)
                assert (status, b"reflected" in text) == (405, False), (method, path)
        upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
        upgrade |= {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Cookie": cookies(ann)}
        for path in ("/", "/api/claim", "/nowhere"):
            assert raw(world, "GET", path, upgrade)[0] != 101


def test_addresses_of_files_that_are_not_of_the_project(world):
    ann, admin = world.annotator("ann"), world.admin()
    (world.project.folder / "guidelines").mkdir()
    long = "x" * 300
    with nothing_changes(world):
        for path in (
            "/items/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "/items/%2fetc%2fpasswd", "/thumbnails/..%5c..%5cproject.toml",
            "/guidelines/%2e%2e%2fproject.toml", "/guidelines/..%2f..%2fx.png", "/guidelines/%2fetc%2fx.png",
            "/guidelines/%00.png", f"/guidelines/{long}.png", f"/items/{long}", f"/thumbnails/{long}", "/static/%00",
            f"/static/{long}", "/static/%2e%2e/%2e%2e/app.py", "/static//etc/passwd", "/static/", "/guidelines/",
        ):  # fmt: skip
            status, text = raw(world, "GET", path, {"Cookie": cookies(ann)})
            assert (status, b"root:" in text, b"seed" in text) == (404, False, False), path
        for name in ("..%2f..%2fproject.toml", "%2fetc%2fpasswd", "../../x"):
            refused(admin.get(f"/admin/project/answers.{name}"), 404, 422)
            refused(admin.get(f"/admin/model/{name}.zip"), 404, 422)
