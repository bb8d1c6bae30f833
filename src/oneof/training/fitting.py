"""From items and answers to a trained and judged network: hold out items, build the network, train it, judge it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_softmax, logsumexp
from torch import nn

from oneof import models, objectives
from oneof.answers import Answers
from oneof.evaluation import Estimate, estimate_accuracy
from oneof.queries.moment import Queries
from oneof.training.callbacks import Callback
from oneof.training.config import Config
from oneof.training.data import Answered, Features
from oneof.training.loop import Fitted, train
from oneof.training.network import Network, standardise
from oneof.training.splits import Split, halves, split
from oneof.training.views import WAYS

if TYPE_CHECKING:
    from lightning_fabric import Fabric

Judgement = Callable[[NDArray[np.int64], Answers], Estimate]
"""From predictions for all items and held-out answers to an estimate of the accuracy."""


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
    fabric: "Fabric | None" = None,
) -> Fitted:
    """A network trained on some of the items with answers, and judged by the answers about the others.

    backbone: a network to use instead of the one that the configuration names. queries: the law of the questions if it
    is not uniform. held_out: the items that judge, if they were held out before; by default a share of the items,
    `config.holdout`, is drawn (see `oneof.training.splits`). judgement: used instead of `estimate_accuracy`. report:
    gives more figures for the history, such as the accuracy on labelled items; they are never used to choose an epoch.
    callbacks, path, resume, shown, fabric: see `train`.

    >>> from oneof import UniformQueries, respond
    >>> x = np.eye(3, dtype=np.float32)[np.arange(60) % 3]
    >>> subsets = UniformQueries(3, 1).draw(60, rng=0)
    >>> answers = Answers(subsets, respond(subsets, np.arange(60) % 3))
    >>> fitted = fit(Features(x), answers, Config(backbone="linear", epochs=2))
    >>> len(fitted.history), fitted.accuracy.n
    (2, 6)
    """
    training, held, unjudged = divide(features, answers, config, held_out)
    answered = Answered(training)
    config = config.resolve(len(answered.items), features.image)
    if backbone is None:
        named = models.resolve(config.backbone, features.shape, len(answered.items))
        config = config.model_copy(update={"backbone": named})
    # If held-out answers choose the best epoch or view, others must judge it: the best score is too optimistic.
    chooses = config.selection == "best" or config.views == "auto"
    choosing, judging = halves(held) if chooses else (held, held)
    objective = _objective(config, training, queries)
    torch.manual_seed(config.seed)
    network = Network(
        backbone or models.create(config.backbone, features.shape, answers.classes, config.width),
        *standardise(features, answered.items),
        "none" if config.views == "auto" else config.views,
    )

    # Answers that do not fit the law of the questions can still rank epochs: only the final judgement refuses them.
    ranking = judgement or partial(estimate_accuracy, queries=queries, check=False)

    def judge(current: nn.Module) -> dict[str, Any]:
        figures = report(current) if report is not None else {}
        if len(choosing) and (estimate := judged(current, features, choosing, ranking)[0]) is not None:
            figures |= {"label_free": estimate.value, "label_free_low": estimate.low, "label_free_high": estimate.high}
            figures["select"] = estimate.value
        return figures

    fitted = train(
        network, features, answered, objective, config,
        judge=judge, callbacks=callbacks, path=path, resume=resume, shown=shown, fabric=fabric,
    )  # fmt: skip
    if config.views == "auto":
        fitted = with_likeliest_views(fitted, features, choosing)
    accuracy = None
    if len(judging):
        final = judgement or partial(estimate_accuracy, queries=queries)
        accuracy, unjudged = judged(fitted.network, features, judging, final)
    return replace(fitted, accuracy=accuracy, unjudged=unjudged)


def with_likeliest_views(fitted: Fitted, features: Features, held: Answers) -> Fitted:
    """The network with the views of an image under which held-out answers are likeliest; one view without answers."""
    network = cast(Network, fitted.network)
    items, rows = np.unique(held.answered.items, return_inverse=True)
    evidence = held.answered.replace(items=rows, item_names=None).evidence(len(items))
    possible = ~np.isinf(evidence).all(axis=1)  # not so where people contradict each other
    scores = {}
    for way in WAYS if possible.any() else WAYS[:1]:
        network.views = way
        log_p = np.asarray(log_softmax(predict_logits(network, features, items[possible]).numpy(), axis=1))
        scores[way] = float(logsumexp(log_p + evidence[possible], axis=1).sum())
    network.views = max(scores, key=scores.__getitem__)
    return replace(fitted, config=fitted.config.model_copy(update={"views": network.views}))


def divide(features: Features, answers: Answers, config: Config, held_out: ArrayLike | None = None) -> Split:
    """Answers to train on, without skips, and held-out answers; an error if the answers do not fit the items."""
    check(features, answers)
    training, held, unjudged = split(answers, config.holdout, config.seed, held_out)
    training = training.answered
    if not len(training):
        raise ValueError(f"a holdout of {config.holdout:g} leaves none of the {len(answers)} answers to train on")
    return Split(training, held, unjudged)


def judged(network: nn.Module, features: Features, held: Answers, judgement: Judgement) -> tuple[Estimate | None, str]:
    """The accuracy by held-out answers and an empty text; or None, and why the answers were refused."""
    try:
        return judgement(predict_for(held, network, features), held), ""
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
    """The class of each of the given items (default: all), int64 (n,). Needs less memory than `predict_logits`."""
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


def predict_for(answers: Answers, network: nn.Module, features: Features) -> NDArray[np.int64]:
    """The class of each item that the answers are about, int64 (items,); 0 for all other items."""
    items = np.unique(answers.items)
    predictions = np.zeros(len(features), dtype=np.int64)
    predictions[items] = predict_classes(network, features, items)
    return predictions


def _objective(config: Config, training: Answers, queries: Queries | None) -> objectives.Objective:
    options: dict[str, Any] = config.objective_options()
    if queries is not None and isinstance(config.objective, str) and "queries" in objectives.options(config.objective):
        options |= {"queries": queries, "weights": options.get("weights", "minimum-norm")}
    objective = objectives.create(config.objective, **options)
    if queries is not None and getattr(objective, "queries", queries) is None:
        raise ValueError(f"{objective} is made for uniform questions: give it the queries too")
    noisy = training.noisy
    if noisy and not objective.corrects_flips:
        raise ValueError(
            f"{config.objective} cannot correct for flips; use one of {', '.join(objectives.correcting())}"
        )
    if getattr(objective, "weights", None) == "paper" and not noisy:
        if training.yes.all() or not training.yes.any():
            answer = "yes" if training.yes.all() else "no"
            raise ValueError(f"all {len(training)} answers are {answer}: {config.objective} needs both yes and no")
        sizes = training.sizes
        if sizes.min() != sizes.max():
            raise ValueError(
                f"subsets of sizes {sizes.min()} to {sizes.max()}: the paper's weights need one size; "
                "use weights='minimum-norm' or 'agreement', or the likelihood"
            )
    training.refuse_contradictions()
    return objective
