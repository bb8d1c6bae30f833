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
from oneof.annotation.web.serving import serve_project

SERVE = [sys.executable, "-c", "from oneof.cli.annotate import app; app()", "serve"]


@pytest.mark.timeout(120)
def test_item_22_one_command_serves(make_world, backend):
    """On PostgreSQL two processes share the work."""
    world = make_world(20)
    token = world.invite("ann")
    workers = "2" if backend == "postgresql" else "1"
    command = [*SERVE, str(world.project.folder), "--port", "0", "--workers", workers]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    note = world.project.folder / "server.url"
    try:
        for _ in range(600):
            time.sleep(0.1)
            try:
                url = note.read_text().strip()
                if httpx.get(f"{url}/healthz").json()["status"] == "ok":
                    break
            except (OSError, httpx.HTTPError):
                continue
        for _ in range(10):
            # A new connection each time, so that both processes get some.
            with httpx.Client(base_url=url, headers={"X-Oneof": "1"}, timeout=30) as client:
                client.get(f"/join/{token}")
                world.give(client)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)
    assert audit(world.database) == []


@pytest.mark.parametrize("backend", ["sqlite"])
def test_a_port_that_is_taken_is_said(world):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ProjectError, match=f"--port {port}: Address already in use"):
            serve_project(world.project, world.database, "127.0.0.1", port)
