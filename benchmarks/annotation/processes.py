"""200 annotators at once on PostgreSQL: one server process against two.

    python -m benchmarks.annotation.processes [--annotators 200] [--tasks 100000] [--seconds 10] [--rounds 2]

Both use databases of one PostgreSQL server, and take turns. Paced: each annotator thinks for two seconds on average,
which is quick for people. Flat out: nobody thinks, so that 200 requests always wait, and the machine is the limit.
"""

import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from benchmarks.annotation import keep
from benchmarks.annotation.crowd import measured, options, served
from benchmarks.annotation.postgres import new_database, postgres

THINKING_SECONDS = 2.0


def main(arguments: list[str] | None = None) -> None:
    """Measure one process and two."""
    chosen = options(__doc__, arguments, annotators=200, tasks=100_000)
    common = {"benchmark": "processes", "database": "PostgreSQL", "tasks": chosen.tasks}
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        database = stack.enter_context(postgres())
        servers = {
            count: stack.enter_context(
                served(home / str(count), chosen.tasks, chosen.annotators, new_database(database), count)
            )
            for count in (1, 2)
        }
        found = measured(servers, THINKING_SECONDS, chosen.seconds, chosen.rounds)
        rows = [{**common, "processes": count, **row} for count, row in found]
    keep(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
