"""What an engine is: it does many independent trials, and gives the result of each as soon as it ends.

A trial that raises an exception ends as `Failed`. A trial whose process or machine dies is begun again, at most
`retries` times, and is `Failed` after that. Neither stops the other trials. A trial computes on one thread wherever it
is done, so that every engine gives the same numbers.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Self, TypeVar

from oneof.engines.plugins import load_plugins

T = TypeVar("T")
R = TypeVar("R")

Report = Callable[[int], None]
"""Called by a trial with the number of the epoch it has done."""

Work = Callable[[T, Report], R]
"""Does one trial. It may be sent to another process, so it must be importable there, and its result must pickle."""

DEFAULT_RETRIES = 2


@dataclass(frozen=True)
class Failed:
    """A trial that gave no result, and its error in one line; text, since not every exception can be pickled."""

    error: str


class Watch:
    """Gets the progress of trials, each by its name, and does nothing with it; what shows it overrides this."""

    def started(self, name: str) -> None:
        """A trial has begun."""

    def epoch(self, name: str, epoch: int) -> None:
        """A trial has done its epoch number `epoch`, counted from 1."""

    def lost(self, name: str, reason: str) -> None:
        """The process or machine of a trial has died; the trial is begun again."""


class Engine(ABC):
    """Does trials. Use it in a `with` statement, so that the processes that it started are ended."""

    def __init__(self, retries: int) -> None:
        if retries < 0:
            raise ValueError(f"retries must be at least 0, not {retries}")
        self.retries = retries

    @abstractmethod
    def run(self, work: Work[T, R], trials: Mapping[str, T], watch: Watch) -> Iterator[tuple[str, R | Failed]]:
        """Do `work` on each trial, in any order; yield the name and the result of each as it ends."""

    @abstractmethod
    def close(self) -> None:
        """End the processes that were started for the trials."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Deaths:
    """Counts how often the process of each trial has died, and says whether to try it again.

    >>> deaths = Deaths(retries=1, watch=Watch())
    >>> deaths.verdict("a", "killed by SIGKILL")
    >>> deaths.verdict("a", "killed by SIGKILL")
    Failed(error='the worker died 2 times (killed by SIGKILL)')
    """

    def __init__(self, retries: int, watch: Watch) -> None:
        self._retries, self._watch, self._count = retries, watch, Counter[str]()

    def verdict(self, name: str, reason: str) -> Failed | None:
        """Count a death: None if the trial is to be begun again, else its failure."""
        self._count[name] += 1
        times = self._count[name]
        if times <= self._retries:
            self._watch.lost(name, f"the worker died ({reason}); retry {times} of {self._retries}")
            return None
        return Failed(f"the worker died{f' {times} times' if times > 1 else ''} ({reason})")


def attempt(work: Work[T, R], trial: T, report: Report) -> R | Failed:
    """The result of a trial, done on one thread; an exception becomes `Failed`.

    >>> attempt(lambda trial, report: 1 // trial, 0, print)
    Failed(error='ZeroDivisionError: integer division or modulo by zero')
    """
    import torch

    # Trials side by side must not compete for the cores; and with another number of threads sums are taken in another
    # order, which changes their last digits.
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        load_plugins()  # a trial may name what they register, and this process may be new
        return work(trial, report)
    except Exception as error:
        return Failed(" ".join(f"{type(error).__name__}: {error}".split()))
    finally:
        torch.set_num_threads(threads)
