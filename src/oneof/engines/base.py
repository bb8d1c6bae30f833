"""What an engine is: it does many independent trials somewhere, and hands back each as it ends.

A trial that raises ends as `Failed`. A trial whose process or machine dies is begun again, as often as `retries`
says, and is `Failed` after that. Neither stops the others. A trial computes on one thread wherever it is done, so
every engine gives the same numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, Self, TypeVar

T = TypeVar("T")
R = TypeVar("R")

Report = Callable[[int], None]
"""Called by a trial with the number of the epoch it has done."""

Work = Callable[[T, Report], R]
"""Does one trial. It may be sent to another process, so it must be importable there, and its result must pickle."""

DEFAULT_RETRIES = 2


@dataclass(frozen=True)
class Failed:
    """How a trial ended that gave no result; the error in one line. Text, as not every exception survives pickling."""

    error: str


class Watch(Protocol):
    """Hears how trials, each known by its name, get on."""

    def started(self, name: str) -> None:
        """A trial has begun."""

    def epoch(self, name: str, epoch: int) -> None:
        """A trial has done its epoch number `epoch`, counted from 1."""

    def lost(self, name: str, reason: str) -> None:
        """What did the trial has died; the trial is begun again."""


class Unwatched:
    """Hears and says nothing."""

    def started(self, name: str) -> None:
        """Do nothing."""

    def epoch(self, name: str, epoch: int) -> None:
        """Do nothing."""

    def lost(self, name: str, reason: str) -> None:
        """Do nothing."""


class Engine(ABC):
    """Does trials. Use it in a `with` statement, so that what it started is ended."""

    def __init__(self, retries: int) -> None:
        if retries < 0:
            raise ValueError(f"retries must be at least 0, not {retries}")
        self.retries = retries

    @abstractmethod
    def run(self, work: Work[T, R], trials: Mapping[str, T], watch: Watch) -> Iterator[tuple[str, R | Failed]]:
        """Do `work` on each trial, in any order; yield its name and what came of it, as each ends."""

    @abstractmethod
    def close(self) -> None:
        """End what was started for the trials."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Deaths:
    """Counts how often the process of each trial has died, and says whether to try it again.

    >>> deaths = Deaths(retries=1, watch=Unwatched())
    >>> deaths.verdict("a", "killed by SIGKILL")
    >>> deaths.verdict("a", "killed by SIGKILL")
    Failed(error='the worker died 2 times (killed by SIGKILL)')
    """

    def __init__(self, retries: int, watch: Watch) -> None:
        self._retries, self._watch, self._count = retries, watch, Counter[str]()

    def verdict(self, name: str, reason: str) -> Failed | None:
        """Note a death. None: begin the trial again; otherwise how it ended."""
        self._count[name] += 1
        times = self._count[name]
        if times <= self._retries:
            self._watch.lost(name, f"the worker died ({reason}); retry {times} of {self._retries}")
            return None
        return Failed(f"the worker died{f' {times} times' if times > 1 else ''} ({reason})")


def attempt(work: Work[T, R], trial: T, report: Report) -> R | Failed:
    """Do a trial on one thread; an exception is a result too.

    >>> attempt(lambda trial, report: 1 // trial, 0, print)
    Failed(error='ZeroDivisionError: integer division or modulo by zero')
    """
    import torch

    # Trials side by side must not fight over the cores, and with another number of threads sums come out in another
    # order, and so in other last digits.
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return work(trial, report)
    except Exception as error:
        return Failed(" ".join(f"{type(error).__name__}: {error}".split()))
    finally:
        torch.set_num_threads(threads)
