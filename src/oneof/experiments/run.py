"""One run: from its specification to its row. The same specification gives the same numbers.

Within a seed every method gets the same subsets, the same answers, the same initial weights and the same batches: none
of them depends on the method. That is what makes the comparisons paired.
"""

import platform
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

import oneof
from oneof import objectives
from oneof.answers import Answers
from oneof.datasets import Dataset, check, info, load
from oneof.engines.base import Report
from oneof.evaluation import estimate_accuracy
from oneof.experiments.methods import SUPERVISED, method
from oneof.experiments.protocol import RunSpec
from oneof.experiments.runner import RunResult
from oneof.queries import UniformQueries, respond
from oneof.training import Config, Diverged, Features, Fitted, checkpoint, fit, predict_classes
from oneof.training.fitting import predict_logits

# Streams of random numbers of a seed. What each is used for never changes, so that old rows can be run again.
QUERIES, HELD_OUT, JUDGES = 1, 2, 3


def execute(spec: RunSpec, path: Path, on_epoch: Report) -> RunResult:
    """Do a run, or go on with it from the checkpoint at `path` where there is one."""
    torch.set_num_threads(1)
    train_set, test_set = _load(spec.dataset, "train"), _load(spec.dataset, "test")
    features, test_features = Features(train_set.images), Features(test_set.images)
    answers, held_out = training_answers(spec, train_set.labels, train_set.classes)
    judging = judging_answers(spec, test_set)
    epochs = _epochs_done(path)

    def report(network: nn.Module) -> dict[str, Any]:
        nonlocal epochs
        epochs += 1
        on_epoch(epochs)
        if spec.recipe == "fast":  # of one cycle only the end counts, and no curve is drawn
            return {}
        predicted = predict_classes(network, test_features)
        judged = {} if spec.holdout else {"label_free": estimate_accuracy(predicted, judging).value}
        return {"test_accuracy": float((predicted == test_set.labels).mean()), **judged}

    def train() -> Fitted:
        held = held_out if spec.holdout else None
        return fit(features, answers, configuration(spec), held_out=held, report=report, path=path, resume=True)

    try:
        try:
            fitted = train()
        except ValueError:
            if not path.exists():
                raise
            # The checkpoint does not fit, perhaps because another version wrote it: start over.
            path.unlink()
            epochs = 0
            fitted = train()
    except Diverged:
        if not spec.holdout:
            raise
        # In a search, a learning rate that is too high is a result, and not a failure.
        config = configuration(spec).resolve(len(answers) - len(held_out), features.image)
        return RunResult(_row(spec, train_set, test_set, config, [], dict.fromkeys(_MEASURED, 0.0)), [], [])
    predicted = predict_classes(fitted.network, test_features)
    correct = predicted == test_set.labels
    value, low, high, _ = fitted.accuracy or estimate_accuracy(predicted, judging)
    figures = dict(zip(_MEASURED, map(_per_cent, (float(correct.mean()), value, low, high)), strict=True))
    if spec.holdout:
        figures["held_out_log_likelihood"] = round(_log_likelihood(fitted.network, features, answers, held_out), 6)
    row = _row(spec, train_set, test_set, fitted.config, fitted.history, figures)
    return RunResult(row, _history(fitted.history), _per_class(test_set, correct))


def configuration(spec: RunSpec) -> Config:
    """The training configuration of a run. The last epoch counts: the paper does not mention early stopping."""
    supervised = spec.method == SUPERVISED
    # Asking "is it y?" about the true class y makes the likelihood the ordinary cross-entropy.
    chosen = method("Likelihood" if supervised else spec.method)
    shared = {name: getattr(spec, name) for name in Config.model_fields if hasattr(spec, name)}
    given = {name: value for name, value in shared.items() if value is not None}
    return Config.model_validate(given | {"objective": chosen.objective, **chosen.options, "selection": "last"})


def query_size(p_yes: float, classes: int) -> int:
    """m = round(p k), the size of a question.

    >>> [query_size(p, 26) for p in (0.3, 0.5, 0.7)]
    [8, 13, 18]
    """
    return round(p_yes * classes)


def training_answers(spec: RunSpec, labels: NDArray[np.int64], classes: int) -> tuple[Answers, NDArray[np.int64]]:
    """One answer per item, the same for every method, and the items held out."""
    if spec.method == SUPERVISED:
        subsets = np.eye(classes, dtype=np.bool_)[labels]
    else:
        queries = UniformQueries(classes, query_size(spec.p_yes, classes))
        subsets = queries.draw(len(labels), np.random.default_rng([spec.seed, QUERIES]))
    order = np.random.default_rng([spec.seed, HELD_OUT]).permutation(len(labels))
    return Answers(subsets, respond(subsets, labels)), order[: round(spec.holdout * len(labels))]


def judging_answers(spec: RunSpec, test_set: Dataset) -> Answers:
    """One fresh answer about each test item, for the label-free estimate beside the test accuracy."""
    queries = UniformQueries(test_set.classes, query_size(spec.p_yes, test_set.classes))
    subsets = queries.draw(len(test_set), np.random.default_rng([spec.seed, JUDGES]))
    return Answers(subsets, respond(subsets, test_set.labels))


def _log_likelihood(network: nn.Module, features: Features, answers: Answers, items: NDArray[np.int64]) -> float:
    """The mean log-likelihood of the answers about some items."""
    held_out = answers[items]
    risk = objectives.create("likelihood")(
        predict_logits(network, features, items), torch.tensor(held_out.subsets), torch.tensor(held_out.responses)
    )
    return -float(risk.value)


_MEASURED = ("test_accuracy", "label_free_accuracy", "label_free_low", "label_free_high")


def _per_cent(value: float) -> float:
    return round(100 * value, 6)


def _row(
    spec: RunSpec,
    train_set: Dataset,
    test_set: Dataset,
    config: Config,
    history: Sequence[Mapping[str, Any]],
    figures: Mapping[str, float],
) -> dict[str, Any]:
    return {
        "held_out_log_likelihood": "",
        "run": spec.run,
        "preset": spec.preset,
        "dataset": info(spec.dataset).title,
        "classes": train_set.classes,
        "size": 1 if spec.method == SUPERVISED else query_size(spec.p_yes, train_set.classes),
        "p_yes": spec.p_yes,
        "method": spec.method,
        "objective": config.objective,
        "loss": config.loss or "",
        "weights": config.weights or "",
        "backbone": spec.network,
        "optimiser": config.optimizer,
        "learning_rate": spec.learning_rate,
        "weight_decay": spec.weight_decay,
        "batch_size": spec.batch_size,
        "epochs": spec.epochs,
        "seed": spec.seed,
        "selection": config.selection,
        **figures,
        "negative_share": round(float(np.mean([epoch["negative"] for epoch in history])), 6) if history else 0.0,
        "seconds": round(sum(_durations(history)), 2),
        "threads": torch.get_num_threads(),
        "train_items": len(train_set),
        "test_items": len(test_set),
        "features": int(np.prod(train_set.images.shape[1:])),
        "official_files": check(spec.dataset),
        "code_version": oneof.__version__,
        "torch_version": torch.__version__,
        "cpu": _cpu(),
        "configuration": spec.to_json(),
        "error": "",
    }


def _history(history: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "epoch": epoch["epoch"],
            "objective": round(epoch["objective"], 6),
            "raw": round(epoch["raw"], 6),
            "negative_share": round(epoch["negative"], 6),
            "test_accuracy": _per_cent(epoch["test_accuracy"]) if "test_accuracy" in epoch else "",
            "label_free_accuracy": _per_cent(epoch["label_free"]) if "label_free" in epoch else "",
            "seconds": round(seconds, 2),
        }
        for epoch, seconds in zip(history, _durations(history), strict=True)
    ]


def _durations(history: Sequence[Mapping[str, Any]]) -> list[float]:
    """The seconds of each epoch. The clock starts anew where a run was resumed."""
    clock = [float(epoch["seconds"]) for epoch in history]
    return [end - start if end >= start else end for start, end in zip([0.0, *clock], clock, strict=False)]


def _per_class(test_set: Dataset, correct: NDArray[np.bool_]) -> list[dict[str, Any]]:
    lines = []
    for label, name in enumerate(test_set.class_names):
        of_class = correct[test_set.labels == label]
        lines.append({"class_name": name, "items": len(of_class), "accuracy": round(100 * float(of_class.mean()), 4)})
    return lines


def _epochs_done(path: Path) -> int:
    """How many epochs a checkpoint holds; a broken one is deleted."""
    if not path.exists():
        return 0
    try:
        return len(checkpoint.load(path)["history"])
    except (ValueError, KeyError):
        path.unlink()
        return 0


# Room for the two splits of one data set, which the runs of a grid need one after the other.
@lru_cache(maxsize=2)
def _load(name: str, split: Literal["train", "test"]) -> Dataset:
    return load(name, split, paper_sizes=True)


@lru_cache(maxsize=1)
def _cpu() -> str:
    """The name of the processor, where the system has it."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
