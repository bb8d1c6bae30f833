"""One display for a whole grid: how many runs are done, what is running, and how long it will take."""

from collections.abc import Sequence
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from oneof.datasets import info
from oneof.engines.base import Watch
from oneof.experiments.protocol import RunSpec

# Rough cost of one item in one epoch: that of a ResNet is many times that of an MLP.
COST = {"mlp": 1, "mlp-plain": 1, "cnn": 8, "cnn-strided": 2, "cnn-quick": 16, "resnet9": 12, "resnet34": 120}
WINDOW_SECONDS = 1800.0


def work(spec: RunSpec) -> float:
    """The cost of one epoch of a run, in items of an MLP."""
    return float(info(spec.dataset).paper_sizes[0] * COST.get(spec.backbone, 10))


class GridProgress(Watch):
    """Shows the progress of a grid: on a terminal as bars, elsewhere as one line per finished run."""

    def __init__(self, pending: Sequence[RunSpec], skipped: int, console: Console | None) -> None:
        self._console = console
        self._live = console is not None and console.is_terminal
        self._total, self._skipped, self._done = len(pending), skipped, 0
        self._specs = {spec.run: spec for spec in pending}
        self._epochs = dict.fromkeys(self._specs, 0)
        self._tasks: dict[str, TaskID] = {}
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[count]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            disable=not self._live,
            speed_estimate_period=WINDOW_SECONDS,
        )
        total = sum(work(spec) * spec.epochs for spec in pending)
        self._whole = self._bars.add_task("all runs", total=total, count=self._count())

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._bars.stop()

    def started(self, name: str) -> None:
        """Show a run that has begun, for the first time or again."""
        if name in self._tasks:
            return
        spec = self._specs[name]
        text = f"{spec.dataset} {spec.p_yes} {spec.method} seed {spec.seed}"
        self._tasks[name] = self._bars.add_task(f"  {text}", total=spec.epochs, count=f"0/{spec.epochs} epochs")

    def epoch(self, name: str, epoch: int) -> None:
        """Note that a run has done its epoch number `epoch`, counted from 1."""
        spec = self._specs[name]
        steps = epoch - self._epochs[name]
        self._epochs[name] = epoch
        self._bars.update(self._whole, advance=work(spec) * steps)
        if name in self._tasks:
            self._bars.update(self._tasks[name], completed=epoch, count=f"{epoch}/{spec.epochs} epochs")

    def lost(self, name: str, reason: str) -> None:
        """Tell that a run has to be begun again."""
        if self._console is not None:
            self._console.print(f"{self._specs[name].describe()}: {reason}", highlight=False, markup=False)

    def finished(self, spec: RunSpec, result: str) -> None:
        """Note that a run has ended, well or not."""
        self.epoch(spec.run, spec.epochs)
        self._done += 1
        task = self._tasks.pop(spec.run, None)
        if task is not None:
            self._bars.remove_task(task)
        self._bars.update(self._whole, count=self._count())
        if self._console is not None and not self._live:
            self._console.print(f"{self._count()}  {spec.describe()}: {result}", highlight=False, markup=False)

    def _count(self) -> str:
        already = f" ({self._skipped} already there)" if self._skipped else ""
        return f"{self._done}/{self._total} runs{already}"
