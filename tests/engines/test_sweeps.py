"""The same sweep gives the same rows on any engine, and also when it is killed half-way and started again."""

import importlib
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import psutil
import pytest
from typer.testing import CliRunner

from oneof.cli import app
from oneof.engines.local import Local
from oneof.experiments.protocol import RunSpec
from oneof.experiments.run import execute
from oneof.experiments.runner import Tally, run_grid
from oneof.experiments.store import Results
from oneof.training import checkpoint

DRIVER = Path(__file__).with_name("sweep_driver.py")
PATIENT = (["ray::DashboardAgent"], ["ray::RuntimeEnvAgent"])
"""Two processes of a Ray cluster that, idle, wait for a minute whether it comes back before they go."""


@pytest.fixture(scope="module")
def specs() -> list[RunSpec]:
    sys.path.insert(0, str(DRIVER.parent))
    try:
        return importlib.import_module(DRIVER.stem).SPECS
    finally:
        sys.path.pop(0)


@pytest.fixture(scope="module")
def whole(specs: list[RunSpec], tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The sweep in one go, in this process."""
    results = Results(tmp_path_factory.mktemp("whole"))
    assert run_grid(specs, results, execute, Local(1)).done == 4
    return results


def untimed(results: Results) -> list[pd.DataFrame]:
    """Every file of the results but for times; runs may end in any order."""
    tables = (results.rows(), results.histories(), results.per_class())
    return [
        table.drop(columns="seconds").sort_values(list(table.columns[:2])).reset_index(drop=True) for table in tables
    ]


def start(engine: str, folder: Path, *address: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "error", str(DRIVER), engine, str(folder), *address]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def still_there(processes: list[psutil.Process]) -> list[psutil.Process]:
    """Those that do not end within half a minute; a dead one may wait long for init to look after it."""
    deadline = time.monotonic() + 30
    while processes and time.monotonic() < deadline:
        processes = [one for one in processes if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]
        time.sleep(0.1)
    return processes


@pytest.mark.parametrize("engine", ["local", "ray"])
def test_killed_and_started_again(
    engine: str, specs: list[RunSpec], whole: Results, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Killed on an engine of its own; started again in this process, or on a cluster that is there already."""
    if engine == "ray":
        pytest.importorskip("ray", reason="the ray extra is not installed")
    results = Results(tmp_path)
    halves = [tmp_path / "unfinished" / f"{spec.run}.pt" for spec in specs[2:]]
    hold = tmp_path / "unfinished" / "hold"
    hold.parent.mkdir()
    hold.touch()
    first = start(engine, tmp_path)
    deadline = time.monotonic() + 300
    while len(results.finished()) < 2 or not all(path.exists() for path in halves):
        assert first.poll() is None, first.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    others = psutil.Process(first.pid).children(recursive=True)
    patient = [one for one in others if one.cmdline()[:1] in PATIENT]
    first.send_signal(signal.SIGKILL)
    first.communicate()
    left = still_there([one for one in others if one not in patient])
    for one in patient:
        one.kill()
    assert left == []
    hold.unlink()

    kept = results.rows()
    assert set(kept["run"]) == {spec.run for spec in specs[:2]}
    begun = {path.stem: checkpoint.load(path)["history"] for path in halves}
    if engine == "ray":
        out, err = start(engine, tmp_path, request.getfixturevalue("address")).communicate(timeout=300)
        assert (out, err) == ("Tally(done=2, skipped=2, failed={})\n", "")
    else:
        assert run_grid(specs, results, execute, Local(1)) == Tally(done=2, skipped=2, failed={})
    assert results.rows().head(2).equals(kept), "what was finished was not done again"
    histories = results.histories()
    for run, history in begun.items():
        mine = histories[histories["run"] == run]
        assert mine["seconds"].iloc[0] == round(history[0]["seconds"], 2), "the first epoch is the one before the kill"
    for table, wanted in zip(untimed(results), untimed(whole), strict=True):
        pd.testing.assert_frame_equal(table, wanted)
    assert list((tmp_path / "unfinished").glob("[0-9a-f]*")) == []


def shell(*words: object) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("oneof")), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done


def here(*words: object) -> str:
    """Run a command in this process."""
    done = CliRunner().invoke(app, [*map(str, words)])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_commands_give_on_a_cluster_what_they_give_here(address: str, tmp_path: Path) -> None:
    cluster, alone = ("--engine", "ray", "--address", address), ("--workers", 1)
    table = ("reproduce", "table4", "--preset", "smoke", "--seeds", 1, "--results")
    shell(*table, tmp_path / "cluster", *cluster)
    here(*table, tmp_path / "here", *alone)
    for one, other in zip(untimed(Results(tmp_path / "cluster")), untimed(Results(tmp_path / "here")), strict=True):
        pd.testing.assert_frame_equal(one, other)

    items, answers = "dataset:digits/train", tmp_path / "answers.csv"
    here("simulate", items, "--size", 3, "--out", answers)
    search = ("train", items, answers, "--search", "grid", "--backbone", "mlp", "--epochs", 1, "--out")
    there = json.loads(shell(*search, tmp_path / "model", *cluster, "--json").stdout)
    assert there | {"out": ""} == json.loads(here(*search, tmp_path / "other", *alone, "--json")) | {"out": ""}
    assert sorted(path.name for path in tmp_path.glob("*.json")) == []
