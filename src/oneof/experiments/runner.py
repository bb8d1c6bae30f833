"""Run a grid: on an engine, with one display, and nothing is ever done twice.

A finished run is a row in the results folder and is skipped. A run that was cut off left a checkpoint in
`unfinished/` and goes on from there. A run that failed is a row with its error, and is tried again the next time.
The engine only computes; this process alone writes rows.
"""

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
class RunResult:
    """What a run leaves: its row, one entry per epoch, one entry per class (see `store`)."""

    row: Mapping[str, Any]
    history: Sequence[Mapping[str, Any]]
    per_class: Sequence[Mapping[str, Any]]


Execute = Callable[[RunSpec, Path, Report], RunResult]
"""Does a run, keeps a checkpoint at the path, and reports each epoch."""


@dataclass
class Tally:
    """How many runs of a grid were done and skipped, and those that failed, in words, with their errors."""

    done: int = 0
    skipped: int = 0
    failed: dict[str, str] = field(default_factory=dict)


def run_grid(
    specs: Iterable[RunSpec], results: Results, execute: Execute, engine: Engine, *, console: Console | None = None
) -> Tally:
    """Do all runs that are not finished, and add their rows to the results as each ends.

    Runs that are equal are done once. A run that fails does not stop the others. execute: does one run; other processes
    must be able to import it. engine: machines of a cluster must see the results folder under the same path. console:
    where progress is shown; None shows none.
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
        for run, result in engine.run(partial(_work, execute, unfinished), pending, progress):
            spec = pending[run]
            if isinstance(result, Failed):
                results.add(_failed_row(spec, result.error), [], [])
                tally.failed[f"{spec.describe()} ({spec.preset})"] = result.error
                progress.finished(spec, f"failed: {result.error}")
            else:
                results.add(result.row, result.history, result.per_class)
                _checkpoint(unfinished, spec).unlink(missing_ok=True)
                tally.done += 1
                progress.finished(spec, f"{result.row['test_accuracy']:.2f} %")
    return tally


def _checkpoint(unfinished: Path, spec: RunSpec) -> Path:
    return unfinished / f"{spec.run}.pt"


def _work(execute: Execute, unfinished: Path, spec: RunSpec, report: Report) -> RunResult:
    with warnings.catch_warnings():
        # Shown once when the grid was begun, and not for each run again.
        warnings.simplefilter("ignore", UnverifiedDataWarning)
        return execute(spec, _checkpoint(unfinished, spec), report)


def _failed_row(spec: RunSpec, error: str) -> dict[str, Any]:
    """The row of a run that gave no figures."""
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
