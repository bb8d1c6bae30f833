"""The training loop.

Exact resume: the order of the items in an epoch depends on the seed and the epoch's number alone; everything else that
changes is in the checkpoint (weights, optimizer, schedule, generators, position, history, the objective's state). So a
run that was killed at any moment and resumed ends with the same weights, bit for bit, as one that was not.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from oneof.evaluation import Estimate
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

if TYPE_CHECKING:
    from lightning_fabric import Fabric

Judge = Callable[[nn.Module], dict[str, Any]]
"""From a network in evaluation mode to figures for the history; the entry "select", if any, ranks the epochs."""

SAVE_EVERY = 60.0
"""Seconds between checkpoints within an epoch; one is always written at the end of an epoch."""

FIGURES = ("objective", "raw", "negative", "one_sided")
"""Means over the batches of an epoch: corrected and raw risk, share of negative ones, share with one kind of answer."""


class Diverged(RuntimeError):
    """The risk or the weights became infinite or NaN."""


@dataclass
class Fitted:
    """A trained network, its settings, one row of figures per epoch, the chosen epoch, and the label-free accuracy."""

    network: nn.Module
    config: Config
    history: list[dict[str, Any]]
    best_epoch: int
    accuracy: Estimate | None = None
    """By held-out answers."""
    unjudged: str = ""
    """Why there is no accuracy, if there is none."""
    choice: list[dict[str, Any]] = field(default_factory=list)
    """A row for each network that was considered, if several were: see `oneof.classifier.choosing_networks`."""


@dataclass
class Progress:
    """The state of a run besides that of its parts (network, optimizer, ...); all of it is in the checkpoint."""

    position: int = 0
    """Batches done in all epochs."""
    sums: list[float] = field(default_factory=lambda: [0.0] * len(FIGURES))
    """The sums of `FIGURES` over the batches of this epoch."""
    history: list[dict[str, Any]] = field(default_factory=list)
    best_epoch: int = 0
    best: dict[str, Any] | None = None
    """The score and the weights of the best epoch so far, if the best one is kept."""


@dataclass
class Training:
    """A run in progress: its parts, its progress, and the file of its checkpoints."""

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
        self.generator = torch.Generator().manual_seed(seed)
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
            "precision": fabric.strategy.precision,  # holds the scale of the gradients, in half precision
        }
        self.result, self.average = self.network, None
        if self.config.average:
            decay = get_ema_multi_avg_fn(self.config.average)
            self.average = AveragedModel(self.network, multi_avg_fn=decay, use_buffers=True)
            self.parts["average"], self.result = self.average, self.average.module
        self.origin = {"configuration": self.config.model_dump(), "set of answers": self.answered.fingerprint()}
        self.progress = Progress()
        self.saved = self.started = time.monotonic()

    def restore(self) -> None:
        """Resume from the checkpoint."""
        assert self.path is not None
        state = checkpoint.restore(self.path, self.parts, self.generator, self.origin, self.workers.rank)
        self.progress = Progress(**state)
        self.started -= self.progress.history[-1]["seconds"] if self.progress.history else 0.0

    def save(self) -> None:
        """Write a checkpoint, unless the weights are not finite any more."""
        if not all(tensor.isfinite().all() for tensor in self.network.state_dict().values()):
            raise Diverged(self.diverged("the weights", math.nan, (self.progress.position - 1) // self.batches))
        self.objective.merge(self.workers.sum)
        generators = {
            "drawn": self.workers.gather(self.generator.get_state()),
            "torch": self.workers.gather(torch.get_rng_state()),
        }
        if self.path is not None and self.workers.first:
            states = {name: part.state_dict() for name, part in self.parts.items()}
            checkpoint.save(self.path, states | generators | vars(self.progress) | self.origin)
        self.workers.wait()
        self.saved = time.monotonic()

    def diverged(self, what: str, value: float, epoch: int) -> str:
        """The message for `Diverged`: what happened, and what can be done."""
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
    fabric: "Fabric | None" = None,
) -> Fitted:
    """Train `network` on the items with answers. config: resolved, see `Config.resolve`.

    judge: called after each epoch with the network. callbacks: called after each epoch with its row of figures, by the
    first worker. path: the file of checkpoints. resume: continue from that file, if it exists. shown: show a progress
    bar. fabric: the workers, if there are several.
    """
    workers = Workers(fabric or launch(precision=config.precision, device=config.device))
    precision = workers.fabric.strategy.precision.precision
    if precision != PRECISIONS[config.precision]:
        raise ValueError(f"the workers compute in {precision}, but the configuration says {config.precision}")
    run = Training(config, features, answered, objective, network, workers, judge, path, callbacks)
    if resume and path is not None and path.exists():
        run.restore()
    progress, steps = run.progress, run.batches * run.epochs
    with workers.watch(path), Bar(steps, progress.position, shown and workers.first, str(config.objective)) as bar:
        while progress.position < steps:
            train_epoch(run, bar)
            end_epoch(run, bar)
    if progress.best is not None:
        run.result.load_state_dict(progress.best["weights"])
    return Fitted(run.result.eval(), config, progress.history, progress.best_epoch or run.epochs)


def train_epoch(run: Training, bar: Bar) -> None:
    """Train on the batches of the epoch that are not done yet."""
    progress, config, workers = run.progress, run.config, run.workers
    epoch, done = divmod(progress.position, run.batches)
    train_mode(run.network)
    for rows in torch.tensor_split(_order(run.items, config.seed, epoch), run.batches)[done:]:
        pieces = torch.tensor_split(workers.part(rows), config.accumulate)
        run.stepper.zero_grad()
        batches = [_batch(run, piece) for piece in pieces if len(piece)]
        step = gradient(run.module, run.network, run.objective, batches, workers)
        if not math.isfinite(step.raw):
            raise Diverged(run.diverged("the risk", step.raw, epoch))
        run.stepper.step()
        run.schedule.step()
        if run.average is not None:
            run.average.update_parameters(run.network)
        progress.position += 1
        figures = (step.value, step.raw, step.raw < 0, step.one_sided)
        progress.sums = [total + float(figure) for total, figure in zip(progress.sums, figures, strict=True)]
        bar.step()
        due = time.monotonic() - run.saved > SAVE_EVERY
        if progress.position % run.batches and workers.agree(due, progress.position):
            run.save()


def end_epoch(run: Training, bar: Bar) -> None:
    """Judge the network, add the epoch to the history, keep the weights if they are the best, and save."""
    progress, epoch = run.progress, len(run.progress.history) + 1
    run.objective.merge(run.workers.sum)
    run.workers.share_buffers(run.result)
    means = (total / run.batches for total in progress.sums)
    row = {"epoch": epoch, **dict(zip(FIGURES, means, strict=True)), "learning_rate": run.schedule.get_last_lr()[0]}
    run.result.eval()
    row |= run.judge(run.result) if run.judge is not None else {}
    score = row.pop("select", None)
    row["seconds"] = time.monotonic() - run.started
    progress.sums, progress.history = [0.0] * len(FIGURES), [*progress.history, row]
    best = progress.best
    if run.config.selection == "best" and score is not None and (best is None or score >= best["score"]):
        weights = {name: tensor.clone() for name, tensor in run.result.state_dict().items()}
        progress.best_epoch, progress.best = epoch, {"score": score, "weights": weights}
    bar.epoch(row)
    run.save()
    for callback in run.callbacks if run.workers.first else ():
        callback(dict(row))


def _batch(run: Training, rows: Tensor) -> tuple[Tensor, Batch]:
    """The items in these rows, with random changes, and the answers about them."""
    device = run.workers.fabric.device
    images = augment(run.features[rows].to(device), run.config.augment or "none", run.generator)
    return images, run.answered.batch(rows, device)


def _length(items: int, config: Config) -> tuple[int, int]:
    """Batches per epoch, and the number of epochs."""
    if config.batch_size is None or config.epochs is None:
        raise ValueError("the configuration is not resolved: call config.resolve(items, image) first")
    # Batch normalisation needs at least two items in a batch.
    return max(1, min(math.ceil(items / config.batch_size), items // 2)), config.epochs


def _order(items: Tensor, seed: int, epoch: int) -> Tensor:
    """The items in the order of this epoch, which depends on the seed and the epoch's number alone."""
    return items[torch.randperm(len(items), generator=torch.Generator().manual_seed(seed * 1_000_003 + epoch))]
