import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from oneof.engines.ray import Ray

pytest.importorskip("ray", reason="the ray extra is not installed")
Drive = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A cluster of this machine alone, started as a user would start it."""
    command = [str(Path(sys.executable).with_name("ray")), "start", "--head", "--block", "--port=0", "--num-cpus=2"]
    more = ["--object-store-memory=100000000", "--include-dashboard=false", "--disable-usage-stats"]
    head = subprocess.Popen([*command, *more], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert head.stdout is not None
    family: list[psutil.Process] = []
    try:
        told = ""
        while (found := re.search(r"ray start --address='([^']+)'", told)) is None:
            line = head.stdout.readline()
            assert line, told
            told += line
        family = psutil.Process(head.pid).children(recursive=True)
        yield found[1]
    finally:
        head.send_signal(signal.SIGTERM)  # not `ray stop`, which would end other people's clusters too
        head.stdout.close()
        head.wait(timeout=60)
        _end(family)


def _end(processes: list[psutil.Process]) -> None:
    for process in psutil.wait_procs(processes, timeout=10)[1]:
        process.kill()


def test_trouble_on_a_cluster_of_its_own(
    drive: Drive, check_trouble: Callable[[dict[str, Any]], None]
) -> None:
    told = drive("ray")
    check_trouble(told)
    assert {outcome.get("gpus", "") for outcome in told["outcomes"].values()} == {""}
    # Ray itself says that a worker died; besides that it is quiet.
    assert all("A worker died or was killed" in line for line in told["stderr"].splitlines())


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"workers": 0}, "workers must be at least 1, not 0"),
        ({"cpus": 0.0}, "a trial needs a share of a CPU or GPU, not 0 CPUs and 0 GPUs"),
        ({"gpus": -1.0}, "a trial needs a share of a CPU or GPU, not 1 CPUs and -1 GPUs"),
    ],
)
def test_mistakes(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Ray(**options)
