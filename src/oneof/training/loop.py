"""The training loop, in one piece.

Exact resume: the order of an epoch follows from the seed and the epoch's number; everything else that changes is in
the checkpoint (weights, optimizer, schedule, generators, position, history, what the objective remembers). So a run
that was killed at any moment goes on to the same weights, bit for bit, as one that never was.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from lightning_fabric import Fabric
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from oneof.objectives import Batch, Objective
from oneof.training import checkpoint
from oneof.training.augment import augment
from oneof.training.callbacks import Callback
from oneof.training.config import Config
from oneof.training.data import Answered, Features
from oneof.training.network import train_mode
from oneof.training.optimizer import create_optimizer
from oneof.training.progress import Bar
from oneof.training.step import gradient
from oneof.training.workers import PRECISIONS, Workers, launch

Judge = Callable[[nn.Module], dict[str, Any]]
"""Figures for the history from a network in evaluation mode; its "select" entry, if any, ranks the epochs."""

SAVE_EVERY = 60.0
"""Seconds between checkpoints within an epoch; the end of an epoch always gets one."""


FIGURES = ("objective", "raw", "negative", "one_sided")
"""What is averaged over an epoch's batches: corrected and raw risk; whether it was negative, and all answers alike."""


class Diverged(RuntimeError):
    """The risk was not a finite number any more."""


@dataclass
class Run:
    """What came out: the network in its chosen state, one row of figures per epoch, and which epoch was chosen."""

    network: nn.Module
    history: list[dict[str, Any]]
    best_epoch: int


@dataclass
class Progress:
    """What changes as a run goes on, besides its parts; all of it is in the checkpoint."""

    position: int = 0
    """Batches done, over all epochs."""
    sums: list[float] = field(default_factory=lambda: [0.0] * len(FIGURES))
    """The figures of this epoch's batches, added up."""
    history: list[dict[str, Any]] = field(default_factory=list)
    best_epoch: int = 0
    best: dict[str, Any] | None = None
    """The score and the weights of the best epoch, where one is chosen."""


@dataclass
class Training:
    """A run under way: what it is made of, how far it has come, and where it is written down."""

    config: Config
    features: Features
    answered: Answered
    objective: Objective
    network: nn.Module
    workers: Workers
    judge: Judge | None
    path: Path | None
    callbacks: Sequence[Callback] = ()

    def __post_init__(self) -> None:
        fabric, seed = self.workers.fabric, self.config.seed + self.workers.rank
        torch.manual_seed(seed)
        self.drawn = torch.Generator().manual_seed(seed)
        self.items = torch.from_numpy(self.answered.items)
        self.batches, self.epochs = _length(len(self.items), self.config)
        optimizer, self.schedule = create_optimizer(self.network, self.config, self.batches, self.epochs)
        self.module, self.stepper = fabric.setup(self.network, optimizer)
        self.objective.prepare(int(self.items.max()) + 1, self.answered.classes)
        self.parts: dict[str, Any] = {
            "network": self.network,
            "optimizer": optimizer,
            "schedule": self.schedule,
            "objective": self.objective,
            "precision": fabric.strategy.precision,  # the scale of the gradients, where they are scaled
        }
        self.result, self.average = self.network, None
        if self.config.average:
            decay = get_ema_multi_avg_fn(self.config.average)
            self.average = AveragedModel(self.network, multi_avg_fn=decay, use_buffers=True)
            self.parts["average"], self.result = self.average, self.average.module
        self.origin = {"configuration": self.config.model_dump(), "set of answers": self.answered.fingerprint()}
        self.now = Progress()
        self.saved = self.started = time.monotonic()

    def restore(self) -> None:
        """Go on from the checkpoint."""
        assert self.path is not None
        self.now = Progress(**checkpoint.restore(self.path, self.parts, self.drawn, self.origin, self.workers.rank))
        self.started -= self.now.history[-1]["seconds"] if self.now.history else 0.0

    def save(self) -> None:
        """Write a checkpoint, after a look at what is written."""
        if not all(tensor.isfinite().all() for tensor in self.network.state_dict().values()):
            raise Diverged(self.diverged("the weights", math.nan, (self.now.position - 1) // self.batches))
        self.objective.merge(self.workers.sum)
        generators = {
            "drawn": self.workers.gather(self.drawn.get_state()),
            "torch": self.workers.gather(torch.get_rng_state()),
        }
        if self.path is not None and self.workers.first:
            states = {name: part.state_dict() for name, part in self.parts.items()}
            checkpoint.save(self.path, states | generators | vars(self.now) | self.origin)
        self.workers.wait()
        self.saved = time.monotonic()

    def diverged(self, what: str, value: float, epoch: int) -> str:
        """What happened, and what can be done."""
        kept = f"; the last good state is in {self.path}" if self.path is not None and self.path.exists() else ""
        return (
            f"{what} became {value} in epoch {epoch + 1}: lower the learning rate (now {self.config.learning_rate:g}) "
            f"or use a bounded loss{kept}"
        )


def train(
    network: nn.Module,
    features: Features,
    answered: Answered,
    objective: Objective,
    config: Config,
    *,
    judge: Judge | None = None,
    callbacks: Sequence[Callback] = (),
    path: Path | None = None,
    resume: bool = False,
    shown: bool = False,
    fabric: Fabric | None = None,
) -> Run:
    """Train `network` on the answered items; `config` is resolved.

    judge: called after each epoch. callbacks: called with each epoch's row of figures, by the first worker.
    path: where checkpoints go. resume: go on from the one that is there.
    """
    workers = Workers(fabric or launch(precision=config.precision, device=config.device))
    precision = workers.fabric.strategy.precision.precision
    if precision != PRECISIONS[config.precision]:
        raise ValueError(f"the workers compute in {precision}, but the configuration says {config.precision}")
    run = Training(config, features, answered, objective, network, workers, judge, path, callbacks)
    if resume and path is not None and path.exists():
        run.restore()
    now, steps = run.now, run.batches * run.epochs
    with workers.watch(path), Bar(steps, now.position, shown and workers.first, str(config.objective)) as bar:
        while now.position < steps:
            train_epoch(run, bar)
            end_epoch(run, bar)
    if now.best is not None:
        run.result.load_state_dict(now.best["weights"])
    return Run(run.result.eval(), now.history, now.best_epoch or run.epochs)


def train_epoch(run: Training, bar: Bar) -> None:
    """The batches of an epoch that are not done yet."""
    now, config, workers = run.now, run.config, run.workers
    epoch, done = divmod(now.position, run.batches)
    train_mode(run.network)
    for rows in torch.tensor_split(_order(run.items, config.seed, epoch), run.batches)[done:]:
        pieces = torch.tensor_split(workers.part(rows), config.accumulate)
        run.stepper.zero_grad()
        batches = [_cut(run, piece) for piece in pieces if len(piece)]
        step = gradient(run.module, run.network, run.objective, batches, workers)
        if not math.isfinite(step.raw):
            raise Diverged(run.diverged("the risk", step.raw, epoch))
        run.stepper.step()
        run.schedule.step()
        if run.average is not None:
            run.average.update_parameters(run.network)
        now.position += 1
        figures = (step.value, step.raw, step.raw < 0, step.one_sided)
        now.sums = [total + float(figure) for total, figure in zip(now.sums, figures, strict=True)]
        bar.step()
        if now.position % run.batches and workers.agree(time.monotonic() - run.saved > SAVE_EVERY, now.position):
            run.save()


def end_epoch(run: Training, bar: Bar) -> None:
    """Judge the network, note the figures of the epoch, keep the weights if they are the best, and save."""
    now, epoch = run.now, len(run.now.history) + 1
    run.objective.merge(run.workers.sum)
    means = (total / run.batches for total in now.sums)
    row = {"epoch": epoch, **dict(zip(FIGURES, means, strict=True)), "learning_rate": run.schedule.get_last_lr()[0]}
    run.result.eval()
    row |= run.judge(run.result) if run.judge is not None else {}
    score = row.pop("select", None)
    row["seconds"] = time.monotonic() - run.started
    now.sums, now.history = [0.0] * len(FIGURES), [*now.history, row]
    if run.config.selection == "best" and score is not None and (now.best is None or score >= now.best["score"]):
        weights = {name: tensor.clone() for name, tensor in run.result.state_dict().items()}
        now.best_epoch, now.best = epoch, {"score": score, "weights": weights}
    bar.epoch(row)
    run.save()
    for callback in run.callbacks if run.workers.first else ():
        callback(dict(row))


def _cut(run: Training, rows: Tensor) -> tuple[Tensor, Batch]:
    """The items in these rows, randomly changed, and the answers about them."""
    device = run.workers.fabric.device
    images = augment(run.features[rows].to(device), run.config.augment or "none", run.drawn)
    return images, run.answered.batch(rows, device)


def _length(items: int, config: Config) -> tuple[int, int]:
    """Batches per epoch, and the number of epochs."""
    if config.batch_size is None or config.epochs is None:
        raise ValueError("the configuration is not resolved: call config.resolve(items, image) first")
    # No batch of one item: batch normalisation needs two.
    return max(1, min(math.ceil(items / config.batch_size), items // 2)), config.epochs


def _order(items: Tensor, seed: int, epoch: int) -> Tensor:
    """The order of an epoch, from the seed and the epoch's number alone."""
    return items[torch.randperm(len(items), generator=torch.Generator().manual_seed(seed * 1_000_003 + epoch))]
