"""From items and answers to a trained, judged network: split, build, train, judge. What everything above calls."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from lightning_fabric import Fabric
from numpy.typing import ArrayLike, NDArray
from torch import nn

from oneof import models, objectives
from oneof.answers import Answers
from oneof.evaluation import Estimate, estimate_accuracy
from oneof.queries.moment import Queries
from oneof.training.callbacks import Callback
from oneof.training.config import Config
from oneof.training.data import Answered, Features
from oneof.training.loop import train
from oneof.training.network import Network, standardise
from oneof.training.splits import Split, halves, split

Judgement = Callable[[NDArray[np.int64], Answers], Estimate]
"""From predictions for all items and held-out answers to an estimate of the accuracy."""


@dataclass
class Fitted:
    """A trained network, what it was trained with, its history, and its accuracy by held-out answers."""

    network: nn.Module
    config: Config
    history: list[dict[str, Any]]
    best_epoch: int
    accuracy: Estimate | None
    unjudged: str = ""
    """Why there is no accuracy, where there is none."""
    choice: list[dict[str, Any]] = field(default_factory=list)
    """A row for each network that was considered, where the network was chosen: see `oneof.classifier.choosing`."""


def fit(
    features: Features,
    answers: Answers,
    config: Config,
    *,
    backbone: nn.Module | None = None,
    queries: Queries | None = None,
    held_out: ArrayLike | None = None,
    judgement: Judgement | None = None,
    report: Callable[[nn.Module], dict[str, Any]] | None = None,
    callbacks: Sequence[Callback] = (),
    path: Path | None = None,
    resume: bool = False,
    shown: bool = False,
    fabric: Fabric | None = None,
) -> Fitted:
    """Train on part of the answered items and judge on the rest.

    backbone: a network of the user's own, in place of the configuration's. queries: the law of the questions where it
    is not uniform. held_out: the items that judge, where they were put aside already; else the configuration's share of
    them is drawn (see `oneof.training.splits`). report: more figures for the history, such as the accuracy on labelled
    items; never used to choose. callbacks, path, resume, shown, fabric: as in `train`.
    """
    training, held, unjudged = divide(features, answers, config, held_out)
    answered = Answered(training)
    config = config.resolve(len(answered.items), features.image)
    # Where held-out answers choose the epoch, others must judge it: a winner's score is always too good.
    choosing, judging = halves(held) if config.selection == "best" else (held, held)
    objective = _objective(config, training, queries)
    torch.manual_seed(config.seed)
    network = Network(
        backbone or models.create(config.backbone, features.shape, answers.classes, config.width),
        *standardise(features, answered.items),
    )

    # Answers that do not fit their law still tell a better epoch from a worse one; only the last word is refused.
    between = judgement or partial(estimate_accuracy, queries=queries, check=False)

    def judge(current: nn.Module) -> dict[str, Any]:
        figures = report(current) if report is not None else {}
        if len(choosing) and (estimate := judged(current, features, choosing, between)[0]) is not None:
            figures |= {"label_free": estimate.value, "label_free_low": estimate.low, "label_free_high": estimate.high}
            figures["select"] = estimate.value
        return figures

    run = train(
        network, features, answered, objective, config,
        judge=judge, callbacks=callbacks, path=path, resume=resume, shown=shown, fabric=fabric,
    )  # fmt: skip
    accuracy = None
    if len(judging):
        accuracy, unjudged = judged(
            run.network, features, judging, judgement or partial(estimate_accuracy, queries=queries)
        )
    return Fitted(run.network, config, run.history, run.best_epoch, accuracy, unjudged)


def divide(features: Features, answers: Answers, config: Config, held_out: ArrayLike | None = None) -> Split:
    """Answers to train on, without skips, and answers to judge by; refused where they do not fit the items."""
    check(features, answers)
    training, held, unjudged = split(answers, config.holdout, config.seed, held_out)
    training = training.answered
    if not len(training):
        raise ValueError(f"a holdout of {config.holdout:g} leaves none of the {len(answers)} answers to train on")
    return Split(training, held, unjudged)


def judged(network: nn.Module, features: Features, held: Answers, judgement: Judgement) -> tuple[Estimate | None, str]:
    """The accuracy by held-out answers; or none, and why they were refused."""
    try:
        return judgement(predict_asked(network, features, held), held), ""
    except ValueError as error:
        return None, str(error)


def check(features: Features, answers: Answers) -> None:
    """Refuse answers about items that do not exist, items that are not finite numbers, and no answers at all."""
    if not len(answers):
        raise ValueError("there are no answers to learn from")
    if answers.items.max() >= len(features):
        row = int(np.argmax(answers.items >= len(features)))
        raise ValueError(f"answer {row} is about item {answers.items[row]}, but there are only {len(features)} items")
    features.check_finite()


def predict_logits(network: nn.Module, features: Features, rows: NDArray[np.int64] | None = None) -> torch.Tensor:
    """Logits of the given items (default: all), float32 (n, k), on the CPU."""
    parts = list(_logits(network, features, rows))
    return torch.cat(parts) if parts else torch.empty(0, 0)


def predict_classes(network: nn.Module, features: Features, rows: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """The class of each of the given items (default: all), int64 (n,); the logits of all never are in memory."""
    parts = [logits.argmax(dim=1) for logits in _logits(network, features, rows)]
    return torch.cat([torch.empty(0, dtype=torch.int64), *parts]).numpy()


def _logits(network: nn.Module, features: Features, rows: NDArray[np.int64] | None) -> Iterator[torch.Tensor]:
    network.eval()
    device = next((parameter.device for parameter in network.parameters()), torch.device("cpu"))
    wanted = torch.arange(len(features)) if rows is None else torch.from_numpy(rows)
    for part in torch.split(wanted, 512):
        with torch.inference_mode():
            logits = network(features[part].to(device)).float().cpu()
        yield logits


def predict_asked(network: nn.Module, features: Features, answers: Answers) -> NDArray[np.int64]:
    """Predictions for the items that the answers are about; the others are never looked at, and stay 0."""
    asked = np.unique(answers.items)
    predictions = np.zeros(len(features), dtype=np.int64)
    predictions[asked] = predict_classes(network, features, asked)
    return predictions


def _objective(config: Config, training: Answers, queries: Queries | None) -> objectives.Objective:
    options: dict[str, Any] = config.objective_options()
    if queries is not None and isinstance(config.objective, str) and "queries" in objectives.options(config.objective):
        options |= {"queries": queries, "weights": options.get("weights", "minimum-norm")}
    objective = objectives.create(config.objective, **options)
    if queries is not None and getattr(objective, "queries", queries) is None:
        raise ValueError(f"{objective} is made for uniform queries: give it the queries too")
    noisy = training.noisy
    if noisy and not objective.corrects_flips:
        raise ValueError(
            f"{config.objective} cannot correct for flips; use one of {', '.join(objectives.correcting())}"
        )
    if getattr(objective, "weights", None) == "paper" and not noisy:
        if training.yes.all() or not training.yes.any():
            said = "yes" if training.yes.all() else "no"
            raise ValueError(f"all {len(training)} answers are {said}: {config.objective} needs both yes and no")
        sizes = training.sizes
        if sizes.min() != sizes.max():
            raise ValueError(
                f"subsets of sizes {sizes.min()} to {sizes.max()}: the paper's weights need one size; "
                "use weights='minimum-norm' or 'agreement', or the likelihood"
            )
    training.refuse_contradictions()
    return objective
