"""The training loop, in one piece.

Exact resume: the order of an epoch follows from the seed and the epoch's number; everything else that changes is in
the checkpoint (weights, optimizer, schedule, generators, position, history, what the objective remembers). So a run
that was killed at any moment goes on to the same weights, bit for bit, as one that never was.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from lightning_fabric import Fabric
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from oneof.objectives import Batch, Objective
from oneof.training import checkpoint
from oneof.training.augment import augment
from oneof.training.config import Config
from oneof.training.data import Answered, Features
from oneof.training.optimizer import create_optimizer
from oneof.training.progress import Bar
from oneof.training.step import gradient
from oneof.training.workers import PRECISIONS, Workers, launch

Judge = Callable[[nn.Module], dict[str, Any]]
"""Figures for the history from a network in evaluation mode; its "select" entry, if any, ranks the epochs."""

SAVE_EVERY = 60.0
"""Seconds between checkpoints within an epoch; the end of an epoch always gets one."""


class Diverged(RuntimeError):
    """The risk was not a finite number any more."""


@dataclass
class Run:
    """What came out: the network in its chosen state, one row of figures an epoch, and which epoch was chosen."""

    network: nn.Module
    history: list[dict[str, Any]]
    best_epoch: int


def train(
    network: nn.Module,
    features: Features,
    answered: Answered,
    objective: Objective,
    config: Config,
    *,
    judge: Judge | None = None,
    path: Path | None = None,
    resume: bool = False,
    shown: bool = False,
    fabric: Fabric | None = None,
) -> Run:
    """Train `network` on the answered items; `config` is resolved.

    judge: called after each epoch. path: where checkpoints go. resume: go on from the one that is there.
    """
    workers = Workers(fabric or launch(precision=config.precision, device=config.device))
    precision = workers.fabric.strategy.precision
    if precision.precision != PRECISIONS[config.precision]:
        raise ValueError(f"the workers compute in {precision.precision}, but the configuration says {config.precision}")
    torch.manual_seed(config.seed + workers.rank)
    drawn = torch.Generator().manual_seed(config.seed + workers.rank)
    items = torch.from_numpy(answered.items)
    batches, epochs = _length(len(items), config)
    optimizer, schedule = create_optimizer(network, config, batches, epochs)
    module, stepper = workers.fabric.setup(network, optimizer)
    device = workers.fabric.device
    objective.prepare(int(items.max()) + 1, answered.classes)
    parts: dict[str, Any] = {
        "network": network,
        "optimizer": optimizer,
        "schedule": schedule,
        "objective": objective,
        "precision": precision,  # the scale of the gradients, where they are scaled
    }
    result = network
    if config.average:
        decay = get_ema_multi_avg_fn(config.average)  # type: ignore[no-untyped-call]
        average = AveragedModel(network, multi_avg_fn=decay, use_buffers=True)
        parts["average"], result = average, average.module
    # What changes as the run goes on, besides the parts: position counts batches over all epochs.
    now: dict[str, Any] = {"position": 0, "sums": [0.0] * 4, "history": [], "best_epoch": 0, "best": None}
    origin = {"configuration": config.model_dump(), "set of answers": answered.fingerprint()}
    if resume and path is not None and path.exists():
        now = checkpoint.restore(path, parts, drawn, origin, workers.rank)

    def save() -> None:
        if not all(tensor.isfinite().all() for tensor in network.state_dict().values()):
            raise Diverged(_diverged("the weights", math.nan, (now["position"] - 1) // batches, config, path))
        objective.merge(workers.sum)
        generators = {"drawn": workers.gather(drawn.get_state()), "torch": workers.gather(torch.get_rng_state())}
        if path is not None and workers.first:
            states = {name: part.state_dict() for name, part in parts.items()}
            checkpoint.save(path, states | generators | now | origin)
        workers.wait()

    def cut(rows: Tensor) -> tuple[Tensor, Batch]:
        return augment(features[rows].to(device), config.augment or "none", drawn), answered.batch(rows, device)

    saved = time.monotonic()
    started = saved - (now["history"][-1]["seconds"] if now["history"] else 0.0)
    bar = Bar(batches * epochs, now["position"], shown and workers.first, str(config.objective))
    with workers.watch(path), bar:
        while now["position"] < batches * epochs:
            epoch, done = divmod(now["position"], batches)
            network.train()
            for rows in torch.tensor_split(_order(items, config.seed, epoch), batches)[done:]:
                pieces = torch.tensor_split(workers.part(rows), config.accumulate)
                stepper.zero_grad()
                step = gradient(module, network, objective, [cut(piece) for piece in pieces if len(piece)], workers)
                if not math.isfinite(step.raw):
                    raise Diverged(_diverged("the risk", step.raw, epoch, config, path))
                stepper.step()
                schedule.step()
                if config.average:
                    parts["average"].update_parameters(network)
                now["position"] += 1
                figures = (step.value, step.raw, step.raw < 0, step.one_sided)
                now["sums"] = [total + float(figure) for total, figure in zip(now["sums"], figures, strict=True)]
                bar.step()
                if now["position"] % batches and workers.agree(time.monotonic() - saved > SAVE_EVERY, now["position"]):
                    save()
                    saved = time.monotonic()

            objective.merge(workers.sum)
            means = [total / batches for total in now["sums"]]
            row = {"epoch": epoch + 1, **dict(zip(("objective", "raw", "negative", "one_sided"), means, strict=True))}
            row["learning_rate"] = schedule.get_last_lr()[0]
            result.eval()
            row |= judge(result) if judge is not None else {}
            score = row.pop("select", None)
            row["seconds"] = time.monotonic() - started
            now |= {"sums": [0.0] * 4, "history": [*now["history"], row]}
            beaten = now["best"] is None or (score is not None and score >= now["best"]["score"])
            if config.selection == "best" and score is not None and beaten:
                weights = {name: tensor.clone() for name, tensor in result.state_dict().items()}
                now |= {"best_epoch": epoch + 1, "best": {"score": score, "weights": weights}}
            bar.epoch(row)
            save()
            saved = time.monotonic()

    if now["best"] is not None:
        result.load_state_dict(now["best"]["weights"])
    return Run(result.eval(), now["history"], now["best_epoch"] or epochs)


def _length(items: int, config: Config) -> tuple[int, int]:
    """Batches an epoch, and epochs."""
    if config.batch_size is None or config.epochs is None:
        raise ValueError("the configuration is not resolved: call config.resolve(items, image) first")
    # No batch of one item: batch normalisation needs two.
    return max(1, min(math.ceil(items / config.batch_size), items // 2)), config.epochs


def _order(items: Tensor, seed: int, epoch: int) -> Tensor:
    """The order of an epoch, from the seed and the epoch's number alone."""
    return items[torch.randperm(len(items), generator=torch.Generator().manual_seed(seed * 1_000_003 + epoch))]


def _diverged(what: str, value: float, epoch: int, config: Config, path: Path | None) -> str:
    kept = f"; the last good state is in {path}" if path is not None and path.exists() else ""
    return (
        f"{what} became {value} in epoch {epoch + 1}: lower the learning rate (now {config.learning_rate:g}) "
        f"or use a bounded loss{kept}"
    )
