"""Trains once without a break, and once killed with SIGKILL again and again and resumed; writes what came of both.

    python killed_driver.py OUT

Each attempt is a process of its own. It reports every batch, so that the kills fall on random batches, and a moment
after them: while a batch is computed, while a checkpoint is written, between the two.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

import lightning_fabric  # noqa: F401  (loaded once here, not in every attempt)
import numpy as np
import torch

from oneof import Answers, UniformQueries, respond
from oneof.training import Config, Features, fit, loop
from oneof.training.progress import Bar

KILLS = 6
CASES = {
    # SAVE_EVERY = 0 writes a checkpoint after every batch, so that most resumes start in the middle of an epoch.
    "ure": (0.0, {"objective": "ure", "loss": "gce"}),
    "proden": (0.0, {"objective": "proden"}),
    "ure-average-best": (0.0, {"objective": "ure", "loss": "gce", "average": 0.9, "selection": "best"}),
    "proden-average-paper": (0.02, {"objective": "proden", "average": 0.9, "recipe": "paper", "step_size": 2}),
}


def attempt(case: str, folder: Path, report: int | None = None) -> None:
    """One run, resumed where there is a checkpoint; dropout, shifts, two answers for some items."""
    loop.SAVE_EVERY, options = CASES[case]
    if report is not None:
        Bar.step = lambda self: os.write(report, b".") and None
    rng = np.random.default_rng(0)
    labels = rng.integers(5, size=220)
    images = rng.integers(0, 200, (220, 1, 8, 8), dtype=np.uint8)
    images[np.arange(220), 0, labels, labels] = 255
    about = np.concatenate([np.arange(220), np.arange(0, 220, 4)])
    subsets = UniformQueries(5, 2).draw(len(about), rng)
    answers = Answers(subsets, respond(subsets, labels[about]), about)
    settings = {"backbone": "mlp", "width": 24, "epochs": 8, "batch_size": 32, "augment": "shift-flip", "holdout": 0.2}
    checkpoint = folder / "run.checkpoint"
    fitted = fit(Features(images), answers, Config(**settings | options), path=checkpoint, resume=True)
    state = torch.load(checkpoint, weights_only=True)
    outcome = {
        "weights": dict(fitted.network.state_dict()),
        "history": [{k: v for k, v in row.items() if k != "seconds"} for row in fitted.history],
        "best_epoch": fitted.best_epoch,
        "accuracy": tuple(fitted.accuracy),
        "memory": state["objective"],
        "optimizer": state["optimizer"]["state"],
    }
    torch.save(outcome, folder / "part")
    (folder / "part").rename(folder / "outcome")


def fork(case: str, folder: Path, report: tuple[int, int] | None = None) -> int:
    child = os.fork()
    if child == 0:
        if report is not None:
            os.close(report[0])
        try:
            attempt(case, folder, None if report is None else report[1])
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    return child


def compare(case: str, out: Path) -> None:
    """Write both outcomes, and at which batch of its attempt each kill came."""
    chance = random.Random(case)
    whole, broken = out / "whole", out / "broken"
    whole.mkdir(parents=True)
    broken.mkdir()
    assert os.waitpid(fork(case, whole), 0)[1] == 0
    kills = []
    while not (broken / "outcome").exists():
        read, write = os.pipe()
        child = fork(case, broken, (read, write))
        os.close(write)
        wanted, steps = chance.randint(1, 6), 0
        while len(kills) < KILLS and steps < wanted and os.read(read, 1):
            steps += 1
        if len(kills) < KILLS and steps == wanted:
            time.sleep(chance.random() * 0.02)
            os.kill(child, signal.SIGKILL)
            kills.append(steps)
        else:
            while os.read(read, 4096):
                pass
        status = os.waitpid(child, 0)[1]
        os.close(read)
        if not os.WIFSIGNALED(status):
            assert status == 0, "an attempt failed"
    torch.save({"kills": kills}, out / "kills")


if __name__ == "__main__":
    torch.set_num_threads(1)
    for name in CASES:
        compare(name, Path(sys.argv[1]) / name)
