"""The annotation server and its page: how long a click takes, with many tasks and with many people.

    python -m benchmarks.annotation.tasks        # a thousand tasks against a million, on SQLite and on PostgreSQL
    python -m benchmarks.annotation.processes    # 200 annotators at once, one server process against two, PostgreSQL
    python -m benchmarks.annotation.page         # from a key press to the next item, in Chromium
    python -m benchmarks.annotation.looks DIR    # pictures of every page at four widths, and what does not fit

The first three add their rows to `results/annotation.csv`; the documents show the last run of each. Milliseconds are
wall-clock time, which depends on what else the machine does (`load`); CPU time and ratios depend on it much less.
"""

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from oneof.files.atomic import replacing

ROWS = Path(__file__).parents[2] / "results" / "annotation.csv"
COLUMNS = [
    "benchmark", "at", "database", "tasks", "annotators", "processes", "seconds", "claim_p50_ms", "claim_p95_ms",
    "answer_p95_ms", "key_p50_ms", "key_p95_ms", "answers_per_second", "flat_out_per_second", "cpu_ms_per_answer",
    "errors", "cores", "load",
]  # fmt: skip
AIM_MS = 50
"""The p95 of claims that is aimed at, with the largest number of tasks."""


def keep(rows: list[dict[str, Any]]) -> None:
    """Add rows to `results/annotation.csv`, with the time, the number of cores and the load, and print them."""
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    common = {"at": at, "cores": os.cpu_count(), "load": round(os.getloadavg()[0], 1)}
    new = pd.DataFrame([row | common for row in rows], columns=COLUMNS).astype(object)
    old = pd.read_csv(ROWS, dtype=object) if ROWS.exists() else None
    with replacing(ROWS) as part:
        (new if old is None else pd.concat([old, new])).to_csv(part, index=False)
    print(new.dropna(axis=1, how="all").to_string(index=False))


def facts() -> Mapping[str, str]:
    """Texts for the documents: a table of each benchmark, from its last run."""
    from benchmarks.pages import table

    rows = pd.read_csv(ROWS)
    last = rows[rows["at"] == rows.groupby("benchmark")["at"].transform("max")]

    def of(benchmark: str, columns: dict[str, str]) -> str:
        found = last[last["benchmark"] == benchmark].dropna(axis=1, how="all")
        shown = found[[name for name in columns if name in found]].rename(columns=columns)
        return table(shown.map(_shown))

    claims = {"claim_p50_ms": "claim, median ms", "claim_p95_ms": "claim, p95 ms", "answer_p95_ms": "answer, p95 ms"}
    rates = {"answers_per_second": "answers/s", "flat_out_per_second": "answers/s, nobody thinks"}
    ends = {"cpu_ms_per_answer": "server CPU ms an answer", "errors": "errors", "load": "load"}
    return {
        "tasks": of("tasks", {"database": "database", "tasks": "tasks", **claims, **rates, **ends}),
        "aim": reached(last[last["benchmark"] == "tasks"]),
        "processes": of("processes", {"processes": "server processes", **claims, **rates, **ends}),
        "page": of("page", {"key_p50_ms": "key to next item, median ms", "key_p95_ms": "p95 ms", "load": "load"}),
        "cores": str(int(last["cores"].max())),
    }


def reached(rows: pd.DataFrame) -> str:
    """On which databases the aim was reached, and on which it was missed, with the largest number of tasks.

    >>> print(reached(pd.DataFrame({"database": ["SQLite", "SQLite"], "tasks": [10, 20], "claim_p95_ms": [9.0, 51.0]})))
    under 50 ms at 20 tasks; this run missed it on SQLite (51 ms)
    """
    largest = rows[rows["tasks"] == rows["tasks"].max()]
    said = []
    for verb, part in (("reached", largest["claim_p95_ms"] < AIM_MS), ("missed", largest["claim_p95_ms"] >= AIM_MS)):
        found = [f"{row.database} ({_shown(row.claim_p95_ms)} ms)" for row in largest[part].itertuples()]
        said += [f"{verb} it on {' and '.join(found)}"] if found else []
    return f"under {AIM_MS} ms at {int(largest['tasks'].max()):,} tasks; this run {' and '.join(said)}"


def _shown(value: Any) -> str:
    """A number with one decimal if it is small, else without."""
    if not isinstance(value, float):
        return str(value)
    return f"{value:,.0f}" if value >= 20 or value == int(value) else f"{value:.1f}"
