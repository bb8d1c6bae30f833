"""50 annotators with a thousand tasks and with a million, on SQLite and on PostgreSQL.

    python -m benchmarks.annotation.tasks [--tasks 1000000] [--annotators 50] [--seconds 10] [--rounds 2]

Both projects are served side by side and take turns, so that other load of the machine affects both alike. Paced: each
annotator thinks for a second on average, as people do; the percentiles of claims and answers are from here. Flat out:
nobody thinks. --seconds and --rounds say how long to measure.
"""

import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.annotation import keep
from benchmarks.annotation.crowd import measured, options, served
from benchmarks.annotation.postgres import new_database, postgres

THINKING_SECONDS = 1.0


def main(arguments: list[str] | None = None) -> None:
    """Measure both databases, one after the other."""
    chosen = options(__doc__, arguments, annotators=50, tasks=1_000_000)
    rows: list[dict[str, Any]] = []
    for database in ("SQLite", "PostgreSQL"):
        print(f"{database}: making tasks", flush=True)
        with ExitStack() as stack:
            home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            server = stack.enter_context(postgres()) if database == "PostgreSQL" else None
            servers = {}
            for size in (1_000, chosen.tasks):
                started = time.monotonic()
                url = None if server is None else new_database(server)
                servers[size] = stack.enter_context(served(home / str(size), size, chosen.annotators, url))
                print(f"{database}: {size} tasks made in {time.monotonic() - started:.0f} s", flush=True)
            common = {"benchmark": "tasks", "database": database, "processes": 1}
            found = measured(servers, THINKING_SECONDS, chosen.seconds, chosen.rounds)
            rows += [{**common, "tasks": size, **row} for size, row in found]
    keep(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
