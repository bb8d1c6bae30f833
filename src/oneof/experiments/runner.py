"""Run a grid: processes side by side, one display, and nothing is ever done twice.

A finished run is a row in the results folder and is skipped. A run that was cut off left a checkpoint in
``unfinished/`` and goes on from there. Workers only compute; this process alone writes rows.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.queues import SimpleQueue
from pathlib import Path
from typing import Any

from rich.console import Console

from oneof.datasets import UnverifiedDataWarning
from oneof.experiments.progress import GridProgress
from oneof.experiments.protocol import RunSpec
from oneof.experiments.store import Results

OnEpoch = Callable[[int], None]


@dataclass(frozen=True)
class Outcome:
    """What a run leaves: its row, one entry an epoch, one entry a class (see ``store``)."""

    row: Mapping[str, Any]
    history: Sequence[Mapping[str, Any]]
    per_class: Sequence[Mapping[str, Any]]


Execute = Callable[[RunSpec, Path, OnEpoch], Outcome]
"""Do a run, keeping a checkpoint at the path given, and say after each epoch that it is done."""


@dataclass
class Summary:
    """How a grid went. ``failed`` maps runs to what went wrong."""

    done: int = 0
    skipped: int = 0
    failed: dict[str, str] = field(default_factory=dict)


def run_grid(
    specs: Iterable[RunSpec], results: Results, execute: Execute, *, workers: int = 2, console: Console | None = None
) -> Summary:
    """Do all runs that are not finished.

    Args:
        specs: the grid; runs that are equal are done once.
        results: where rows are added as runs finish.
        execute: does one run. With two workers or more it must be importable, as it runs in another process.
        workers: how many processes; 1 runs here, without a second process.
        console: where progress is shown; None shows none.

    Returns:
        What was done. A run that fails does not stop the others; what went wrong is in ``failed``.
    """
    if workers < 1:
        raise ValueError(f"workers must be at least 1, not {workers}")
    grid = list(dict.fromkeys(specs))
    finished = results.finished()
    pending = [spec for spec in grid if spec.run not in finished]
    summary = Summary(skipped=len(grid) - len(pending))
    if not pending:
        return summary
    unfinished = results.folder / "unfinished"
    unfinished.mkdir(parents=True, exist_ok=True)

    def settle(spec: RunSpec, outcome: Outcome | Exception) -> None:
        if isinstance(outcome, Outcome):
            results.add(outcome.row, outcome.history, outcome.per_class)
            _checkpoint(unfinished, spec).unlink(missing_ok=True)
            summary.done += 1
            progress.finished(spec, f"{outcome.row['test_accuracy']:.2f} %")
        else:
            summary.failed[describe(spec)] = f"{type(outcome).__name__}: {outcome}"
            progress.finished(spec, f"failed: {outcome}")

    with GridProgress(pending, summary.skipped, console) as progress:
        if workers == 1:
            for spec in pending:
                progress.started(spec)
                settle(spec, _attempt(execute, spec, unfinished, partial(progress.epoch, spec.run)))
        else:
            _in_processes(pending, execute, unfinished, workers, progress, settle)
    return summary


def describe(spec: RunSpec) -> str:
    """Return a run in a few words, for people."""
    return f"{spec.dataset} {spec.p_yes} {spec.method} batch {spec.batch_size} seed {spec.seed} ({spec.preset})"


def _checkpoint(unfinished: Path, spec: RunSpec) -> Path:
    return unfinished / f"{spec.run}.pt"


def _attempt(execute: Execute, spec: RunSpec, unfinished: Path, on_epoch: OnEpoch) -> Outcome | Exception:
    try:
        return execute(spec, _checkpoint(unfinished, spec), on_epoch)
    except Exception as error:
        return error


def _in_processes(
    pending: Sequence[RunSpec],
    execute: Execute,
    unfinished: Path,
    workers: int,
    progress: GridProgress,
    settle: Callable[[RunSpec, Outcome | Exception], None],
) -> None:
    # Spawned, not forked: torch's threads do not survive a fork.
    context = multiprocessing.get_context("spawn")
    epochs: SimpleQueue[tuple[str, int]] = context.SimpleQueue()
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_enter_worker, initargs=(epochs,))
    others = set(multiprocessing.active_children())
    queue = list(reversed(pending))
    running: dict[Future[Outcome | Exception], RunSpec] = {}
    try:
        while queue or running:
            while queue and len(running) < workers:
                spec = queue.pop()
                progress.started(spec)
                running[pool.submit(_work, execute, spec, unfinished)] = spec
            ready, _ = wait(running, timeout=0.5, return_when=FIRST_COMPLETED)
            while not epochs.empty():
                progress.epoch(*epochs.get())
            for future in ready:
                settle(running.pop(future), future.result())
    except BrokenProcessPool as error:
        raise RuntimeError(
            "a worker process died, perhaps for want of memory; finished runs are kept, start again to go on"
        ) from error
    finally:
        if queue or running:
            # Cut off, by Ctrl-C or a fault. The checkpoints are enough to go on from, so there is nothing to wait for.
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
        pool.shutdown(wait=True, cancel_futures=True)


_epochs: SimpleQueue[tuple[str, int]] | None = None


def _enter_worker(epochs: SimpleQueue[tuple[str, int]]) -> None:
    global _epochs
    _epochs = epochs
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    # The main process has said it once; a worker need not say it for each data set again.
    warnings.filterwarnings("ignore", category=UnverifiedDataWarning)
    import torch

    # One thread a process: two processes on two cores must not fight over them.
    torch.set_num_threads(1)


def _leave_with_parent() -> None:
    """End this worker when the main process is gone, killed perhaps: a lost worker would train for nobody."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(execute: Execute, spec: RunSpec, unfinished: Path) -> Outcome | Exception:
    def on_epoch(epoch: int) -> None:
        if _epochs is not None:
            _epochs.put((spec.run, epoch))

    return _attempt(execute, spec, unfinished, on_epoch)
