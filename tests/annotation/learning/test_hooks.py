"""Webhooks: told once, signed, and again after a failure."""

import hashlib
import hmac
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from sqlalchemy import insert, select

from oneof.annotation.learning import hooks
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.store import history
from oneof.annotation.store.schema import events


class Receiver:
    """Takes posts, or refuses them."""

    def __init__(self):
        self.got, self.problem = [], None

    def __call__(self, url, body, signature):
        if self.problem is None:
            self.got.append((url, json.loads(body), body, signature))
        return self.problem


def add(world, kinds=hooks.KINDS, url="https://example.org/hook"):
    return world.database.write(lambda c: hooks.add(c, url, list(kinds), 5.0))


def test_news_are_told_in_order_signed_and_once(make_world):
    world = make_world(items=2)
    ann, receiver = world.annotator("ann"), Receiver()
    world.give(ann)
    secret = add(world)
    assert hooks.deliver(world.database, world.project, 10.0, receiver) == 0
    row = world.give(ann, "no")
    assert hooks.note_if_finished(world.database, 11.0)
    assert not hooks.note_if_finished(world.database, 12.0)
    world.database.write(lambda c: history.note(c, "train", 13.0, model="0001", accuracy=0.9))
    world.database.write(lambda c: history.note(c, "settings", 14.0))
    assert hooks.deliver(world.database, world.project, 15.0, receiver) == 1
    assert hooks.deliver(world.database, world.project, 16.0, receiver) == 0
    ((url, told, body, signature),) = receiver.got
    assert (url, told["project"]) == ("https://example.org/hook", "test")
    assert [one["kind"] for one in told["events"]] == ["answer", "finished", "trained"]
    assert (told["events"][0]["answer"], told["events"][0]["task"]) == ("no", row["task"])
    assert told["events"][2]["accuracy"] == 0.9
    assert signature == "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def test_an_answer_that_is_stored_after_a_later_one_is_not_lost(world):
    """On PostgreSQL a transaction may end after one that was given a higher id."""
    add(world, ["answer"])
    world.give(world.annotator("ann"))
    receiver = Receiver()
    hooks.deliver(world.database, world.project, world.clock(), receiver)
    (first,) = world.rows(select(events))

    def store(number):
        row = dict(first._mapping) | {"id": first.id + number, "client_id": f"{number}"}
        world.database.write(lambda connection: connection.execute(insert(events).values(row)))

    store(2)
    assert hooks.deliver(world.database, world.project, first.at + 1, receiver) == 0
    store(1)
    store(4)
    assert hooks.deliver(world.database, world.project, first.at + 2, receiver) == 1
    # What is missing after a minute was never stored.
    assert hooks.deliver(world.database, world.project, first.at + 61, receiver) == 1
    ids = [one["id"] for _, told, _, _ in receiver.got for one in told["events"]]
    assert ids == [f"answer-{first.id + number}" for number in (0, 1, 2, 4)]


def test_what_was_not_taken_comes_again_later_and_later(world):
    add(world, ["answer"])
    world.give(world.annotator("ann"))
    receiver = Receiver()
    receiver.problem = "answered 500"
    assert hooks.deliver(world.database, world.project, 100.0, receiver) == 0
    receiver.problem = None
    assert hooks.deliver(world.database, world.project, 104.0, receiver) == 0
    with world.database.read() as connection:
        (hook,) = hooks.listed(connection)
    assert (hook.failures, hook.last_reply, hook.kinds) == (1, "answered 500", ("answer",))
    assert hooks.deliver(world.database, world.project, 105.0, receiver) == 1
    world.database.write(lambda c: hooks.remove(c, hook.id, 106.0))
    with world.database.read() as connection:
        assert hooks.listed(connection) == []
    with pytest.raises(ProjectError, match="no address"):
        world.database.write(lambda c: hooks.remove(c, hook.id, 106.0))


@pytest.mark.parametrize(
    ("url", "kinds"), [("file:///etc/passwd", ["answer"]), ("https://a.example", []), ("https://a.example", ["odd"])]
)
def test_what_cannot_be_told_is_refused(world, url, kinds):
    with pytest.raises(ProjectError, match="expected"):
        add(world, kinds, url)


def test_a_real_server_takes_it_and_redirects_are_not_followed():
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(204 if self.path == "/" else 302)
            self.send_header("Location", "/")
            self.end_headers()

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        address = f"http://127.0.0.1:{server.server_port}"
        try:
            assert hooks.send(f"{address}/", b"{}", "sha256=") is None
            assert hooks.send(f"{address}/moved", b"{}", "sha256=") == "answered 302"
        finally:
            server.shutdown()
            thread.join()
    assert hooks.send(f"{address}/", b"{}", "sha256=").startswith("not reached")
