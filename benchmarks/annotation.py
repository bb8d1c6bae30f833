"""The annotation server under load: 50 annotators on SQLite, with a thousand tasks and with a million.

    python -m benchmarks.annotation [--tasks 1000000] [--annotators 50] [--seconds 10] [--rounds 3]

Both servers run side by side on loopback and take turns, so that whatever else the machine does hits both alike.
Paced: each annotator thinks for a second on average, as people do; the 95th percentiles of claim and answer come from
there. Flat out: nobody thinks; answers a second come from there. Bounded by --seconds and --rounds.
"""

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

THINKING_SECONDS = 1.0
SERVER = """
import sys
from pathlib import Path
from oneof.annotation.web.hosting import Host, Hosting
from oneof.annotation.web.serving import serve
serve(Host(Hosting(folders=[Path(sys.argv[1])], log_level="warning")), "127.0.0.1", 0)
"""


@dataclass
class Waits:
    """Seconds that requests took."""

    claim: list[float] = field(default_factory=list)
    answer: list[float] = field(default_factory=list)


class Browser:
    """A keep-alive connection that speaks just enough HTTP, so that the measuring costs little."""

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
            raise RuntimeError(f"claim: {status}; more tasks are needed for this long a run")
        if thinking:
            await asyncio.sleep(random.expovariate(1 / thinking))
        body = {"id": str(uuid.uuid4()), "task": question["task"], "answer": random.choice(["yes", "no"])}
        started = time.monotonic()
        status, _ = await browser.post("/api/answers", body | {"seconds": thinking})
        waits.answer.append(time.monotonic() - started)
        if status != 201:
            raise RuntimeError(f"answer: {status}")
        count += 1
    await browser.close()
    return count


async def crowd(port: int, cookies: list[str], seconds: float, thinking: float, waits: Waits) -> float:
    """Let everybody annotate for so many seconds; returns answers a second."""
    started = time.monotonic()
    people = [annotate(port, cookie, started + seconds, thinking, waits) for cookie in cookies]
    return sum(await asyncio.gather(*people)) / (time.monotonic() - started)


@contextmanager
def served(home: Path, tasks: int, annotators: int) -> Iterator[tuple[int, list[str]]]:
    """A server of a project with so many tasks: its port, and a session cookie an annotator."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from oneof.annotation.asking import people
    from oneof.annotation.project.starting import start_project
    from oneof.annotation.store import facts
    from oneof.annotation.web.site import cookie_name

    home.mkdir()
    numbers = pa.array(np.arange(tasks)).cast(pa.string())
    pq.write_table(pa.table({"id": numbers, "text": numbers}), home / "texts.parquet")
    (home / "classes.txt").write_text("\n".join(f"class {number}" for number in range(10)))
    # Every annotator may answer every question, so that a thousand tasks last as long as a million.
    settings = {"name": "load", "size": 3, "seed": 0, "overlap": annotators}
    project = start_project(home / "project", settings, home / "classes.txt", home / "texts.parquet").project
    database = project.database()
    cookies = []
    cookie = cookie_name(facts.project_id(database), "annotator")
    for number in range(annotators):
        token = database.write(lambda c, name=f"p{number}": people.invite(c, name, "annotator", 0.0))  # type: ignore[misc]
        with database.read() as connection:
            person = people.by_token(connection, token)
        assert person is not None
        who = person
        secret = database.write(lambda c, who=who: people.start_session(c, who, time.time(), 1.0))  # type: ignore[misc]
        cookies.append(f"{cookie}={secret}")
    database.close()
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    process = subprocess.Popen([sys.executable, "-c", SERVER, str(project.folder)], env=environment)
    try:
        note = project.folder / "server.url"
        while not note.exists() or not note.read_text().strip():
            time.sleep(0.05)
        yield int(note.read_text().strip().rpartition(":")[2]), cookies
    finally:
        process.terminate()
        process.wait(timeout=30)


def p95(waits: list[float]) -> float:
    """The 95th percentile, in milliseconds."""
    return float(np.percentile(waits, 95) * 1000)


def main(arguments: list[str] | None = None) -> dict[str, Any]:
    """Run the comparison, print it, and return its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=1_000_000)
    parser.add_argument("--annotators", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--rounds", type=int, default=3)
    wanted = parser.parse_args([] if arguments is None else arguments)
    sizes = (1_000, wanted.tasks)
    waits = {size: Waits() for size in sizes}
    rates: dict[int, list[float]] = {size: [] for size in sizes}
    with tempfile.TemporaryDirectory() as home, served(Path(home, "few"), sizes[0], wanted.annotators) as few:
        started = time.monotonic()
        with served(Path(home, "many"), sizes[1], wanted.annotators) as many:
            print(f"{sizes[1]} tasks made in {time.monotonic() - started:.0f} s", flush=True)
            # What making the tasks left to write would otherwise go to disk during the first seconds of the load.
            os.sync()
            for port, cookies in (few, many):
                asyncio.run(crowd(port, cookies, 3.0, THINKING_SECONDS, Waits()))
            for _ in range(wanted.rounds):
                for size, (port, cookies) in zip(sizes, (few, many), strict=True):
                    asyncio.run(crowd(port, cookies, wanted.seconds, THINKING_SECONDS, waits[size]))
                for size, (port, cookies) in zip(sizes, (few, many), strict=True):
                    rates[size].append(asyncio.run(crowd(port, cookies, wanted.seconds / 2, 0.0, Waits())))
    figures: dict[str, Any] = {"annotators": wanted.annotators}
    print(f"{'tasks':>9} {'claim p95':>10} {'answer p95':>11} {'flat out':>14}")
    for size in sizes:
        row = {"claim_ms": p95(waits[size].claim), "answer_ms": p95(waits[size].answer)}
        row["answers_per_second"] = float(np.median(rates[size]))
        figures[str(size)] = row
        shown = f"{row['claim_ms']:>7.1f} ms {row['answer_ms']:>8.1f} ms {row['answers_per_second']:>7.0f} answers/s"
        print(f"{size:>9} {shown}")
    first, last = figures[str(sizes[0])], figures[str(sizes[1])]
    figures["ratio_claim"] = last["claim_ms"] / first["claim_ms"]
    figures["ratio_answer"] = last["answer_ms"] / first["answer_ms"]
    figures["ratio_rate"] = first["answers_per_second"] / last["answers_per_second"]
    ratios = ", ".join(f"{name} {figures[f'ratio_{name}']:.2f}" for name in ("claim", "answer", "rate"))
    print(f"ratio: {ratios}")
    return figures


if __name__ == "__main__":
    main(sys.argv[1:])
