"""Two actions timed side by side: they take turns, so that other work on the machine slows both alike."""

import ctypes
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import NamedTuple

Action = Callable[[], object]


class Ratio(NamedTuple):
    """Median CPU seconds of one call of each, over the turns."""

    ours: float
    theirs: float

    @property
    def value(self) -> float:
        """How many times as long ours takes."""
        return self.ours / self.theirs


def side_by_side(ours: Action, theirs: Action, turns: int, warm_up: int = 3) -> Ratio:
    """Alternate the two `turns` times, after a warm-up; CPU time, so that other work on the machine hardly counts."""
    for _ in range(warm_up):
        ours()
        theirs()
    spent: tuple[list[float], list[float]] = ([], [])
    for _ in range(turns):
        for action, times in zip((ours, theirs), spent, strict=True):
            start = time.process_time()
            action()
            times.append(time.process_time() - start)
    return Ratio(median(spent[0]), median(spent[1]))


def peak_allocation(action: Action) -> int:
    """The most bytes that Python and numpy held at once during a call, over what they held before."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        action()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def peak_resident(action: Action) -> int | None:
    """The most bytes of memory in use at once during a call, over what was in use before; None where Linux is not.

    Unlike `peak_allocation` it sees what torch allocates.
    """
    marks, status = Path("/proc/self/clear_refs"), Path("/proc/self/status")
    try:
        ctypes.CDLL(None).malloc_trim(0)  # otherwise memory that earlier calls freed would be used again uncounted
        marks.write_text("5")  # resets the peak
    except (OSError, AttributeError):
        return None
    before = _kilobytes(status, "VmRSS")
    action()
    return 1024 * (_kilobytes(status, "VmHWM") - before)


def _kilobytes(status: Path, name: str) -> int:
    return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith(f"{name}:"))
