"""A server for a thread of a test, which ends when it is told to.

uvicorn's own looks ten times a second whether it shall end, and then waits for a tenth of a second more: together that
took longer than most of the tests that need a server.
"""

import asyncio
import socket
import threading
from typing import Any

import uvicorn


class PromptServer(uvicorn.Server):
    """uvicorn, but for its waiting."""

    def __init__(self, app: Any, **options: Any) -> None:
        super().__init__(uvicorn.Config(app, **options))
        self.told = threading.Event()

    async def main_loop(self) -> None:
        await self.on_tick(0)  # for the headers of every reply
        await asyncio.to_thread(self.told.wait)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        for listening in sockets or []:
            listening.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        try:
            async with asyncio.timeout(self.config.timeout_graceful_shutdown):
                while self.server_state.connections or self.server_state.tasks:
                    await asyncio.sleep(0.002)
        except TimeoutError:
            for task in self.server_state.tasks:
                task.cancel()
        await self.lifespan.shutdown()
