"""Simulate adaptive questions on a labelled data set: train, choose questions, ask them, and repeat.

The labels are used only to answer the questions, as an annotator would, and for the `report`, which has no influence.
A share of the questions is uniform, about items that are held out at random at the beginning and never trained on:
their answers give an exact label-free interval after every training, although all other questions depend on the model.

There are three strategies. "spread" asks about the items where one answer tells most. "finish" asks about one item
until its class is nearly certain, before it begins another. "uniform" asks about new items at random. Which one learns
fastest depends on the classes and the items. `rehearse` finds it without labels: it simulates all three with the
classes that the first model predicts in place of the labels. A fourth one, "watch", the default, is for few classes,
where a uniform question about a new item gives nearly one bit, and a model that knows little would choose worse
questions. It asks uniform questions while the model foresees less than `KNOWN` of the answers that it was not trained
on, and then finishes items. It checks this again after each training, by the answers that judge.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from oneof.answers import Answers
from oneof.evaluation import estimate_accuracy
from oneof.queries.adaptive import Questions, choose
from oneof.queries.groups import Groups
from oneof.queries.respond import respond
from oneof.queries.tempering import JUDGES, KNOWN, MANY, find_temperature, foreseen, temper
from oneof.queries.uniform import UniformQueries
from oneof.training.splits import without_holdout

STRATEGIES = ("spread", "finish", "uniform")
TURNS = 8
"""Parts into which "finish" divides a batch: about as many questions about one item can follow each other."""
ROUNDS = 6
"""Trainings of a rehearsal, for each strategy."""


@dataclass(frozen=True)
class AdaptiveRun:
    """answers: all answers; `adaptive` says which questions the model chose. judging: the held-out items, int (j,).

    history: one row per training: answers (so far), labels_shown, accuracy with low and high (label-free; NaN while
    there are no answers to judge by), strategy, and the figures of `report`. estimator: the last one trained.
    """

    answers: Answers
    judging: NDArray[np.int64]
    history: pd.DataFrame
    estimator: Any


def simulate_adaptive(
    estimator: Any,
    X: Any,
    labels: ArrayLike,
    classes: int,
    *,
    budget: int,
    batch: int = 50,
    start: int = 100,
    start_size: int | None = None,
    strategy: str = "watch",
    uniform_share: float = 0.1,
    flip_yes: float = 0.0,
    flip_no: float = 0.0,
    label_cost: float = 0.0,
    largest: int | None = None,
    groups: Groups | None = None,
    seed: int = 0,
    report: Callable[[Any], dict[str, Any]] | None = None,
    progress: Callable[[dict[str, Any]], None] | None = None,
) -> AdaptiveRun:
    """Ask `budget` questions about items X, `batch` at a time, and train a clone of `estimator` after each batch.

    X: items, an array (n, ...). labels: int (n,), known only to the simulated annotator, who flips at the given rates.
    start: the number of questions before the first training; uniform ones have `start_size` labels (default: half of
    the classes, or `largest` if that is less). strategy: "watch", which with 16 or more classes is "finish"; one of
    `STRATEGIES`; or "rehearse" to compare them label-free after the first training, which trains about twenty times
    more. uniform_share: the share of all questions that judge. label_cost, largest, groups: see
    `oneof.queries.information.best_subsets`. report: gives more figures from a trained estimator, such as its accuracy
    on a test set. progress: called with each new row of the history.

    >>> from sklearn.datasets import load_digits
    >>> from oneof import OneOfClassifier
    >>> X, labels = load_digits(return_X_y=True)
    >>> run = simulate_adaptive(OneOfClassifier(epochs=5), X, labels, 10, budget=150, start=100)
    >>> run.history["answers"].tolist()
    [100, 150]
    """
    from sklearn.base import clone

    truth = np.asarray(labels)
    n = len(truth)
    if not classes <= start <= budget:
        raise ValueError(
            f"start must be between the number of classes, {classes}, and the budget, {budget}, not {start}"
        )
    if batch < 1 or not 0 <= uniform_share < 1:
        raise ValueError(f"batch must be at least 1 and uniform_share in [0, 1), not {batch} and {uniform_share}")
    if strategy not in ("rehearse", "watch", *STRATEGIES):
        raise ValueError(f"strategy must be {', '.join(STRATEGIES)}, rehearse or watch, not {strategy!r}")
    rng = np.random.default_rng(seed)
    judging = np.sort(rng.permutation(n)[: min(int(np.ceil(uniform_share * budget * 1.2)), n // 2)])
    trainable = np.setdiff1d(np.arange(n), judging)
    if start > len(trainable):
        raise ValueError(f"start is {start}, but only {len(trainable)} items may be trained on")
    size = min(classes // 2, classes if largest is None else largest) if start_size is None else start_size
    flips: dict[str, Any] = {"flip_yes": flip_yes, "flip_no": flip_no}
    limits: dict[str, Any] = {"label_cost": label_cost, "largest": largest, "groups": groups}
    watched = strategy == "watch" and classes < MANY
    first = strategy
    if strategy in ("rehearse", "watch"):
        first = "uniform" if watched else "finish" if classes >= MANY else "spread"
    asking = _Asking(
        truth, judging, trainable, UniformQueries(classes, size), uniform_share, watched, flips, limits, rng, first
    )
    history: list[dict[str, Any]] = []
    asking.ask(start, None)
    while True:
        answers = asking.answers
        model = without_holdout(clone(estimator)).fit(X, answers[~np.isin(answers.items, judging)])
        row = _row(model, X, answers, judging, groups) | {"strategy": asking.strategy}
        history.append(row | (report(model) if report else {}))
        if progress:
            progress(history[-1])
        if len(answers) >= budget:
            return AdaptiveRun(answers, judging, pd.DataFrame(history), model)
        probabilities = model.predict_proba(X)
        if strategy == "rehearse" and len(history) == 1:
            settings = {"budget": budget, "start": start, "start_size": size, "seed": seed, **flips, **limits}
            asking.strategy = rehearse(estimator, X, probabilities, **settings)["strategy"].iloc[0]
        if watched:
            asking.watch(probabilities)
        asking.ask(min(batch, budget - len(answers)), probabilities)


@dataclass
class _Asking:
    """The questions of a simulation: asked with the present strategy, and answered by the labels."""

    labels: NDArray[np.int64]
    judging: NDArray[np.int64]
    trainable: NDArray[np.int64]
    queries: UniformQueries
    uniform_share: float
    watched: bool
    flips: dict[str, Any]
    limits: dict[str, Any]
    rng: np.random.Generator
    strategy: str
    temperature: float = 1.0
    """How far the present model is trusted, see `oneof.queries.tempering`."""
    known: float = 0.0
    """How well models foresaw the answers that decide what "watch" does."""

    def __post_init__(self) -> None:
        nothing = np.zeros((0, self.queries.classes), dtype=np.bool_), np.zeros(0, dtype=np.bool_)
        self.answers = Answers(*nothing, **self.flips)

    def ask(self, count: int, probabilities: Any) -> None:
        """Ask some questions at a time, so that an answer about an item can influence the next question about it.

        probabilities: (n, k), of the present model, or None before there is one.
        """
        n, classes = len(self.labels), self.queries.classes
        seen: list[tuple[Any, ...]] = []
        flat = np.full((n, classes), 1 / classes)
        believed = flat if probabilities is None else temper(probabilities, self.temperature)
        step = max(1, count // TURNS) if self.strategy == "finish" else count
        for part in [step] * (count // step) + [count % step] * (count % step > 0):
            if self.strategy == "uniform" or (probabilities is None and self.strategy != "finish"):
                questions = self._uniform(part)
            else:
                questions = self._adaptive(part, believed)
            items = questions.items
            responses = respond(questions.subsets, self.labels[items], **self.flips, rng=self.rng)
            before = self.answers.evidence(n)[items]
            self.answers += Answers(questions.subsets, responses, items, adaptive=questions.adaptive, **self.flips)
            if probabilities is not None:
                seen.append((probabilities[items], before, self.answers.evidence(n)[items]))
        if seen:
            probable, before, after = map(np.concatenate, zip(*seen, strict=True))
            self.temperature = find_temperature(probable, before, after)
            if self.strategy == "uniform":
                self.known = foreseen(probable, before, after)

    def watch(self, probabilities: Any) -> None:
        """Choose between uniform questions and finishing items, by how well the model foresees answers."""
        judges = self.answers[np.isin(self.answers.items, self.judging)]
        items = np.unique(judges.items)
        if len(items) >= JUDGES:
            nothing = np.zeros((len(items), self.queries.classes))
            self.known = foreseen(probabilities[items], nothing, judges.evidence(len(self.labels))[items])
        self.strategy = "finish" if self.known >= KNOWN else "uniform"

    def _uniform(self, count: int) -> Questions:
        """Uniform questions about new items, and about judging items."""
        # With "watch" every uniform answer judges the model before the next one is trained on it.
        judges = self.rng.binomial(count, self.uniform_share) if len(self.judging) and not self.watched else 0
        new = np.setdiff1d(self.trainable, self.answers.items)
        others = new if len(new) >= count - judges else self.trainable
        items = np.concatenate(
            [
                self.rng.choice(others, count - judges, replace=count - judges > len(others)),
                self.rng.choice(self.judging, judges, replace=judges > len(self.judging)),
            ]
        )
        subsets = self.queries.draw(count, self.rng)
        return Questions(items, subsets, np.full(count, np.nan), np.zeros(count, dtype=np.bool_))

    def _adaptive(self, count: int, believed: Any) -> Questions:
        return choose(
            believed, self.answers.evidence(len(self.labels)), count, self.rng, finish=self.strategy == "finish",
            uniform_share=self.uniform_share if len(self.judging) else 0.0, uniform_size=self.queries.size,
            judging=self.judging, **self.flips, **self.limits,
        )  # fmt: skip


def rehearse(
    estimator: Any, X: Any, probabilities: ArrayLike, *, budget: int, start: int, **settings: Any
) -> pd.DataFrame:
    """A table of the strategies with their accuracy, the best first, simulated with predictions in place of labels.

    probabilities: (n, k), for the items X; their classes are the labels of the simulation. accuracy: agreement with
    these classes, the mean over six trainings from `start` to `budget` answers. settings: see `simulate_adaptive`.
    """
    p = np.asarray(probabilities)
    predicted = p.argmax(axis=1)

    def agreement(model: Any) -> dict[str, float]:
        return {"agreement": float((model.predict_proba(X).argmax(axis=1) == predicted).mean())}

    rows = []
    for strategy in STRATEGIES:
        run = simulate_adaptive(
            estimator, X, predicted, p.shape[1], budget=budget, batch=max(1, -(-(budget - start) // ROUNDS)),
            start=start, strategy=strategy, uniform_share=0.0, report=agreement, **settings,
        )  # fmt: skip
        rows.append({"strategy": strategy, "accuracy": run.history["agreement"].iloc[1:].mean()})
    return pd.DataFrame(rows).sort_values("accuracy", ascending=False, kind="stable", ignore_index=True)


def _row(model: Any, X: Any, answers: Answers, judging: NDArray[np.int64], groups: Groups | None) -> dict[str, Any]:
    shown = answers.sizes if groups is None else groups.labels_shown(answers.subsets)
    row: dict[str, Any] = {"answers": len(answers), "labels_shown": int(shown.sum())}
    judges = answers[np.isin(answers.items, judging)]
    estimate = (np.nan, np.nan, np.nan)
    if len(judges):
        predictions = np.zeros(len(X), dtype=np.int64)
        items = np.unique(judges.items)
        predictions[items] = model.predict_proba(X[items]).argmax(axis=1)
        value, low, high, _ = estimate_accuracy(predictions, judges)
        estimate = (value, low, high)
    return row | dict(zip(("accuracy", "low", "high"), estimate, strict=True))
