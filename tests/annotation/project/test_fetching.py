"""Pictures from addresses: from a local server, and never from anywhere that was not allowed."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from sqlalchemy import select

from oneof.annotation.project import fetching
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.fetching import Unfetchable, check_address, fetch, fetch_items, is_public
from oneof.annotation.project.importing import import_items
from oneof.annotation.store.schema import items

without_postgresql = pytest.mark.parametrize("backend", ["sqlite"])


def picture(colour, kind="PNG"):
    stream = BytesIO()
    Image.new("RGB", (8, 6), colour).save(stream, kind)
    return stream.getvalue()


PAGES = {"/red.png": picture("red"), "/photo": picture("blue", "JPEG"), "/page.png": b"<html>no picture</html>"}
SOUNDS = Path(__file__).parent.parent / "sounds"
PAGES |= {f"/{kind}": (SOUNDS / f"beep.{kind}").read_bytes() for kind in ("ogg", "mp3", "flac")}
PAGES |= {"/drawing.tiff": picture("green", "TIFF"), "/large.png": b"x" * 5000}
MOVED = {
    "/moved": "/red.png",
    "/away": "http://elsewhere.example/red.png",
    "/round": "/round",
    "/file": "file:///etc/hosts",
}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        where = MOVED.get(self.path)
        body = PAGES.get(self.path, b"")
        self.send_response(302 if where else 200 if body else 404)
        if where:
            self.send_header("Location", where)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_words):
        pass


@pytest.fixture(scope="module")
def server():
    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{running.server_address[1]}"
    running.shutdown()
    running.server_close()


@pytest.fixture
def reachable(monkeypatch):
    """Let this machine count as public, so that a server on it can be asked."""
    monkeypatch.setattr(fetching, "is_public", lambda address: True)


def table(path, rows):
    path.write_text("id,url\n" + "".join(f"{name},{url}\n" for name, url in rows))
    return path


@without_postgresql
def test_a_table_of_addresses_becomes_items(world, server, reachable, tmp_path, monkeypatch):
    monkeypatch.setenv(fetching.HOSTS, server)
    names = {"a": "red.png", "b.jpg": "photo", "c": "moved", "d": "page.png", "e": "missing", "f": "drawing.tiff"}
    path = table(tmp_path / "t.csv", [(name, f"http://{server}/{page}") for name, page in names.items()])
    done = import_items(world.database, world.project, path, {"a": 2})
    # What "c" was moved to has the content of "a".
    assert (done.added, done.known) == (2, 1)
    reasons = dict(one.split(": ", 1) for one in done.left_out)
    assert "is not a picture or a sound" in reasons["'d'"]
    assert "answered 404" in reasons["'e'"]
    assert "is not a picture or a sound (png" in reasons["'f'"]
    with world.database.read() as connection:
        stored = {row.name: row for row in connection.execute(select(items).where(items.c.kind == "image"))}
    assert set(stored) == {"a.png", "b.jpg"}
    assert stored["a.png"].gold == 2
    ann = world.annotator("ann")
    assert ann.get(f"/items/{stored['a.png'].key}").content == PAGES["/red.png"]


@without_postgresql
def test_sounds_are_fetched_as_pictures_are(world, server, reachable, tmp_path, monkeypatch):
    monkeypatch.setenv(fetching.HOSTS, server)
    kinds = {"ogg": "audio/ogg", "mp3": "audio/mpeg", "flac": "audio/flac"}
    path = table(tmp_path / "t.csv", [(f"call {kind}", f"http://{server}/{kind}") for kind in kinds])
    assert import_items(world.database, world.project, path).added == 3
    with world.database.read() as connection:
        stored = {row.name: row for row in connection.execute(select(items).where(items.c.kind == "audio"))}
    assert set(stored) == {f"call {kind}.{kind}" for kind in kinds}
    ann = world.annotator("ann")
    for kind, sent in kinds.items():
        reply = ann.get(f"/items/{stored[f'call {kind}.{kind}'].key}")
        assert (reply.content, reply.headers["content-type"]) == (PAGES[f"/{kind}"], sent)


@without_postgresql
def test_without_named_hosts_nothing_is_fetched(world, server, reachable, tmp_path, monkeypatch):
    monkeypatch.delenv(fetching.HOSTS, raising=False)
    path = table(tmp_path / "t.csv", [("a", f"http://{server}/red.png")])
    with pytest.raises(ProjectError, match=r"row 1.*named no host"):
        import_items(world.database, world.project, path)
    assert not (world.project.folder / "uploads").exists()
    other = table(tmp_path / "o.csv", [("a", f"http://{server}/red.png"), ("b", "http://10.0.0.1/b.png")])
    with pytest.raises(ProjectError, match=r"row 2.*10.0.0.1:80 is not one of those"):
        fetch_items(tmp_path / "new", other, [server])
    assert not (tmp_path / "new").exists()


def test_two_ids_never_share_a_file(server, reachable, tmp_path):
    rows = [("a", f"http://{server}/red.png"), ("a.png", f"http://{server}/red.png")]
    done = fetch_items(tmp_path / "new", table(tmp_path / "t.csv", rows), [server])
    assert list(done.names.values()) == ["a.png"]
    assert len(done.left_out) == 1
    assert done.left_out[0].endswith("another id has the file 'a.png' already")


def test_where_nothing_can_be_fetched_nothing_is_left(server, reachable, tmp_path):
    with pytest.raises(ProjectError, match=r"nothing could be fetched; 'a'.*answered 404"):
        fetch_items(tmp_path / "new", table(tmp_path / "t.csv", [("a", f"http://{server}/missing")]), [server])
    assert list((tmp_path / "new").iterdir()) == []


def test_a_private_address_is_refused_even_on_a_named_host(server):
    with pytest.raises(Unfetchable, match="not a public address"):
        fetch(f"http://{server}/red.png", [server])


@pytest.mark.parametrize(
    ("page", "problem"),
    [
        ("away", "elsewhere.example:80 is not one of those"),
        ("file", "expected http"),
        ("round", "more than 3 redirects"),
        ("large.png", "larger than 1000 bytes"),
    ],
)
def test_redirects_and_sizes_have_limits(server, reachable, monkeypatch, page, problem):
    monkeypatch.setattr(fetching, "LARGEST", 1000)
    with pytest.raises(Unfetchable, match=problem):
        fetch(f"http://{server}/{page}", [server])


def test_time_has_a_limit(server, reachable, monkeypatch):
    monkeypatch.setattr(fetching, "LONGEST_SECONDS", -1.0)
    with pytest.raises(Unfetchable, match=r"longer than|not reached"):
        fetch(f"http://{server}/red.png", [server])


@pytest.mark.parametrize(
    "url",
    [
        "ftp://a.example/x",
        "http:///x",
        "http://me@a.example/x",
        "http://a.example:81/x",
        "http://a.example.evil/x",
        "http://a.example:99999/x",
        "javascript:1",
        "",
        "http://a.example/x\r\nHost: b",
    ],
)
def test_only_plain_addresses_of_named_hosts(url):
    with pytest.raises(Unfetchable):
        check_address(url, ["a.example"])


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "0.0.0.0",
        "100.64.0.1",
        "224.0.0.1",
        "::1",
        "::",
        "fe80::1",
        "fc00::1",
        "::ffff:127.0.0.1",
    ],
)
def test_addresses_that_are_not_public(address):
    assert not is_public(address)


@pytest.mark.parametrize("name", ["../x", "/etc/x", ".hidden", "a/../b"])
def test_an_id_cannot_lead_outside_the_folder(tmp_path, name):
    with pytest.raises(ProjectError, match="cannot be the name of a file"):
        fetch_items(tmp_path / "new", table(tmp_path / "t.csv", [(name, "http://a.example/x")]), ["a.example"])
