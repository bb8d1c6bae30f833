"""Play adaptive questions on a labelled data set: train, choose, ask, and again, until the budget is spent.

The labels are used only to answer the questions, as an annotator would, and for the `report`, which changes nothing.
A share of the questions is uniform, about items that are set aside at random at the beginning and never trained on:
their answers give an exact label-free interval at every step, though all other questions were chosen by the model.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from oneof.answers import Answers
from oneof.evaluation import estimate_accuracy
from oneof.queries.adaptive import choose
from oneof.queries.respond import respond
from oneof.queries.uniform import UniformQueries
from oneof.training.splits import without_holdout


@dataclass(frozen=True)
class AdaptiveRun:
    """answers: all that were given, `adaptive` saying which were chosen. judging: the items set aside, int (j,).

    history: one row a round: answers (all asked so far), labels_shown, accuracy with low and high (label-free; NaN
    before there are answers to judge by), and what `report` adds. estimator: the last one trained.
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
    uniform_share: float = 0.1,
    flip_yes: float = 0.0,
    flip_no: float = 0.0,
    label_cost: float = 0.0,
    largest: int | None = None,
    seed: int = 0,
    report: Callable[[Any], dict[str, Any]] | None = None,
    progress: Callable[[dict[str, Any]], None] | None = None,
) -> AdaptiveRun:
    """Ask `budget` questions about items X, `batch` at a time, and train a clone of `estimator` after each batch.

    X: items, an array (n, ...). labels: int (n,), known only to the simulated annotator, who flips at the given rates.
    start: uniform questions before there is a model, of `start_size` labels (default: half of the classes).
    uniform_share: of all questions, those that judge. label_cost, largest: as in `oneof.queries.adaptive.choose`.
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
    rng = np.random.default_rng(seed)
    judging = np.sort(rng.permutation(n)[: min(int(np.ceil(uniform_share * budget * 1.2)), n // 2)])
    trainable = np.setdiff1d(np.arange(n), judging)
    if start > len(trainable):
        raise ValueError(f"start is {start}, but only {len(trainable)} items may be trained on")
    size = classes // 2 if start_size is None else start_size
    flips: dict[str, Any] = {"flip_yes": flip_yes, "flip_no": flip_no}
    noise: dict[str, Any] = flips if flip_yes or flip_no else {}

    def ask(items: NDArray[np.int64], subsets: NDArray[np.bool_], adaptive: NDArray[np.bool_]) -> Answers:
        said = respond(subsets, truth[items], **flips, rng=rng)
        return Answers(subsets, said, items, adaptive=adaptive, **noise)

    judges = rng.binomial(start, uniform_share) if len(judging) else 0
    items = np.concatenate(
        [
            rng.choice(trainable, start - judges, replace=False),
            rng.choice(judging, judges, replace=judges > len(judging)),
        ]
    )
    answers = ask(items, UniformQueries(classes, size).draw(start, rng), np.zeros(start, dtype=np.bool_))
    history: list[dict[str, Any]] = []
    while True:
        training = answers[~np.isin(answers.items, judging)]
        model = without_holdout(clone(estimator)).fit(X, training)
        row = _row(model, X, answers, judging) | (report(model) if report else {})
        history.append(row)
        if progress:
            progress(row)
        if len(answers) >= budget:
            return AdaptiveRun(answers, judging, pd.DataFrame(history), model)
        questions = choose(
            model.predict_proba(X),
            answers.evidence(n),
            min(batch, budget - len(answers)),
            rng,
            label_cost=label_cost,
            largest=largest,
            uniform_share=uniform_share if len(judging) else 0.0,
            uniform_size=size,
            judging=judging,
            **flips,
        )
        answers = answers + ask(questions.items, questions.subsets, questions.adaptive)


def _row(model: Any, X: Any, answers: Answers, judging: NDArray[np.int64]) -> dict[str, Any]:
    row: dict[str, Any] = {"answers": len(answers), "labels_shown": int(answers.subsets.sum())}
    judges = answers[np.isin(answers.items, judging)]
    estimate = (np.nan, np.nan, np.nan)
    if len(judges):
        predictions = np.zeros(len(X), dtype=np.int64)
        asked = np.unique(judges.items)
        predictions[asked] = model.predict_proba(X[asked]).argmax(axis=1)
        value, low, high, _ = estimate_accuracy(predictions, judges)
        estimate = (value, low, high)
    return row | dict(zip(("accuracy", "low", "high"), estimate, strict=True))
