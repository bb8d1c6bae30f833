"""Where the time goes: `make test PYTEST_ADDOPTS="-p tests.processor_time"` tells processor seconds by folder.

A test's seconds are those of its own process and of the processes below it, whether they still run or not, from the end
of the test before to its own end: what it sets up for others counts as its own. PostgreSQL's own are in none. A process
that has ended, but that nobody has asked for yet, is missing until then, so a test may have less than nothing; sums are
right.
"""

import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

TICKS = os.sysconf("SC_CLK_TCK")
spent: dict[str, Any] = {}
"""Processor seconds of each test, in the process that shows them."""
before = 0.0


def below(process: Path) -> float:
    """Processor seconds of a process, of its children that have ended, and of those that have not."""
    try:
        fields = (process / "stat").read_text().rpartition(")")[2].split()
        children = [int(one) for tasks in process.glob("task/*/children") for one in tasks.read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return 0.0  # it ended just now
    return sum(map(int, fields[11:15])) / TICKS + sum(below(Path(f"/proc/{child}")) for child in children)


def pytest_collection_finish() -> None:
    global before
    before = below(Path("/proc/self"))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    global before
    if call.when == "teardown":
        now = below(Path("/proc/self"))
        item.user_properties.append(("processor_seconds", now - before))
        before = now


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    properties = dict(report.user_properties)
    if "processor_seconds" in properties:
        spent[report.nodeid] = properties["processor_seconds"]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    folders: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for test, seconds in spent.items():
        folder = test.split("::")[0].split("/")[1]
        folders[folder] += seconds
        counts[folder] += 1
    terminalreporter.section("processor seconds")
    for folder, seconds in folders.most_common():
        terminalreporter.line(f"{seconds:8.1f} {counts[folder]:6}  {folder}")
    terminalreporter.line(f"{folders.total():8.1f} {counts.total():6}  together")
    for test, seconds in sorted(spent.items(), key=lambda one: -one[1])[:60]:
        terminalreporter.line(f"{seconds:8.2f}  {test}")
