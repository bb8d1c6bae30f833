import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from oneof.engines.base import Report
from oneof.engines.local import Local
from oneof.experiments.grid import needed
from oneof.experiments.protocol import RunSpec, preset
from oneof.experiments.run import execute
from oneof.experiments.runner import RunResult, run_grid
from oneof.experiments.store import Results

Maker = Callable[..., dict[str, Any]]
SPECS = needed("table3", preset("smoke"))[:4]
HERE = Local(1)


class Fake:
    """Stands in for training: counts calls, leaves a checkpoint, and fails where it is told to."""

    def __init__(self, make_row: Maker, fails: str = "") -> None:
        self.make_row, self.fails, self.calls = make_row, fails, []

    def __call__(self, spec: RunSpec, path: Path, on_epoch: Report) -> RunResult:
        self.calls.append((spec.run, path.exists()))
        path.write_text("half-way")
        for epoch in range(1, spec.epochs + 1):
            on_epoch(epoch)
        if spec.method == self.fails:
            raise MemoryError("too large")
        return RunResult(self.make_row(run=spec.run), [], [])


def test_every_run_once_and_never_again(tmp_path: Path, make_row: Maker) -> None:
    fake, results = Fake(make_row), Results(tmp_path)
    summary = run_grid([*SPECS, SPECS[0]], results, fake, HERE)
    assert (summary.done, summary.skipped, summary.failed) == (4, 0, {})
    assert results.finished() == {spec.run for spec in SPECS}
    again = run_grid(SPECS, results, fake, HERE)
    assert (again.done, again.skipped) == (0, 4)
    assert len(fake.calls) == 4
    assert list((tmp_path / "unfinished").iterdir()) == []


def test_a_failure_keeps_the_others_and_its_checkpoint(tmp_path: Path, make_row: Maker) -> None:
    results = Results(tmp_path)
    summary = run_grid(SPECS, results, Fake(make_row, fails="GCE-NN"), HERE)
    bad = next(spec for spec in SPECS if spec.method == "GCE-NN")
    assert summary.failed == {f"{bad.describe()} ({bad.preset})": "MemoryError: too large"}
    assert summary.done == 3
    second = Fake(make_row)
    run_grid(SPECS, results, second, HERE)
    assert second.calls == [(bad.run, True)]


def test_without_a_terminal_one_line_a_run(tmp_path: Path, make_row: Maker) -> None:
    console = Console(file=io.StringIO(), width=200)
    run_grid(SPECS[:2], Results(tmp_path), Fake(make_row), HERE, console=console)
    lines = console.file.getvalue().splitlines()
    assert [line.split("  ")[0] for line in lines] == ["1/2 runs", "2/2 runs"]
    assert lines[0].endswith("digits P(s=1)=0.3 GCE-ABS batch 128 seed 0: 88.00 %")


def test_a_failure_is_a_row_until_it_succeeds(tmp_path: Path, make_row: Maker) -> None:
    results = Results(tmp_path)
    bad = next(spec for spec in SPECS if spec.method == "GCE-NN")
    for _ in range(2):
        run_grid(SPECS, results, Fake(make_row, fails="GCE-NN"), HERE)
        (row,) = results.failed().to_dict("records")
        assert (row["run"], row["error"]) == (bad.run, "MemoryError: too large")
        assert RunSpec.from_json(row["configuration"]) == bad
        assert np.isnan(row["test_accuracy"])
        assert results.finished() == {spec.run for spec in SPECS} - {bad.run}
    run_grid(SPECS, results, Fake(make_row), HERE)
    assert results.failed().empty
    assert bad.run in results.finished()


def test_a_run_that_cannot_begin_does_not_stop_one_that_can(tmp_path: Path) -> None:
    """With real training; that two processes give what one gives is tried in tests/engines."""
    good = replace(SPECS[0], epochs=2)
    bad = replace(good, backbone="none such")
    summary = run_grid([bad, good], Results(tmp_path), execute, HERE)
    assert summary.done == 1
    assert "unknown backbone 'none such'" in summary.failed[f"{bad.describe()} ({bad.preset})"]
