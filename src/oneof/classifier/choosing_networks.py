"""Which network suits rows of numbers, a linear layer or hidden layers? Held-out answers decide, without a label."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, logsumexp
from torch import nn

from oneof.answers import Answers
from oneof.classifier.comparing import describe, held_out_accuracy
from oneof.classifier.linear import PENALTIES, Solution, evidence, solve
from oneof.evaluation import estimate_accuracy
from oneof.models import create as create_network
from oneof.queries.moment import Queries
from oneof.training import Config, Features, Fitted, Network, fit, predict_logits
from oneof.training.callbacks import Callback
from oneof.training.fitting import Judgement, divide, judged

if TYPE_CHECKING:
    from lightning_fabric import Fabric

FEWEST_TO_COMPARE = 30
"""Answered items below which networks are not compared."""

ENOUGH_FOR_HIDDEN_LAYERS = 5000
"""Answered items below which hidden layers have not once beaten a linear layer on encoded items."""

MOST_TO_SOLVE, MOST_NUMBERS = 100_000, 100_000_000
"""Answered items, and numbers in them, up to which a linear layer is solved with all of them in memory at once."""

PARTS = 5
WORTH_COMPARING = 5000
"""Networks are compared on one fifth of the items after another, until about this many have been trained on."""


def fit_chosen(
    x: Any,
    answers: Answers,
    config: Config,
    *,
    encoded: bool = False,
    backbone: nn.Module | None = None,
    queries: Queries | None = None,
    held_out: ArrayLike | None = None,
    judgement: Judgement | None = None,
    callbacks: Sequence[Callback] = (),
    shown: bool = False,
    fabric: "Fabric | None" = None,
    **options: Any,
) -> Fitted:
    """A trained, judged network that suits the number of answers: a solved linear layer, or hidden layers.

    Pictures, and settings of training that are given (a network, an objective, epochs, ...), leave nothing to choose:
    then this is `oneof.training.fit`, which also gets the other `options` (path, resume). x: `Features`, or what they
    are made of. encoded: an encoder made the rows, so that a linear layer is the better guess. callbacks: they are
    called once for a solved layer, as after one epoch.

    >>> from oneof import UniformQueries, respond
    >>> labels = np.arange(60) % 3
    >>> x = np.eye(3)[labels] + np.random.default_rng(0).normal(0, 0.3, (60, 3))
    >>> subsets = UniformQueries(3, 1).draw(60, rng=0)
    >>> fitted = fit_chosen(x, Answers(subsets, respond(subsets, labels)), Config())
    >>> [row["network"] for row in fitted.choice]
    ['linear', 'mlp']
    """
    features = x if isinstance(x, Features) else Features(x)
    options |= {"queries": queries, "held_out": held_out, "judgement": judgement, "callbacks": callbacks}
    options |= {"shown": shown, "fabric": fabric}
    undecided = Config(seed=config.seed, holdout=config.holdout, device=config.device)
    if backbone is not None or features.image or config != undecided:
        if encoded and config.backbone == "auto" and not features.image:
            config = config.model_copy(update={"backbone": "linear"})
        return fit(features, answers, config, backbone=backbone, **options)
    training, judging, unjudged = divide(features, answers, config, held_out)
    training.refuse_contradictions()
    table, solution = choose_network(features, training, config, encoded=encoded)
    best = next(row["network"] for row in table if row["chosen"])
    if fabric is not None:  # rounding may differ between workers, but all must take the same network
        best = fabric.broadcast(best)
    if shown and len(table) > 1:
        print(describe(table))
    if best != "linear" or solution is None:
        named = config.model_copy(update={"backbone": best})
        return replace(fit(features, answers, named, **options), choice=table)
    network = _as_network(solution, features.shape, answers.classes)
    accuracy = None
    if len(judging):
        accuracy, unjudged = judged(
            network, features, judging, judgement or partial(estimate_accuracy, queries=queries)
        )
    label_free = held_out_accuracy(solution.held_out.argmax(axis=1), solution.rows, training)
    row = {"epoch": 1, "network": "linear", "penalty": solution.penalty, "label_free": label_free}
    for callback in callbacks if fabric is None or fabric.is_global_zero else ():
        callback(dict(row))
    linear = config.model_copy(update={"backbone": "linear", "weight_decay": solution.penalty})
    resolved = linear.resolve(len(np.unique(training.items)), False)
    return Fitted(network, resolved, [row], 1, accuracy, unjudged, table)


def choose_network(
    features: Features, training: Answers, config: Config, *, encoded: bool = False
) -> tuple[list[dict[str, Any]], Solution | None]:
    """A row for each network that was considered, one of them chosen; and the linear layer, where it was solved.

    A row has `network`, `chosen` and `why`, and where networks were compared also their `log_likelihood` and `accuracy`
    by held-out answers.
    """
    answered = len(np.unique(training.items))
    if not features.sparse and (answered > MOST_TO_SOLVE or answered * features.shape[0] > MOST_NUMBERS):
        return [_row("mlp", True, f"{answered} answered items: too many to solve a linear layer at once")], None
    x = features.values
    if answered < FEWEST_TO_COMPARE:
        why = f"{answered} answered items: too few to compare networks"
        return [_row("linear", True, why)], solve(x, training, config.seed, penalty=PENALTIES[0])
    solution = solve(x, training, config.seed)
    if features.sparse:
        return [_row("linear", True, "sparse rows")], solution
    if encoded and answered < ENOUGH_FOR_HIDDEN_LAYERS:
        why = f"encoded items, fewer than {ENOUGH_FOR_HIDDEN_LAYERS} of them answered"
        return [_row("linear", True, why)], solution
    return _compare(features, training, config, solution.relative_penalty), solution


def _row(network: str, chosen: bool, why: str, **figures: Any) -> dict[str, Any]:
    return {"network": network, "chosen": chosen, "why": why, **figures}


def _compare(features: Features, training: Answers, config: Config, penalty: float) -> list[dict[str, Any]]:
    """A row for a linear layer and one for hidden layers, trained on the same items, judged by answers about others.

    After few answers hidden layers are too sure of themselves, even where their first guess is good; so the logits of
    both are first scaled by the factor under which the answers are likeliest. One part after the other is held out
    until the difference is three times its standard error; the more answers there are, the fewer parts, so that the
    time of a comparison hardly depends on their number.
    """
    rows, log_likelihoods = evidence(training)
    part = np.random.default_rng([config.seed, 0xC0DE]).permutation(len(rows)) % PARTS
    hidden = config.model_copy(update={"backbone": "mlp", "holdout": 0.0})
    epochs = hidden.resolve(len(rows), False).epochs or 2
    short = hidden.model_copy(update={"epochs": max(1, epochs // 2)})  # half of them shows which network is ahead
    logits: dict[str, list[Any]] = {"linear": [], "mlp": []}
    held_out = np.zeros(0, dtype=np.int64)
    for number in range(max(1, min(PARTS, WORTH_COMPARING // len(rows)))):
        held = np.flatnonzero(part == number)
        others = training[~np.isin(training.items, rows[held])]
        linear = solve(features.values, others, config.seed, penalty)
        logits["linear"].append(linear.logits(features.values[rows[held]]))
        network = fit(features, others, short).network
        logits["mlp"].append(predict_logits(network, features, rows[held]).double().numpy())
        held_out = np.concatenate([held_out, held])
        scores = {
            name: _scaled_log_likelihood(np.concatenate(parts), log_likelihoods[held_out])
            for name, parts in logits.items()
        }
        gap = scores["mlp"] - scores["linear"]
        if number and abs(gap.mean()) > 3 * gap.std() / np.sqrt(len(gap)):
            break
    best = "mlp" if gap.mean() > 0 else "linear"
    return [
        _row(
            name,
            name == best,
            f"answers about {len(held_out)} items that were held out",
            log_likelihood=float(scores[name].mean()),
            accuracy=held_out_accuracy(np.concatenate(parts).argmax(axis=1), rows[held_out], training),
        )
        for name, parts in logits.items()
    ]


def _scaled_log_likelihood(logits: NDArray[Any], log_likelihoods: NDArray[Any]) -> NDArray[np.float64]:
    """log P(all answers about an item), (m,), with logits (m, k) scaled by the factor that makes them likeliest.

    log_likelihoods: of an item's answers for each class, (m, k).
    """

    def at(log_scale: float) -> NDArray[np.float64]:
        log_p = log_softmax(logits * np.exp(log_scale), axis=1)
        return np.asarray(logsumexp(log_p + log_likelihoods, axis=1))

    found = minimize_scalar(lambda log_scale: -at(log_scale).mean(), bounds=(-3.0, 1.5), method="bounded")
    return at(float(found.x))


def _as_network(solution: Solution, shape: tuple[int, ...], classes: int) -> Network:
    layer = create_network("linear", shape, classes)
    mean, scale = (torch.from_numpy(np.asarray(values, np.float32)) for values in (solution.mean, solution.scale))
    network = Network(layer, mean, scale)
    with torch.no_grad():
        weight, bias = layer.parameters()
        weight.copy_(torch.from_numpy(solution.weights.T.astype(np.float32)))
        bias.copy_(torch.from_numpy(solution.bias.astype(np.float32)))
    return network.eval()
