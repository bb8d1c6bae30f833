"""Run the web server: one process for SQLite, as many as wanted for PostgreSQL."""

import os
import socket
from typing import Any

import uvicorn
from uvicorn.supervisors import Multiprocess

from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.folder import Project
from oneof.annotation.store.database import Database
from oneof.annotation.web.app import create_app


def serve_project(project: Project, database: Database, host: str, port: int, workers: int = 1) -> None:
    """Serve until stopped."""
    listening = _listen(host, port)
    (project.folder / "server.url").write_text(f"http://{_shown(host)}:{listening.getsockname()[1]}\n")
    if workers == 1:
        config = uvicorn.Config(create_app(project, database), **_OPTIONS)
        uvicorn.Server(config).run(sockets=[listening])
        return
    # Child processes make the application by themselves, from these two.
    os.environ["ONEOF_PROJECT"] = str(project.folder)
    os.environ["ONEOF_DATABASE"] = database.url.render_as_string(hide_password=False)
    database.close()
    config = uvicorn.Config("oneof.annotation.web.app:app_from_environment", factory=True, workers=workers, **_OPTIONS)
    Multiprocess(config, sockets=[listening]).run()


_OPTIONS: dict[str, Any] = {
    "log_level": "warning",
    "access_log": False,
    "server_header": False,
    "ws": "none",
    # People think for longer than the usual five seconds; keeping the connection saves them a handshake.
    "timeout_keep_alive": 75,
    "timeout_graceful_shutdown": 5,
}


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio sends small packets at once; without it each reply waits some 40 ms.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise ProjectError(f"--host {host} --port {port}: {error.strerror}") from None
    listening.set_inheritable(True)
    return listening


def _shown(host: str) -> str:
    if host in ("0.0.0.0", "::"):
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host
