"""Which encoder, and which network on what it gives? Decided by held-out answers, without a label."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from oneof.answers import Answers
from oneof.classifier.linear import FOLDS, Solution, solve
from oneof.encoders import Encoder, create, installed
from oneof.encoders.pixels import Pixels
from oneof.evaluation import estimate_accuracy
from oneof.items.loading import Items
from oneof.models import create as create_network
from oneof.training import Config, Features, Fitted, Network, fit
from oneof.training.callbacks import Callback
from oneof.training.fitting import check, predict_asked
from oneof.training.splits import split

ENOUGH_FOR_HIDDEN_LAYERS = 5000
"""Answered items below which hidden layers have not once beaten a linear layer on encoded items."""

CANDIDATES = {
    "texts": ("words", "wordllama", "words+wordllama"),
    "pictures": ("efficientnet-lite0",),
}
SMALLEST_PHOTOGRAPH = 32
"""Pixels of the longer side below which pictures are digits or icons, and a network of their own does better."""

ALWAYS = {"texts": "words", "pictures": "pixels"}


@dataclass(frozen=True)
class Choice:
    """An encoder, the items as it gives them, and what the others gave: a row of figures an encoder."""

    encoder: Encoder
    items: Items
    table: list[dict[str, Any]]


def choose_encoder(
    items: Items, answers: Answers, name: str = "auto", *, shown: bool = False, **settings: Any
) -> Choice:
    """The named encoder, fitted, or the one that held-out answers like best of those that are installed.

    answers: by the names of the items. settings: of the encoder, such as `size`.
    """
    names = _candidates(items) if name == "auto" else [name]
    tried: list[tuple[float, Choice]] = []
    for one in names:
        encoder = create(one, **settings)
        if items.kind != "numbers" and encoder.takes != items.kind:
            raise ValueError(f"the encoder {one} takes {encoder.takes}, but the items are {items.kind}")
        encoder.fit(items.x)
        found = encoder.encode(items.x, shown=shown)
        taken = items.keep(found.x, found.rows, found.problems)
        if len(names) == 1:
            return Choice(encoder, taken, [])
        known = taken.align(answers)
        judged = solve(taken.x, known)
        row = {"encoder": one, "accuracy": _accuracy(judged, known), "log_likelihood": judged.log_likelihood}
        tried.append((judged.log_likelihood, Choice(encoder, taken, [row])))
    _, best = max(tried, key=lambda one: one[0])
    return Choice(best.encoder, best.items, [choice.table[0] for _, choice in tried])


def fit_encoded(
    x: Any,
    answers: Answers,
    config: Config,
    *,
    held_out: NDArray[np.int64] | None = None,
    callbacks: Sequence[Callback] = (),
    **how: Any,
) -> Fitted:
    """A network on encoded items: a solved linear layer, or hidden layers where there are enough answers and they help.

    Settings that are given (a network, an objective, epochs, ...) are followed: then this is `oneof.training.fit`,
    which is told `how` (path, resume, shown, fabric).
    callbacks: as in `oneof.training.fit`; a layer that was solved counts as one epoch.
    """
    features = Features(x)
    if len(features.shape) != 1 or config != _undecided(config):
        told = (
            config if config.backbone != "auto" or features.image else config.model_copy(update={"backbone": "linear"})
        )
        return fit(features, answers, told, held_out=held_out, callbacks=callbacks, **how)
    check(features, answers)
    training, judging, unjudged = split(answers, config.holdout, config.seed, held_out)
    if training.flip_yes is None and training.flip_no is None:
        training.refuse_contradictions()
    solution = solve(x, training, config.seed)
    judged = _accuracy(solution, training)
    history = [{"epoch": 1, "network": "linear", "penalty": solution.penalty, "label_free": judged}]
    if len(np.unique(training.items)) >= ENOUGH_FOR_HIDDEN_LAYERS and not features.sparse:
        hidden = config.model_copy(update={"backbone": "mlp"})
        # On the same items, of which enough must be left to train on.
        part = replace(solution, rows=solution.rows[::FOLDS], held_out=solution.held_out[::FOLDS])
        other = fit(features, training, hidden, held_out=part.rows)
        if other.accuracy is not None and other.accuracy.value > _accuracy(part, training):
            return fit(features, answers, hidden, held_out=held_out, callbacks=callbacks, **how)
    network = _as_network(solution, features.shape, answers.classes)
    accuracy = estimate_accuracy(predict_asked(network, features, judging), judging) if len(judging) else None
    for callback in callbacks:
        callback(dict(history[0]))
    linear = config.model_copy(update={"backbone": "linear", "weight_decay": solution.penalty})
    return Fitted(network, linear.resolve(len(np.unique(training.items)), False), history, 1, accuracy, unjudged)


def _candidates(items: Items) -> list[str]:
    if items.kind not in CANDIDATES:
        raise ValueError("numbers need no encoder; for arrays of pictures name one, such as efficientnet-lite0")
    if items.kind == "pictures" and max(Pixels().fit(items.x).frame_.shape[1:]) < SMALLEST_PHOTOGRAPH:
        return ["pixels"]
    found = [one for one in CANDIDATES[items.kind] if all(installed(part) for part in one.split("+"))]
    return found or [ALWAYS[items.kind]]


def _undecided(config: Config) -> Config:
    """The same configuration with every setting that concerns the network as it is by default."""
    return Config(seed=config.seed, holdout=config.holdout, device=config.device)


def _accuracy(solution: Solution, answers: Answers) -> float:
    """Label-free, of predictions by layers that did not see the item's answers; nan where no answer can judge."""
    predictions = np.zeros(int(answers.items.max()) + 1, dtype=np.int64)
    predictions[solution.rows] = solution.held_out.argmax(axis=1)
    try:  # it compares, so questions that were not quite uniform are the same to all
        return estimate_accuracy(predictions, answers[np.isin(answers.items, solution.rows)], check=False).value
    except ValueError:  # none of the questions was drawn at random
        return float("nan")


def _as_network(solution: Solution, shape: tuple[int, ...], classes: int) -> Network:
    layer = create_network("linear", shape, classes)
    mean, scale = (torch.from_numpy(np.asarray(one, np.float32)) for one in (solution.mean, solution.scale))
    network = Network(layer, mean, scale)
    with torch.no_grad():
        weight, bias = layer.parameters()
        weight.copy_(torch.from_numpy(solution.weights.T.astype(np.float32)))
        bias.copy_(torch.from_numpy(solution.bias.astype(np.float32)))
    return network.eval()
