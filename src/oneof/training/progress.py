"""What a run shows while it goes on: one bar with epoch, objective, raw risk, negative batches, accuracy."""

from types import TracebackType
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


class Bar:
    """A progress bar over steps; hidden unless asked for or where there is no terminal."""

    def __init__(self, steps: int, done: int, shown: bool, title: str) -> None:
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[report]}"),
            disable=not shown,
        )
        self._task = self._progress.add_task(title, total=steps, completed=done, report="")

    def step(self) -> None:
        """One batch is done."""
        self._progress.advance(self._task)

    def epoch(self, row: dict[str, Any]) -> None:
        """Show the figures of the epoch just ended."""
        parts = [f"epoch {row['epoch']}", f"objective {row['objective']:.3f}"]
        if row["raw"] != row["objective"]:
            parts.append(f"raw {row['raw']:.3f}")
        if row["negative"]:
            parts.append(f"negative {row['negative']:.0%}")
        if row.get("label_free") is not None:
            parts.append(f"label-free accuracy {row['label_free']:.1%}")
        self._progress.update(self._task, report="  ".join(parts))

    def __enter__(self) -> "Bar":
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()
