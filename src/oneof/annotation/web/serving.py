"""Run the web server: one process for SQLite, as many as wanted for PostgreSQL."""

import os
import socket
from collections.abc import Callable
from tempfile import TemporaryDirectory
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.supervisors import Multiprocess

from oneof.annotation.project.classes import ProjectError
from oneof.annotation.web.hosting import Host, Hosting
from oneof.annotation.web.logs import set_up_logs
from oneof.annotation.web.metrics import SHARED

ENVIRONMENT = "ONEOF_HOSTING"


def serve(
    host: Host, address: str, port: int, workers: int = 1, announce: Callable[[dict[str, str]], None] | None = None
) -> None:
    """Serve until stopped. announce: called once with the address of each project, by its part of the path."""
    if workers > 1 and any(one.database.is_sqlite for one in host.hosted):
        raise ProjectError("--workers: several server processes need PostgreSQL (--database postgresql://...)")
    listening = listen(address, port)
    places = note_addresses(host, address, listening.getsockname()[1])
    set_up_logs(host.hosting.log_level)
    if announce is not None:
        announce(places)
    if workers == 1:
        uvicorn.Server(uvicorn.Config(host.app(), **_OPTIONS)).run(sockets=[listening])
        return
    # Child processes make the application by themselves, from this.
    hosting = host.hosting.model_copy(update={"several": True, "address": host.address})
    os.environ[ENVIRONMENT] = hosting.model_dump_json()
    host.close()
    config = uvicorn.Config(
        "oneof.annotation.web.serving:app_from_environment", factory=True, workers=workers, **_OPTIONS
    )
    with TemporaryDirectory(prefix="oneof-metrics-") as shared:
        os.environ[SHARED] = shared
        Multiprocess(config, sockets=[listening]).run()


def app_from_environment() -> ASGIApp:
    """For several server processes, which import the application by name."""
    hosting = Hosting.model_validate_json(os.environ[ENVIRONMENT])
    set_up_logs(hosting.log_level)
    return Host(hosting).app()


def note_addresses(host: Host, address: str, port: int) -> dict[str, str]:
    """Write into each project's folder where it is served, for the links that later commands print; by slug."""
    start = host.hosting.public_url or f"http://{_shown(address)}:{port}"
    host.address = start + host.hosting.root_path
    places = {one.slug: start + one.site.base for one in host.hosted}
    for one in host.hosted:
        (one.project.folder / "server.url").write_text(f"{places[one.slug]}\n")
    if host.home is not None:
        # For projects that come into the folder while it is served, until somebody opens them.
        (host.home / "server.url").write_text(f"{host.address}\n")
    return places


_OPTIONS: dict[str, Any] = {
    "log_config": None,
    "access_log": False,
    "server_header": False,
    # Our own middleware reads what proxies say, from the addresses that were named.
    "proxy_headers": False,
    "ws": "none",
    # People think for longer than the usual five seconds; keeping the connection saves them a handshake.
    "timeout_keep_alive": 75,
    "timeout_graceful_shutdown": 5,
}


def listen(host: str, port: int) -> socket.socket:
    """A listening socket."""
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
