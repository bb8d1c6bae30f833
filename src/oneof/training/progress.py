"""The progress of a run on the screen: a bar with epoch, objective, raw risk, negative batches and accuracy."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

Watcher = Callable[[int, int, str], None]
_WATCHER: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watched(by: Watcher) -> Iterator[None]:
    """Within this block `by` is called during training, with the steps done, all steps, and a line of figures.

    >>> seen = []
    >>> with watched(lambda done, steps, line: seen.append((done, steps))), Bar(2, 0, False, "training") as bar:
    ...     bar.step()
    >>> seen
    [(1, 2)]
    """
    before = _WATCHER.set(by)
    try:
        yield
    finally:
        _WATCHER.reset(before)


class Bar:
    """A progress bar over steps, hidden unless `shown`, or if there is no terminal."""

    def __init__(self, steps: int, done: int, shown: bool, title: str) -> None:
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[report]}"),
            console=Console(),  # a new one, which is as wide as the window is at this moment
            disable=not shown,
        )
        self._task = self._progress.add_task(title, total=steps, completed=done, report="")
        self._watcher, self._done, self._steps, self._line = _WATCHER.get(), done, steps, title

    def step(self) -> None:
        """One batch is done."""
        self._progress.advance(self._task)
        self._done += 1
        if self._watcher is not None:
            self._watcher(self._done, self._steps, self._line)

    def epoch(self, row: dict[str, Any]) -> None:
        """Show the figures of the epoch that has just ended."""
        parts = [f"epoch {row['epoch']}", f"objective {row['objective']:.3f}"]
        if row["raw"] != row["objective"]:
            parts.append(f"raw {row['raw']:.3f}")
        if row["negative"]:
            parts.append(f"negative {row['negative']:.0%}")
        if row.get("label_free") is not None:
            parts.append(f"label-free accuracy {row['label_free']:.1%}")
        self._line = "  ".join(parts)
        self._progress.update(self._task, report=self._line)

    def __enter__(self) -> "Bar":
        self._progress.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._progress.stop()
