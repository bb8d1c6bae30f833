"""What every test shares: one thread, repeatable property tests, and no silent skips where CI forbids them.

Several pytest workers share the cores, so each has one thread, and so have the processes it starts. OMP_NUM_THREADS
asks for another number: that is how `make test-portable` tries two.
"""

import gc
import os
import shutil
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, settings

# Reading the tests makes a million objects that stay: looking for garbage among them again and again would take four
# of ten seconds, in each worker. `pytest_collection_finish` switches it on.
gc.disable()

torch.set_num_threads(int(os.environ.setdefault("OMP_NUM_THREADS", "1")))

# Databases wait for the disk at every commit, and their tests with them: files of tests are in memory where there is
# enough. What a killed process has written is there afterwards all the same.
MEMORY = Path("/dev/shm")
if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > 4 << 30:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

# The machine may be busy, so no deadline; the same examples in every run, so that a failure is never a matter of luck.
settings.register_profile(
    "oneof", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("oneof")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """A worker for each core; one more where slow tests run: those of servers and browsers wait much of their time."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores if "not slow" in config.getoption("markexpr") else cores + 1


SLOW = ("annotation", "engines")
"""Folders whose tests start databases, servers, browsers or clusters."""


LONGEST = (
    "test_tutorials.py",
    "test_sweeps.py",
    "test_ray.py",
    "test_crashing.py",
    "test_end_to_end.py",
    "test_workers.py",
)
"""They come first, so that no worker begins one when the others have run out of tests."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.relative_to(Path(__file__).parent).parts[0] in SLOW:
            item.add_marker("slow")
    items.sort(key=lambda item: item.path.name not in LONGEST)


def pytest_collection_finish() -> None:
    """From here on garbage is collected, but what has been loaded is not gone through again."""
    gc.freeze()
    gc.enable()


def _forbid(report: Any) -> None:
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("ONEOF_NO_SKIPS") == "1":
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        report.outcome = "failed"
        report.longrepr = f"ONEOF_NO_SKIPS=1 allows no skipped test, but: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    report = yield
    _forbid(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, Any, Any]:
    report = yield
    _forbid(report)
    return report


@pytest.fixture(scope="session")
def data_root() -> Path:
    """The folder of downloaded data sets, where there is one."""
    root = os.environ.get("ONEOF_DATA")
    if not root or not Path(root).is_dir():
        pytest.skip("ONEOF_DATA does not name a folder of data sets")
    return Path(root)
