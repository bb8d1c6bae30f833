"""What the tests of both engines share: a driver script, and what must come of it."""

import importlib
import json
import os
import re
import secrets
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import psutil
import pytest

DRIVER = Path(__file__).with_name("driver.py")


@pytest.fixture
def drive(tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """`drive(engine, *more)`: what the driver script printed; warnings are errors in it."""

    def run(engine: str, *more: str) -> dict[str, Any]:
        command = [sys.executable, "-W", "error", str(DRIVER), engine, str(tmp_path), *more]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout) | {"stderr": done.stderr}

    return run


@pytest.fixture
def check_trouble() -> Callable[[dict[str, Any]], None]:
    """What must come of the driver's trials on any engine."""

    def check(driven: dict[str, Any]) -> None:
        results, heard = driven["results"], driven["heard"]
        assert set(results) == {"raises", "dies always", "dies once", "plain", "another"}
        assert results["raises"] == {"failed": "Odd: item 3 is odd"}
        assert results["dies always"]["failed"].startswith("the worker died 2 times (")
        assert results["dies once"]["resumed"] == 2
        assert results["plain"]["resumed"] == results["another"]["resumed"] == 0
        for name in ("dies once", "plain", "another"):
            assert results[name]["threads"] == 1
            assert not results[name]["here"]
        lost = sorted(line.split(" lost: ")[0] for line in heard if "lost" in line)
        assert lost == ["dies always", "dies once"]
        assert all("retry 1 of 1" in line for line in heard if "lost" in line)

    return check


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The driver script as a module that spawned processes can import too."""
    monkeypatch.syspath_prepend(str(DRIVER.parent))
    return importlib.import_module("driver")


@pytest.fixture(scope="package")
def address() -> Iterator[str]:
    """A Ray cluster of this machine alone, started as a user would start it, with a token of its own."""
    pytest.importorskip("ray", reason="the ray extra is not installed")
    given = os.environ.copy()
    os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    command = [str(Path(sys.executable).with_name("ray")), "start", "--head", "--block", "--port=0", "--num-cpus=2"]
    more = ["--object-store-memory=100000000", "--include-dashboard=false", "--disable-usage-stats"]
    head = subprocess.Popen([*command, *more], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert head.stdout is not None
    family: list[psutil.Process] = []
    try:
        printed = ""
        while (found := re.search(r"ray start --address='([^']+)'", printed)) is None:
            line = head.stdout.readline()
            assert line, printed
            printed += line
            family = psutil.Process(head.pid).children(recursive=True)
        yield found[1]
    finally:
        head.send_signal(signal.SIGTERM)  # not `ray stop`, which would end other people's clusters too
        head.stdout.close()
        head.wait(timeout=60)
        for process in psutil.wait_procs(family, timeout=10)[1]:
            process.kill()
        os.environ.clear()
        os.environ |= given
