"""Play adaptive questions on a labelled data set: train, choose, ask, and again, until the budget is spent.

The labels are used only to answer the questions, as an annotator would, and for the `report`, which changes nothing.
A share of the questions is uniform, about items that are set aside at random at the beginning and never trained on:
their answers give an exact label-free interval at every step, though all other questions were chosen by the model.

Three strategies: "spread" asks about the items where one answer tells most; "finish" asks on about an item until its
class is as good as settled, before it begins another; "uniform" asks about new items at random. Which of them learns
fastest depends on classes and items. `rehearse` tells without labels: it plays all three on the classes that the
first model predicts, as if they were the truth. "watch" is for few classes, where a uniform question about a new item
tells a whole bit, and a model that knows little would choose worse: it asks uniform questions for as long as the model
foresees less than `KNOWN` of what answers tell that it was not trained on, and then finishes items. It goes on watching
by the answers that judge, and goes back if they say so.
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
from oneof.queries.tempering import find_temperature, foreseen, temper
from oneof.queries.uniform import UniformQueries
from oneof.training.splits import without_holdout

STRATEGIES = ("spread", "finish", "uniform")
MANY = 16
"""From so many classes on one answer leaves too much open to learn from, and "finish" is the default."""
KNOWN = 0.4
"""With the strategy "watch" a model chooses questions once it foresees this share of what uniform answers tell."""
JUDGES = 30
"""Items that judge before their answers say how much a model foresees."""
TURNS = 8
"""Questions about one item between two trainings, with the strategy "finish"."""
ROUNDS = 6
"""Trainings of a rehearsal, for each strategy."""


@dataclass(frozen=True)
class AdaptiveRun:
    """answers: all that were given, `adaptive` saying which were chosen. judging: the items set aside, int (j,).

    history: one row per round: answers (all asked so far), labels_shown, accuracy with low and high (label-free; NaN
    before there are answers to judge by), strategy, and what `report` adds. estimator: the last one trained.
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
    strategy: str | None = None,
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
    start: questions before there is a model; uniform ones have `start_size` labels (default: half of the classes, or
    `largest` if that is less). strategy: one of `STRATEGIES`, or "rehearse" to compare them label-free after the
    start, which trains about twenty times more, or "watch" (default: "finish" from 16 classes on, else "spread").
    uniform_share: of all questions, those that judge. label_cost, largest, groups: as in `oneof.queries.adaptive`.
    report: more figures from a trained estimator, such as its accuracy on a test set. progress: told of each new row.

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
    if strategy not in (None, "rehearse", "watch", *STRATEGIES):
        raise ValueError(f"strategy must be {', '.join(STRATEGIES)}, rehearse or watch, not {strategy!r}")
    rng = np.random.default_rng(seed)
    judging = np.sort(rng.permutation(n)[: min(int(np.ceil(uniform_share * budget * 1.2)), n // 2)])
    trainable = np.setdiff1d(np.arange(n), judging)
    if start > len(trainable):
        raise ValueError(f"start is {start}, but only {len(trainable)} items may be trained on")
    size = min(classes // 2, classes if largest is None else largest) if start_size is None else start_size
    flips: dict[str, Any] = {"flip_yes": flip_yes, "flip_no": flip_no}
    noise: dict[str, Any] = flips if flip_yes or flip_no else {}
    limits: dict[str, Any] = {"label_cost": label_cost, "largest": largest, "groups": groups}
    watched = strategy == "watch" and classes < MANY
    now = ("finish" if classes >= MANY else "spread") if strategy in (None, "rehearse", "watch") else str(strategy)
    now = "uniform" if watched else now
    answers = Answers(np.zeros((0, classes), dtype=np.bool_), np.zeros(0, dtype=np.bool_), **noise)

    def at_random(count: int) -> Questions:
        """Uniform questions about new items, and the share of them that judges."""
        # While it is watched, every uniform answer judges the model before it trains the next one.
        judges = rng.binomial(count, uniform_share) if len(judging) and not watched else 0
        new = np.setdiff1d(trainable, answers.items)
        about = new if len(new) >= count - judges else trainable
        items = np.concatenate(
            [
                rng.choice(about, count - judges, replace=count - judges > len(about)),
                rng.choice(judging, judges, replace=judges > len(judging)),
            ]
        )
        drawn = UniformQueries(classes, size).draw(count, rng)
        return Questions(items, drawn, np.full(count, np.nan), np.zeros(count, dtype=np.bool_))

    def told(count: int, probabilities: Any) -> Questions:
        share = uniform_share if len(judging) else 0.0
        return choose(
            probabilities, answers.evidence(n), count, rng, finish=now == "finish", uniform_share=share,
            uniform_size=size, judging=judging, **flips, **limits,
        )  # fmt: skip

    def ask(count: int, probabilities: Any) -> tuple[float, float]:
        """Ask, some at a time: an answer about an item shapes the next question.

        How far to trust the next model, and how much of the answers this one foresaw.
        """
        nonlocal answers
        seen: list[tuple[Any, ...]] = []
        flat = np.full((n, classes), 1 / classes)
        believed = flat if probabilities is None else temper(probabilities, temperature)
        some = max(1, count // TURNS) if now == "finish" else count
        for part in [some] * (count // some) + [count % some] * (count % some > 0):
            if now == "uniform" or (probabilities is None and now != "finish"):
                questions = at_random(part)
            else:
                questions = told(part, believed)
            said = respond(questions.subsets, truth[questions.items], **flips, rng=rng)
            before = answers.evidence(n)[questions.items]
            answers = answers + Answers(questions.subsets, said, questions.items, adaptive=questions.adaptive, **noise)
            if probabilities is not None:
                seen.append((probabilities[questions.items], before, answers.evidence(n)[questions.items]))
        if not seen:
            return 1.0, 0.0
        probable, before, after = map(np.concatenate, zip(*seen, strict=True))
        return find_temperature(probable, before, after), foreseen(probable, before, after)

    history: list[dict[str, Any]] = []
    temperature, known = ask(start, None)
    while True:
        training = answers[~np.isin(answers.items, judging)]
        model = without_holdout(clone(estimator)).fit(X, training)
        row = _row(model, X, answers, judging, groups) | {"strategy": now} | (report(model) if report else {})
        history.append(row)
        if progress:
            progress(row)
        if len(answers) >= budget:
            return AdaptiveRun(answers, judging, pd.DataFrame(history), model)
        probabilities = model.predict_proba(X)
        if strategy == "rehearse" and len(history) == 1:
            settings = {"budget": budget, "start": start, "start_size": size, "seed": seed, **flips, **limits}
            now = rehearse(estimator, X, probabilities, **settings)["strategy"].iloc[0]
        if watched:
            judges = answers[np.isin(answers.items, judging)]
            asked = np.unique(judges.items)
            if len(asked) >= JUDGES:
                known = foreseen(probabilities[asked], np.zeros((len(asked), classes)), judges.evidence(n)[asked])
            now = "finish" if known >= KNOWN else "uniform"
        temperature, latest = ask(min(batch, budget - len(answers)), probabilities)
        known = latest if now == "uniform" else known


def rehearse(
    estimator: Any, X: Any, probabilities: ArrayLike, *, budget: int, start: int, **settings: Any
) -> pd.DataFrame:
    """Every strategy played on what a model predicts, as if it were the truth: strategy and accuracy, the best first.

    probabilities: (n, k), for the items X. accuracy: agreement with the predictions, on average over six trainings on
    the way from `start` to `budget` answers; settings as in `simulate_adaptive`. No label is used.
    """
    p = np.asarray(probabilities)
    predicted = p.argmax(axis=1)

    def agreement(model: Any) -> dict[str, float]:
        return {"agreement": float((model.predict_proba(X).argmax(axis=1) == predicted).mean())}

    rows = []
    for strategy in STRATEGIES:
        played = simulate_adaptive(
            estimator, X, predicted, p.shape[1], budget=budget, batch=max(1, -(-(budget - start) // ROUNDS)),
            start=start, strategy=strategy, uniform_share=0.0, report=agreement, **settings,
        )  # fmt: skip
        rows.append({"strategy": strategy, "accuracy": played.history["agreement"].iloc[1:].mean()})
    return pd.DataFrame(rows).sort_values("accuracy", ascending=False, kind="stable", ignore_index=True)


def _row(model: Any, X: Any, answers: Answers, judging: NDArray[np.int64], groups: Groups | None) -> dict[str, Any]:
    shown = answers.sizes if groups is None else groups.labels_shown(answers.subsets)
    row: dict[str, Any] = {"answers": len(answers), "labels_shown": int(shown.sum())}
    judges = answers[np.isin(answers.items, judging)]
    estimate = (np.nan, np.nan, np.nan)
    if len(judges):
        predictions = np.zeros(len(X), dtype=np.int64)
        asked = np.unique(judges.items)
        predictions[asked] = model.predict_proba(X[asked]).argmax(axis=1)
        value, low, high, _ = estimate_accuracy(predictions, judges)
        estimate = (value, low, high)
    return row | dict(zip(("accuracy", "low", "high"), estimate, strict=True))
