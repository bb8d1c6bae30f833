"""50 annotators with a thousand tasks and with a million, on SQLite and on PostgreSQL.

    python -m benchmarks.annotation.tasks [--tasks 1000000] [--annotators 50] [--seconds 10] [--rounds 2]

Few and many are served side by side and take turns, so that whatever else the machine does hits both alike.
Paced: each annotator thinks for a second on average, as people do; the percentiles of claim and answer come from
there. Flat out: nobody thinks. Bounded by --seconds and --rounds.
"""

import argparse
import os
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.annotation import keep
from benchmarks.annotation.crowd import Server, Waits, served
from benchmarks.annotation.postgres import new_database, postgres

THINKING_SECONDS = 1.0


def measure(servers: dict[int, Server], seconds: float, rounds: int) -> list[dict[str, Any]]:
    """A row for each number of tasks."""
    waits = {size: Waits() for size in servers}
    paced: dict[int, list[tuple[float, float]]] = {size: [] for size in servers}
    flat_out: dict[int, list[float]] = {size: [] for size in servers}
    # What making the tasks left to write would otherwise go to disk during the first seconds of the load.
    os.sync()
    print("measuring", flush=True)
    for server in servers.values():
        server.load(3.0, THINKING_SECONDS, Waits())
    for _ in range(rounds):
        for size, server in servers.items():
            paced[size].append(server.load(seconds, THINKING_SECONDS, waits[size]))
        for size, server in servers.items():
            flat_out[size].append(server.load(seconds / 2, 0.0, Waits())[0])
    return [
        {
            "benchmark": "tasks",
            "tasks": size,
            "annotators": len(server.cookies),
            "processes": 1,
            "seconds": seconds * rounds,
            **waits[size].figures(),
            "answers_per_second": round(median(rate for rate, _ in paced[size]), 1),
            "cpu_ms_per_answer": round(median(cpu for _, cpu in paced[size]), 2),
            "flat_out_per_second": round(median(flat_out[size]), 1),
        }
        for size, server in servers.items()
    ]


def main(arguments: list[str] | None = None) -> None:
    """Measure both databases, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=1_000_000)
    parser.add_argument("--annotators", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--rounds", type=int, default=2)
    wanted = parser.parse_args(arguments)
    rows: list[dict[str, Any]] = []
    for database in ("SQLite", "PostgreSQL"):
        print(f"{database}: making tasks", flush=True)
        with ExitStack() as stack:
            home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            server = stack.enter_context(postgres()) if database == "PostgreSQL" else None
            servers = {}
            for size in (1_000, wanted.tasks):
                started = time.monotonic()
                url = None if server is None else new_database(server)
                servers[size] = stack.enter_context(served(home / str(size), size, wanted.annotators, url))
                print(f"{database}: {size} tasks made in {time.monotonic() - started:.0f} s", flush=True)
            rows += [{"database": database, **row} for row in measure(servers, wanted.seconds, wanted.rounds)]
    keep(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
