"""The `serve` command: one process, or several on PostgreSQL."""

import signal
import socket
import subprocess
import sys
import time

import httpx
import pytest

from oneof.annotation.project.classes import ProjectError
from oneof.annotation.store.auditing import audit
from oneof.annotation.web.hosting import Host, Hosting
from oneof.annotation.web.serving import note_addresses, serve

SERVE = [sys.executable, "-c", "from oneof.cli.annotate import app; app()", "serve"]


@pytest.mark.timeout(120)
def test_item_22_one_command_serves(make_world, backend):
    """On PostgreSQL two processes share the work."""
    world = make_world(20)
    token = world.invite("ann")
    workers = "2" if backend == "postgresql" else "1"
    command = [*SERVE, str(world.project.folder), "--port", "0", "--workers", workers]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    note = world.project.folder / "server.url"
    try:
        for _ in range(600):
            time.sleep(0.1)
            try:
                url = note.read_text().strip()
                if httpx.get(f"{url}/healthz", verify=False).json()["status"] == "ok":
                    break
            except (OSError, httpx.HTTPError):
                continue
        for _ in range(10):
            # A new connection each time, so that both processes get some.
            with httpx.Client(base_url=url, headers={"X-Oneof": "1"}, timeout=30, verify=False) as client:
                client.get(f"/join/{token}")
                world.give(client)
    finally:
        process.send_signal(signal.SIGINT)
        said, logged = process.communicate(timeout=30)
    assert f"Serving test on {url} (stop with Ctrl-C)" in said
    assert httpx.URL(said.split("Admin link: ")[1].strip()).path == f"/join/{world.admin_token}"
    assert logged.count("POST /api/answers 201") == 10
    assert token not in logged
    assert audit(world.database) == []


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
