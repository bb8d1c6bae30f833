"""Does trials of every kind on an engine, and prints what came of them as JSON.

    python driver.py ENGINE FOLDER [ADDRESS]

A script of its own, because workers must be able to import what they are to do, and to try warnings as errors from
the first import on.
"""

import contextlib
import json
import os
import signal
import sys
import time
from collections import Counter
from pathlib import Path

import torch

from oneof import cli
from oneof.engines.base import Failed, Report
from oneof.engines.choice import choose
from oneof.objectives import losses

ROUNDS = (["raises", "dies always", "dies once", "plain"], ["another"])


class Odd(Exception):
    """An exception that does not survive pickling: it cannot be made again from its message."""

    def __init__(self, item: str, reason: str) -> None:
        super().__init__(f"{item}\n  {reason}")


def work(trial: str, report: Report) -> object:
    """What the trial's name says; epochs are counted in a file, as a checkpoint would."""
    counted = Path(trial)
    done = len(counted.read_text()) if counted.exists() else 0
    for epoch in range(done + 1, 4):
        with counted.open("a") as file:
            file.write(".")
        report(epoch)
        if trial == "dies always" or (trial == "dies once" and epoch == 2):
            os.kill(os.getpid(), signal.SIGKILL)
    if trial == "raises":
        raise Odd("item 3", "is odd")
    return {
        "threads": torch.get_num_threads(),
        "resumed": done,
        "here": os.getpid() == int(os.environ["ONEOF_TEST_DRIVER"]),
        "gpus": os.environ.get("CUDA_VISIBLE_DEVICES", "all"),
    }


def nap(trial: float, report: Report) -> float:
    """Sleep so many seconds."""
    time.sleep(trial)
    return trial


def known_loss(trial: str, report: Report) -> bool:
    """Whether a loss is known by this name where the trial is done."""
    return trial in losses.names()


def unsendable(trial: object, report: Report) -> object:
    """Give what cannot be pickled."""
    return lambda: trial


class Log:
    """Counts what a watch hears."""

    def __init__(self) -> None:
        self.heard: Counter[str] = Counter()

    def started(self, name: str) -> None:
        self.heard[f"{name} started"] += 1

    def epoch(self, name: str, epoch: int) -> None:
        self.heard[f"{name} epoch {epoch}"] += 1

    def lost(self, name: str, reason: str) -> None:
        self.heard[f"{name} lost: {reason}"] += 1


def main(name: str, folder: str, address: str | None = None) -> None:
    """Two rounds on one engine: one with trouble, and a quiet one."""
    os.chdir(folder)
    os.environ["ONEOF_TEST_DRIVER"] = str(os.getpid())
    log, results = Log(), {}
    with choose(name, workers=2, address=address, retries=1) as engine:
        for trials in ROUNDS:
            for trial, result in engine.run(work, {trial: trial for trial in trials}, log):
                assert trial not in results
                results[trial] = {"failed": result.error} if isinstance(result, Failed) else result
    print(json.dumps({"results": results, "heard": log.heard}))
    if address is not None:
        ask_for_too_much(name, address)


def ask_for_too_much(name: str, address: str) -> None:
    """The command line, with a demand that no machine here can meet: what it says goes to standard error."""
    words = f"oneof reproduce table4 --preset smoke --seeds 1 --engine {name} --address {address} --gpus-per-trial 1"
    sys.argv = [*words.split(), "--results", "refused"]
    with contextlib.suppress(SystemExit):
        cli.main()


if __name__ == "__main__":
    main(*sys.argv[1:])
