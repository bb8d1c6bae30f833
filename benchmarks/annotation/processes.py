"""200 annotators at once on PostgreSQL: one server process against two.

    python -m benchmarks.annotation.processes [--annotators 200] [--tasks 100000] [--seconds 10] [--rounds 2]

Both servers work on databases of one PostgreSQL server and take turns. Paced: each annotator thinks for two seconds on
average, which is quick for people. Flat out: nobody thinks, so that 200 requests always wait; what the machine gives.
"""

import argparse
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from benchmarks.annotation import keep
from benchmarks.annotation.crowd import Waits, served
from benchmarks.annotation.postgres import new_database, postgres

THINKING_SECONDS = 2.0


def main(arguments: list[str] | None = None) -> None:
    """Measure one process and two."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--annotators", type=int, default=200)
    parser.add_argument("--tasks", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--rounds", type=int, default=2)
    wanted = parser.parse_args(arguments)
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        database = stack.enter_context(postgres())
        servers = {
            count: stack.enter_context(
                served(home / str(count), wanted.tasks, wanted.annotators, new_database(database), count)
            )
            for count in (1, 2)
        }
        print("measuring", flush=True)
        waits = {count: Waits() for count in servers}
        paced: dict[int, list[tuple[float, float]]] = {count: [] for count in servers}
        flat_out: dict[int, list[float]] = {count: [] for count in servers}
        for server in servers.values():
            server.load(3.0, THINKING_SECONDS, Waits())
        for _ in range(wanted.rounds):
            for count, server in servers.items():
                paced[count].append(server.load(wanted.seconds, THINKING_SECONDS, waits[count]))
            for count, server in servers.items():
                rushed = Waits()
                flat_out[count].append(server.load(wanted.seconds / 2, 0.0, rushed)[0])
                waits[count].errors += rushed.errors
    keep(
        [
            {
                "benchmark": "processes",
                "database": "PostgreSQL",
                "tasks": wanted.tasks,
                "annotators": wanted.annotators,
                "processes": count,
                "seconds": wanted.seconds * wanted.rounds,
                **waits[count].figures(),
                "answers_per_second": round(median(rate for rate, _ in paced[count]), 1),
                "cpu_ms_per_answer": round(median(cpu for _, cpu in paced[count]), 2),
                "flat_out_per_second": round(median(flat_out[count]), 1),
            }
            for count in servers
        ]
    )


if __name__ == "__main__":
    main(sys.argv[1:])
