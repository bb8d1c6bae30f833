"""Which encoder, and which network on what it gives? Decided by held-out answers, without a label."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import torch
from lightning_fabric import Fabric
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, logsumexp
from torch import nn

from oneof.answers import Answers
from oneof.classifier.linear import PENALTIES, Solution, evidence, solve
from oneof.encoders import Encoder, create, installed
from oneof.encoders.pixels import Pixels
from oneof.evaluation import estimate_accuracy
from oneof.items.loading import Items
from oneof.models import create as create_network
from oneof.queries.moment import Queries
from oneof.training import Config, Features, Fitted, Network, fit, predict_logits
from oneof.training.callbacks import Callback
from oneof.training.fitting import Judgement, divide, judged

FEWEST_TO_COMPARE = 30
ENOUGH_FOR_HIDDEN_LAYERS = 5000
"""Answered items below which hidden layers have not once beaten a linear layer on encoded items."""
MOST_TO_SOLVE, MOST_NUMBERS = 100_000, 100_000_000
"""Answered items, and numbers in them, up to which a linear layer is solved, all of them in memory at once."""

PARTS = 5
WORTH_COMPARING = 5000
"""Networks are compared on a fifth of the answered items after another, until about so many have been trained on."""

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
    table = [choice.table[0] | {"chosen": choice is best} for _, choice in tried]
    return Choice(best.encoder, best.items, table)


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
    fabric: Fabric | None = None,
    **how: Any,
) -> Fitted:
    """A network that suits the number of answers: for rows of numbers a solved linear layer, or hidden layers.

    x: `Features` or what they are made of. For pictures, and where settings of training are given (a network, an
    objective, epochs, ...), this is `oneof.training.fit`, which is told `how` (path, resume). encoded: an encoder made
    the rows, so that a linear layer is the better guess. callbacks: a layer that was solved counts as one epoch.

    >>> from oneof import UniformQueries, respond
    >>> labels = np.arange(60) % 3
    >>> x = np.eye(3)[labels] + np.random.default_rng(0).normal(0, 0.3, (60, 3))
    >>> subsets = UniformQueries(3, 1).draw(60, rng=0)
    >>> fitted = fit_chosen(x, Answers(subsets, respond(subsets, labels)), Config())
    >>> [row["network"] for row in fitted.choice]
    ['linear', 'mlp']
    """
    features = x if isinstance(x, Features) else Features(x)
    how |= {"queries": queries, "held_out": held_out, "judgement": judgement, "callbacks": callbacks}
    how |= {"shown": shown, "fabric": fabric}
    if backbone is not None or features.image or config != _undecided(config):
        if encoded and config.backbone == "auto" and not features.image:
            config = config.model_copy(update={"backbone": "linear"})
        return fit(features, answers, config, backbone=backbone, **how)
    training, judging, unjudged = divide(features, answers, config, held_out)
    training.refuse_contradictions()
    table, solution = choose_network(features, training, config, encoded=encoded)
    best = next(row["network"] for row in table if row["chosen"])
    if fabric is not None:  # a last digit must not send the workers different ways
        best = fabric.broadcast(best)
    if shown and len(table) > 1:
        print(describe(table))
    if best != "linear" or solution is None:
        named = config.model_copy(update={"backbone": best})
        return replace(fit(features, answers, named, **how), choice=table)
    network = _as_network(solution, features.shape, answers.classes)
    accuracy = None
    if len(judging):
        accuracy, unjudged = judged(
            network, features, judging, judgement or partial(estimate_accuracy, queries=queries)
        )
    row = {"epoch": 1, "network": "linear", "penalty": solution.penalty, "label_free": _accuracy(solution, training)}
    for callback in callbacks if fabric is None or fabric.is_global_zero else ():
        callback(dict(row))
    linear = config.model_copy(update={"backbone": "linear", "weight_decay": solution.penalty})
    settled = linear.resolve(len(np.unique(training.items)), False)
    return Fitted(network, settled, [row], 1, accuracy, unjudged, table)


def choose_network(
    features: Features, training: Answers, config: Config, *, encoded: bool = False
) -> tuple[list[dict[str, Any]], Solution | None]:
    """The networks that were considered, a row each, one of them chosen; and the linear layer, where it was solved.

    A row: network, chosen, why, and where they were compared log_likelihood and accuracy by held-out answers.
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


def describe(table: list[dict[str, Any]]) -> str:
    """A line a network, the chosen one marked.

    >>> print(describe([_row("linear", True, "held-out answers", log_likelihood=-0.5, accuracy=0.8125)]))
    * linear               label-free accuracy 0.812, log-likelihood -0.5000
    """
    lines = []
    for row in table:
        figures = f"label-free accuracy {row['accuracy']:.3f}, log-likelihood {row['log_likelihood']:.4f}"
        lines.append(f"{'*' if row['chosen'] else ' '} {row.get('network') or row['encoder']:<20} {figures}")
    return "\n".join(lines)


def _row(network: str, chosen: bool, why: str, **figures: Any) -> dict[str, Any]:
    return {"network": network, "chosen": chosen, "why": why, **figures}


def _compare(features: Features, training: Answers, config: Config, penalty: float) -> list[dict[str, Any]]:
    """A linear layer and hidden layers, on the same items, by the likelihood of answers about others.

    Hidden layers are too sure of themselves after few answers, however good their first guess is; so the logits of both
    are first scaled by the factor that suits them best. Parts are held out one after the other until the difference is
    three times its standard error, at most so many that a comparison takes about as long for any number of answers.
    """
    rows, told = evidence(training)
    part = np.random.default_rng([config.seed, 0xC0DE]).permutation(len(rows)) % PARTS
    hidden = config.model_copy(update={"backbone": "mlp", "holdout": 0.0})
    logits: dict[str, list[Any]] = {"linear": [], "mlp": []}
    aside = np.zeros(0, dtype=np.int64)
    for number in range(max(1, min(PARTS, WORTH_COMPARING // len(rows)))):
        held = np.flatnonzero(part == number)
        rest = training[~np.isin(training.items, rows[held])]
        epochs = hidden.resolve(len(rows), False).epochs or 2
        short = hidden.model_copy(update={"epochs": max(1, epochs // 2)})  # half of them shows who is ahead
        logits["linear"].append(solve(features.values, rest, config.seed, penalty).logits(features.values[rows[held]]))
        logits["mlp"].append(predict_logits(fit(features, rest, short).network, features, rows[held]).double().numpy())
        aside = np.concatenate([aside, held])
        scores = {name: _scaled_log_likelihood(np.concatenate(parts), told[aside]) for name, parts in logits.items()}
        gap = scores["mlp"] - scores["linear"]
        if number and abs(gap.mean()) > 3 * gap.std() / np.sqrt(len(gap)):
            break
    best = "mlp" if gap.mean() > 0 else "linear"
    return [
        _row(
            name,
            name == best,
            f"answers about {len(aside)} items that were held out",
            log_likelihood=float(scores[name].mean()),
            accuracy=_label_free(np.concatenate(parts).argmax(axis=1), rows[aside], training),
        )
        for name, parts in logits.items()
    ]


def _scaled_log_likelihood(logits: NDArray[Any], told: NDArray[Any]) -> NDArray[np.float64]:
    """log P(all answers about an item), (m,), with the logits scaled so that they are likeliest."""

    def at(log_scale: float) -> NDArray[np.float64]:
        log_p = log_softmax(logits * np.exp(log_scale), axis=1)
        return np.asarray(logsumexp(log_p + told, axis=1))

    found = minimize_scalar(lambda log_scale: -at(log_scale).mean(), bounds=(-3.0, 1.5), method="bounded")
    return at(float(found.x))


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
    return _label_free(solution.held_out.argmax(axis=1), solution.rows, answers)


def _label_free(classes: NDArray[np.int64], rows: NDArray[np.int64], answers: Answers) -> float:
    """By the answers about these rows, which had no part in the predictions; nan where no answer can judge."""
    predictions = np.zeros(int(answers.items.max()) + 1, dtype=np.int64)
    predictions[rows] = classes
    try:  # it compares, so questions that were not quite uniform are the same to all
        return estimate_accuracy(predictions, answers[np.isin(answers.items, rows)], check=False).value
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
