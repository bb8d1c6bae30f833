"""Run a grid: on an engine, with one display, and nothing is ever done twice.

A finished run is a row in the results folder and is skipped. A run that was cut off left a checkpoint in
`unfinished/` and goes on from there. A run that failed is a row with its error, and is tried again the next time.
The engine only computes; this process alone writes rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

import oneof
from oneof.datasets import UnverifiedDataWarning, info
from oneof.engines.base import Engine, Failed, Report
from oneof.experiments.progress import GridProgress
from oneof.experiments.protocol import RunSpec
from oneof.experiments.store import COLUMNS, Results


@dataclass(frozen=True)
class Outcome:
    """What a run leaves: its row, one entry per epoch, one entry per class (see `store`)."""

    row: Mapping[str, Any]
    history: Sequence[Mapping[str, Any]]
    per_class: Sequence[Mapping[str, Any]]


Execute = Callable[[RunSpec, Path, Report], Outcome]
"""Do a run, keeping a checkpoint at the path given, and say after each epoch that it is done."""


@dataclass
class Tally:
    """How a grid went. `failed` maps runs to what went wrong."""

    done: int = 0
    skipped: int = 0
    failed: dict[str, str] = field(default_factory=dict)


def run_grid(
    specs: Iterable[RunSpec], results: Results, execute: Execute, engine: Engine, *, console: Console | None = None
) -> Tally:
    """Do all runs that are not finished.

    specs: the grid; runs that are equal are done once.
    results: where rows are added as runs end.
    execute: does one run. It must be importable where the engine has other processes do it.
    engine: where the runs are done. Machines of a cluster must see the results folder under the same path.
    console: where progress is shown; None shows none.
    Gives what was done. A run that fails does not stop the others; what went wrong is in `failed`.
    """
    grid = {spec.run: spec for spec in specs}
    finished = results.finished()
    pending = {run: spec for run, spec in grid.items() if run not in finished}
    tally = Tally(skipped=len(grid) - len(pending))
    if not pending:
        return tally
    unfinished = results.folder.absolute() / "unfinished"
    unfinished.mkdir(parents=True, exist_ok=True)
    with GridProgress(list(pending.values()), tally.skipped, console) as progress:
        for run, outcome in engine.run(partial(_work, execute, unfinished), pending, progress):
            spec = pending[run]
            if isinstance(outcome, Failed):
                results.add(_failed_row(spec, outcome.error), [], [])
                tally.failed[describe(spec)] = outcome.error
                progress.finished(spec, f"failed: {outcome.error}")
            else:
                results.add(outcome.row, outcome.history, outcome.per_class)
                _checkpoint(unfinished, spec).unlink(missing_ok=True)
                tally.done += 1
                progress.finished(spec, f"{outcome.row['test_accuracy']:.2f} %")
    return tally


def describe(spec: RunSpec) -> str:
    """A run in a few words, for people."""
    return f"{spec.dataset} {spec.p_yes} {spec.method} batch {spec.batch_size} seed {spec.seed} ({spec.preset})"


def _checkpoint(unfinished: Path, spec: RunSpec) -> Path:
    return unfinished / f"{spec.run}.pt"


def _work(execute: Execute, unfinished: Path, spec: RunSpec, report: Report) -> Outcome:
    with warnings.catch_warnings():
        # Said once when the grid was begun; it need not be said for each run again.
        warnings.simplefilter("ignore", UnverifiedDataWarning)
        return execute(spec, _checkpoint(unfinished, spec), report)


def _failed_row(spec: RunSpec, error: str) -> dict[str, Any]:
    """What is known of a run without having done it."""
    return dict.fromkeys(COLUMNS, "") | {
        "run": spec.run,
        "preset": spec.preset,
        "dataset": info(spec.dataset).title,
        "p_yes": spec.p_yes,
        "method": spec.method,
        "backbone": spec.backbone,
        "learning_rate": spec.learning_rate,
        "weight_decay": spec.weight_decay,
        "batch_size": spec.batch_size,
        "epochs": spec.epochs,
        "seed": spec.seed,
        "code_version": oneof.__version__,
        "configuration": spec.to_json(),
        "error": error,
    }
