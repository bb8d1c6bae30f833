"""The `serve` command: one process, or several on PostgreSQL."""

import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import httpx
import psycopg
import pytest
from prometheus_client.parser import text_string_to_metric_families
from typer.testing import CliRunner

from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.folder import open_project
from oneof.annotation.store.auditing import audit
from oneof.annotation.web.creating import server_key
from oneof.annotation.web.hosting import Host, Hosting
from oneof.annotation.web.serving import note_addresses, serve
from oneof.cli.annotate import app

from ..conftest import Served

SERVE = [sys.executable, "-c", "from oneof.cli.annotate import app; app()", "serve"]


@contextmanager
def serving(folder, note, *options):
    """The command in a process of its own: its address, and what it said once it has ended."""
    command = [*SERVE, str(folder), "--port", "0", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said = []
    try:
        for _ in range(600):
            time.sleep(0.1)
            try:
                url = note.read_text().strip()
                if httpx.get(f"{url}/healthz", verify=False).json()["status"] == "ok":
                    break
            except (OSError, httpx.HTTPError):
                continue
        yield url, said
    finally:
        process.send_signal(signal.SIGINT)
        said += process.communicate(timeout=30)


def connect(url, **more):
    """A new connection, so that each of several processes gets some."""
    return httpx.Client(base_url=url, headers={"X-Oneof": "1"}, timeout=30, verify=False, **more)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("backend", ["sqlite"])
def test_item_22_one_command_serves(make_world, backend):
    world = make_world(20)
    token = world.invite("ann")
    with serving(world.project.folder, world.project.folder / "server.url") as (url, told):
        for _ in range(10):
            with connect(url) as client:
                client.get(f"/join/{token}")
                world.give(client)
    said, logged = told
    assert f"Serving test on {url} (stop with Ctrl-C)" in said
    assert httpx.URL(said.split("Admin link: ")[1].strip()).path == f"/join/{world.admin_token}"
    assert logged.count("POST /api/answers 201") == 10
    assert token not in logged
    assert audit(world.database) == []


def figure(text, name, **labels):
    families = text_string_to_metric_families(text)
    samples = [one for family in families for one in family.samples if one.name == name]
    return sum(one.value for one in samples if labels.items() <= one.labels.items())


@pytest.mark.timeout(180)
@pytest.mark.parametrize("backend", ["postgresql"])
def test_two_processes_share_the_work_the_counts_and_new_projects(make_world, postgres, backend):
    world = make_world(20)
    token, home = world.invite("ann"), world.project.folder.parent
    options = ("--workers", "2", "--database-server", postgres)
    with serving(home, world.project.folder / "server.url", *options) as (url, told):
        for _ in range(10):
            with connect(url) as client:
                client.get(f"/join/{token}")
                world.give(client)
        root = url.removesuffix("/project")
        for _ in range(4):
            with connect(root) as client:
                counted = client.get("/metrics").text
            assert figure(counted, "oneof_requests_total", project="project", what="answer", status="201") == 10
            assert figure(counted, "oneof_answers", project="project") == 10
        form = {"name": "Birds", "classes": "robin\nwren\ntit", "size": "2"}
        with connect(root) as client:
            key = {"Authorization": f"Bearer {server_key(home)}"}
            made = client.post("/new", data=form, headers=key)
            assert (made.status_code, made.headers["location"][:12]) == (303, "/birds/join/")
            client.get(made.headers["location"])
            cookies = client.cookies
        pages = []
        for _ in range(8):
            with connect(root, cookies=cookies) as client:
                pages.append(client.get("/birds/admin/project").status_code)
        assert pages == [200] * 8, "whichever process is asked"
        with connect(root, cookies=cookies) as client:
            table = b"id,text\na,first bird\nb,second bird\n"
            assert client.post("/birds/admin/project/import", files={"files": ("t.csv", table)}).status_code == 303
        for _ in range(600):
            with connect(root, cookies=cookies) as client:
                if "2 new items" in client.get("/birds/admin/project").text:
                    break
            time.sleep(0.1)
        shown = []
        for _ in range(6):
            with connect(root, cookies=cookies) as client:
                shown.append("second bird" in client.get("/birds/admin/items").text)
        assert shown == [True] * 6
    assert "New projects: " in told[0]
    birds = open_project(home / "birds").database()
    assert not birds.is_sqlite
    assert audit(birds) == []
    drop(postgres, birds)
    assert audit(world.database) == []


def drop(server, database):
    database.close()
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {database.url.database} WITH (FORCE)")


@pytest.mark.parametrize("backend", ["sqlite"])
def test_a_port_that_is_taken_is_said(world):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ProjectError, match=f"--port {port}: Address already in use"):
            serve(Host(Hosting(folders=[world.project.folder])), "127.0.0.1", port)


@pytest.mark.parametrize("backend", ["sqlite"])
def test_the_noted_address_has_the_real_port_or_the_public_name(world):
    note = world.project.folder / "server.url"
    host = Host(Hosting(folders=[world.project.folder], root_path="/label"))
    assert note_addresses(host, "127.0.0.1", 8123) == {"": "http://127.0.0.1:8123/label"}
    assert note.read_text() == "http://127.0.0.1:8123/label\n"
    host.close()
    host = Host(Hosting(folders=[world.project.folder.parent], public_url="https://label.example.org/"))
    note_addresses(host, "0.0.0.0", 8123)
    assert note.read_text() == "https://label.example.org/project\n"
    host.close()


@pytest.mark.parametrize("backend", ["sqlite"])
def test_a_project_that_comes_into_the_served_folder_gets_links_to_it(make_world, backend, tmp_path):
    world = make_world(20)
    home, late = tmp_path / "home", tmp_path / "home" / "late"
    home.mkdir()
    host = Host(Hosting(folders=[home], public_url="https://label.example.org", root_path="/label"))
    note_addresses(host, "127.0.0.1", 8123)
    shutil.copytree(world.project.folder, late)
    invited = CliRunner().invoke(app, ["invite", str(late), "Ann"])
    assert invited.stdout.startswith("https://label.example.org/label/late/join/"), "before anybody has opened it"
    (late / "server.url").write_text("http://127.0.0.1:8000\n")
    served = Served(host.app())
    try:
        assert httpx.get(f"{served.url}/label/late/healthz", verify=False).status_code == 200
    finally:
        served.stop()
    assert (late / "server.url").read_text() == "https://label.example.org/label/late\n", "not where it was before"


def test_the_recipes_for_servers_use_options_that_serve_has():
    folder = Path(__file__).parents[3] / "deploy"
    known = CliRunner().invoke(app, ["serve", "--help"], env={"COLUMNS": "200", "NO_COLOR": "1"}).stdout
    paths = {}
    for name in ("oneof.service", "nginx.conf"):
        text = (folder / name).read_text().replace("\\\n#", "")
        command = next(line for line in text.splitlines() if "oneof annotate serve" in line)
        options = re.findall(r"--[a-z-]+", command)
        assert options
        assert all(option in known for option in options), name
        paths[name] = re.search(r"--root-path (\S+)", command)[1]
    assert set(paths.values()) == {"/label"}, "the service answers where the web server looks for it"
