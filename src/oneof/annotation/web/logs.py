"""The log: one line for each request, and errors. The token of a link and an answer are never in it."""

import logging
import sys
import time
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

access = logging.getLogger("oneof.access")


def set_up_logs(level: str) -> None:
    """Lines like `2026-03-01 12:00:00,123 INFO oneof.access 10.0.0.7 POST /api/answers 201 4 ms`, to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    for name in ("oneof", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level.upper())
    if level == "info":
        # Its own notes about starting and stopping are for those who look for them.
        logging.getLogger("uvicorn").setLevel("WARNING")


class AccessLog:
    """ASGI middleware: one line per request, once it is answered."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http" or not access.isEnabledFor(logging.INFO):
            await self.app(scope, receive, send)
            return

        def report(status: int, seconds: float) -> None:
            client = scope["client"][0] if scope.get("client") else "-"
            path = shown_path(scope["path"])
            # A monitor that asks every few seconds would bury all other lines.
            level = logging.DEBUG if path.endswith(("/healthz", "/metrics")) and status < 400 else logging.INFO
            access.log(level, "%s %s %s %d %.0f ms", client, scope["method"], path, status, 1000 * seconds)

        await timed(self.app, scope, receive, send, report)


async def timed(app: ASGIApp, scope: Scope, receive: Receive, send: Send, report: Callable[[int, float], None]) -> None:
    """Let `app` handle a request, then call `report(status, seconds)`; a request that raises counts as 500."""
    started, status = time.perf_counter(), 500

    async def noted(message: Message) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
        await send(message)

    try:
        await app(scope, receive, noted)
    finally:
        report(status, time.perf_counter() - started)


def shown_path(path: str) -> str:
    """A path fit to be written down: no token, and no line break that would forge a line.

    >>> shown_path("/pets/join/secret")
    '/pets/join/...'
    """
    before, join, _ = path.partition("/join/")
    return (before + join + "..." if join else path).encode("unicode_escape").decode("ascii")
