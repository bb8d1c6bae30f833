"""A crowd of simulated annotators: what they send, how long each request takes, and a server for them."""

import argparse
import asyncio
import json
import os
import random
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any
from urllib.request import urlopen

import numpy as np
import psutil

CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
SERVER = """
import sys
from pathlib import Path
from oneof.annotation.web.hosting import Host, Hosting
from oneof.annotation.web.serving import serve
if __name__ == "__main__":
    host = Host(Hosting(folders=[Path(sys.argv[1])], log_level="warning"))
    serve(host, "127.0.0.1", 0, int(sys.argv[2]))
"""


@dataclass
class Waits:
    """Seconds that requests took, and how many failed."""

    claim: list[float] = field(default_factory=list)
    answer: list[float] = field(default_factory=list)
    errors: int = 0

    def figures(self) -> dict[str, Any]:
        """Medians and 95th percentiles, in milliseconds, and the number of errors."""
        return {
            "claim_p50_ms": round(1000 * float(np.percentile(self.claim, 50)), 2),
            "claim_p95_ms": round(1000 * float(np.percentile(self.claim, 95)), 2),
            "answer_p95_ms": round(1000 * float(np.percentile(self.answer, 95)), 2),
            "errors": self.errors,
        }


class Browser:
    """A keep-alive connection that knows just enough HTTP, so that measuring takes little CPU time."""

    def __init__(self, port: int, cookie: str) -> None:
        self.port, self.cookie = port, cookie

    async def connect(self) -> None:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)

    async def post(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        content = json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nCookie: {self.cookie}\r\nX-Oneof: 1\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        self.writer.write(head.encode() + content)
        reply = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        headers = dict(line.lower().split(": ", 1) for line in reply.split("\r\n")[1:] if line)
        length = int(headers.get("content-length", 0))
        return int(reply.split()[1]), json.loads(await self.reader.readexactly(length)) if length else None

    async def close(self) -> None:
        self.writer.close()
        await self.writer.wait_closed()


async def annotate(port: int, cookie: str, until: float, thinking: float, waits: Waits) -> int:
    """Claim and answer until the time is over; returns the number of answers."""
    browser = Browser(port, cookie)
    await browser.connect()
    count = 0
    if thinking:
        await asyncio.sleep(random.uniform(0, thinking))
    while time.monotonic() < until:
        started = time.monotonic()
        status, question = await browser.post("/api/claim", {})
        waits.claim.append(time.monotonic() - started)
        if status != 200:
            waits.errors += 1
            await asyncio.sleep(1.0)
            continue
        if thinking:
            await asyncio.sleep(random.expovariate(1 / thinking))
        body = {"id": str(uuid.uuid4()), "task": question["task"], "answer": random.choice(["yes", "no"])}
        started = time.monotonic()
        status, _ = await browser.post("/api/answers", body | {"seconds": thinking})
        waits.answer.append(time.monotonic() - started)
        waits.errors += status != 201
        count += status == 201
    await browser.close()
    return count


async def crowd(port: int, cookies: list[str], seconds: float, thinking: float, waits: Waits) -> tuple[int, float]:
    """Let everybody annotate for so many seconds; returns how many answers, and the seconds until the last one."""
    started = time.monotonic()
    annotators = [annotate(port, cookie, started + seconds, thinking, waits) for cookie in cookies]
    return sum(await asyncio.gather(*annotators)), time.monotonic() - started


@dataclass
class Server:
    """A served project: its port, a session cookie for each annotator, and the server's process."""

    port: int
    cookies: list[str]
    process: psutil.Process

    def cpu_seconds(self) -> float:
        """CPU time that the server and its children have used so far, without that of PostgreSQL."""
        family = [self.process, *self.process.children(recursive=True)]
        return float(sum(sum(one.cpu_times()[:2]) for one in family))

    def load(self, seconds: float, thinking: float, waits: Waits) -> tuple[float, float]:
        """Let everybody annotate; returns answers per second and the server's CPU milliseconds per answer."""
        before = self.cpu_seconds()
        answers, took = asyncio.run(crowd(self.port, self.cookies, seconds, thinking, waits))
        return answers / took, 1000 * (self.cpu_seconds() - before) / max(1, answers)


def measured(
    servers: dict[int, Server], thinking: float, seconds: float, rounds: int
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The figures of each server under load, by its key. Servers take turns, so that other load affects all alike.

    Paced: everybody thinks for so many seconds on average; the percentiles are from here. Flat out: nobody thinks.
    """
    waits = {key: Waits() for key in servers}
    paced: dict[int, list[tuple[float, float]]] = {key: [] for key in servers}
    flat_out: dict[int, list[float]] = {key: [] for key in servers}
    # Otherwise the new databases would go to disk during the first seconds of the load.
    os.sync()
    print("measuring", flush=True)
    for server in servers.values():
        server.load(3.0, thinking, Waits())
    for _ in range(rounds):
        for key, server in servers.items():
            paced[key].append(server.load(seconds, thinking, waits[key]))
        for key, server in servers.items():
            rushed = Waits()
            flat_out[key].append(server.load(seconds / 2, 0.0, rushed)[0])
            waits[key].errors += rushed.errors
    for key, server in servers.items():
        yield (
            key,
            {
                "annotators": len(server.cookies),
                "seconds": seconds * rounds,
                **waits[key].figures(),
                "answers_per_second": round(median(rate for rate, _ in paced[key]), 1),
                "cpu_ms_per_answer": round(median(cpu for _, cpu in paced[key]), 2),
                "flat_out_per_second": round(median(flat_out[key]), 1),
            },
        )


def options(description: str | None, given: list[str] | None, *, annotators: int, tasks: int) -> argparse.Namespace:
    """The options of the command line: --annotators, --tasks, --seconds and --rounds."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--annotators", type=int, default=annotators)
    parser.add_argument("--tasks", type=int, default=tasks)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--rounds", type=int, default=2)
    return parser.parse_args(given)


@contextmanager
def served(
    home: Path, tasks: int, annotators: int, database_url: str | None = None, processes: int = 1
) -> Iterator[Server]:
    """A server of a new project with so many tasks and annotators."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from oneof.annotation.asking import access
    from oneof.annotation.project.starting import start_project
    from oneof.annotation.store import facts
    from oneof.annotation.web.site import cookie_name

    home.mkdir()
    numbers = pa.array(np.arange(tasks)).cast(pa.string())
    pq.write_table(pa.table({"id": numbers, "text": numbers}), home / "texts.parquet")
    (home / "classes.txt").write_text("\n".join(f"class {number}" for number in range(10)))
    # Every annotator may answer every question, so that there are enough of them with a thousand tasks, too.
    settings = {"name": "load", "size": 3, "seed": 0, "overlap": annotators}
    folder = home / "project"
    project = start_project(
        folder, settings, home / "classes.txt", home / "texts.parquet", database_url=database_url
    ).project
    database = project.database()
    cookies = []
    cookie = cookie_name(facts.project_id(database), "annotator")
    for number in range(annotators):
        token = database.write(access.invite, f"p{number}", "annotator", 0.0)
        with database.read() as connection:
            person = access.by_token(connection, token)
        assert person is not None
        secret = database.write(access.start_session, person, time.time(), 1.0)
        cookies.append(f"{cookie}={secret}")
    database.close()
    with serving(project.folder, home, processes) as (address, process):
        yield Server(int(address.rpartition(":")[2]), cookies, psutil.Process(process))


@contextmanager
def serving(folder: Path, home: Path, processes: int = 1, first: str = "") -> Iterator[tuple[str, int]]:
    """A server of a project folder: its address and process id. first: one of the projects, if there are several."""
    script = home / "server.py"
    script.write_text(SERVER)
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    process = subprocess.Popen([sys.executable, script, folder, str(processes)], env=environment)
    try:
        note = folder / first / "server.url"
        while not note.exists() or not note.read_text().strip():
            time.sleep(0.05)
        address = note.read_text().strip().removesuffix(f"/{first}")
        _wait_for(address)
        yield address, process.pid
    finally:
        process.terminate()
        process.wait(timeout=30)


def _wait_for(address: str) -> None:
    """Wait until the server answers: its address is known earlier."""
    while True:
        try:
            urlopen(f"{address}/healthz", timeout=10).close()
            return
        except OSError:
            time.sleep(0.05)
