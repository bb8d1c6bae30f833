"""Class by class, from answers alone: precision, share, recall, and the confusion matrix.

The agreement identity holds given the prediction, so the *precision* of class j is the accuracy among the items
predicted j, with the same exact interval. With the unbiased weights w_j(L, s) of `oneof.queries.moment`,

    E[1{yhat = i} w_j] = P(yhat = i, y = j),    share of class j = E[w_j],    recall of j = E[1{yhat = j} w_j] / E[w_j].

These estimates are unbiased and may be negative; their intervals are asymptotic, that of the recall by Fieller (1954).
They need uniform questions, or a law given as `queries`; the precision can also use questions made from the prediction.
If flip rates were estimated, every interval is wider (`uncertain_rates`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from oneof.answers import Answers
from oneof.evaluation import uncertain_rates
from oneof.evaluation.accuracy import judged_accuracy, judges_of
from oneof.evaluation.agreement import Floats
from oneof.evaluation.intervals import clopper_pearson, square_and_add
from oneof.evaluation.judges import Judges
from oneof.evaluation.weights import weights_without_noise
from oneof.queries.moment import Queries
from oneof.queries.uniform import UniformQueries

CONFIDENCE = 0.95
"""The confidence of the intervals for flip rates, from which standard errors are computed."""


@dataclass(frozen=True)
class Confusion:
    """value, error: (k, k), P(truth = row, prediction = column) and its standard error; the values sum to one.

    n: answers. classes: names. note: how many cells are looked at, and what that means.
    """

    value: Floats
    error: Floats
    n: int
    classes: tuple[str, ...]

    @property
    def note(self) -> str:
        """How many cells there are, as a warning not to overrate a single one."""
        cells = self.value.size
        return (
            f"{cells} cells from {self.n:,} answers: about {max(1, round(0.05 * cells))} of them are more than two "
            "standard errors from the truth by chance alone; small cells may be negative"
        )

    def frame(self) -> pd.DataFrame:
        """The values with names, rows the truth, columns the prediction."""
        return pd.DataFrame(self.value, pd.Index(self.classes, name="truth"), pd.Index(self.classes, name="predicted"))

    def _repr_html_(self) -> str:
        return f"{self.frame().to_html(float_format='{:.3f}'.format)}<small>{escape(self.note)}</small>"


def estimate_confusion(
    predictions: ArrayLike,
    answers: Answers,
    *,
    check: bool = True,
    queries: Queries | None = None,
    flip_yes: ArrayLike | None = None,
    flip_no: ArrayLike | None = None,
    trained_on: ArrayLike | None = None,
) -> Confusion:
    """The confusion matrix of predictions, from held-out answers, without labels.

    Arguments: see `estimate_accuracy`.

    >>> from oneof import UniformQueries, respond
    >>> labels = np.arange(6000) % 3
    >>> subsets = UniformQueries(3, 1).draw(6000, rng=0)
    >>> predictions = np.where(np.arange(6000) % 4 == 0, 0, labels)
    >>> found = estimate_confusion(predictions, Answers(subsets, respond(subsets, labels)))
    >>> bool(abs(found.value[1, 0] - 1 / 12) < 3 * found.error[1, 0]), round(float(found.value.sum()), 6)
    (True, 1.0)
    """
    judges = judges_of(
        predictions, answers, CONFIDENCE,
        check=check, queries=queries, flip_yes=flip_yes, flip_no=flip_no, trained_on=trained_on, decoys=False,
    )  # fmt: skip
    low, high = _weights(judges, queries)
    k, n = judges.answers.classes, len(judges)
    prediction, counts, (totals,) = _by_item(judges, (low + high) / 2)
    _, _, (halves,) = _by_item(judges, (high - low) / 2)
    predicted = np.eye(k)[prediction]
    value = totals.T @ predicted / n
    squares = (totals**2).T @ predicted - 2 * value * ((totals * counts[:, None]).T @ predicted)
    variance = (squares + value**2 * (counts @ counts)) / n**2
    margins = _margins_of_rates(judges, queries, CONFIDENCE, lambda joint: joint)
    by_rates = np.maximum(*margins) / stats.norm.ppf(0.5 + CONFIDENCE / 2)
    error = np.sqrt(np.maximum(variance, 0) + by_rates**2) + halves.T @ predicted / n
    return Confusion(value, error, n, _names(answers))


def class_report(
    predictions: ArrayLike,
    answers: Answers,
    confidence: float = 0.95,
    *,
    simultaneous: bool = False,
    check: bool = True,
    queries: Queries | None = None,
    flip_yes: ArrayLike | None = None,
    flip_no: ArrayLike | None = None,
    trained_on: ArrayLike | None = None,
) -> pd.DataFrame:
    """A table with a row per class: share of the items, share predicted, precision, recall, each with _low and _high.

    Label-free. simultaneous: make the intervals so wide that all of a column hold at once (Bonferroni); by default each
    holds by itself, and about one in 20 does not. `frame.attrs["note"]` says which. Other arguments: see
    `estimate_accuracy`.

    >>> from oneof import UniformQueries, respond
    >>> labels = np.arange(6000) % 3
    >>> subsets = UniformQueries(3, 1).draw(6000, rng=0)
    >>> predictions = np.where(np.arange(6000) % 4 == 0, 0, labels)
    >>> report = class_report(predictions, Answers(subsets, respond(subsets, labels)))
    >>> report[["class", "share", "precision", "recall"]].round(1).values.tolist()
    [['0', 0.3, 0.7, 1.0], ['1', 0.3, 1.0, 0.7], ['2', 0.3, 1.0, 0.7]]
    """
    judges = judges_of(
        predictions, answers, confidence,
        check=check, queries=queries, flip_yes=flip_yes, flip_no=flip_no, trained_on=trained_on,
    )  # fmt: skip
    k = answers.classes
    each = 1 - (1 - confidence) / k if simultaneous else confidence
    items, first = np.unique(judges.answers.items, return_index=True)
    predicted = np.bincount(judges.prediction[first], minlength=k)
    drawn = judges[~judges.decoy] if judges.decoy.any() else judges
    shares_and_recalls = (
        _shares_and_recalls(drawn, queries, each) if len(drawn) else np.tile([np.nan, 0.0, 1.0], (k, 2))
    )
    rows = []
    for label, name in enumerate(_names(answers)):
        mine = judges[judges.prediction == label]
        precision = judged_accuracy(mine, each, queries=queries)[:3] if len(mine) else (np.nan, 0.0, 1.0)
        share = predicted[label] / len(items), *clopper_pearson(predicted[label], len(items), each)
        row: dict[str, Any] = {"class": name}
        figures: dict[str, Any] = {
            "share": shares_and_recalls[label, :3],
            "predicted": share,
            "precision": precision,
            "recall": shares_and_recalls[label, 3:],
        }
        for figure, (value, low, high) in figures.items():
            row |= {figure: float(value), f"{figure}_low": float(low), f"{figure}_high": float(high)}
        rows.append(row | {"n": len(mine)})
    frame = pd.DataFrame(rows)
    frame.attrs["note"] = (
        f"all {k} intervals of a column hold at once with {confidence:.0%}"
        if simultaneous
        else f"{k} intervals per column, each with {confidence:.0%}: about {(1 - confidence) * k:.1f} miss by chance"
    )
    frame.attrs["notes"] = list(judges.notes)
    return frame


def _shares_and_recalls(judges: Judges, queries: Queries | None, confidence: float) -> Floats:
    """Share and recall of each class, each with low and high, (k, 6)."""
    low, high = _weights(judges, queries)
    mine = judges.prediction[:, None] == np.arange(judges.answers.classes)
    quantile = float(stats.norm.ppf(0.5 + confidence / 2))
    ends = []
    # A skip may have raised or lowered a weight. For the lower end of a recall it lowers the weights of items that are
    # predicted to be of the class, and raises the others; for the upper end the other way round.
    for hit_weights, miss_weights in ((low, high), (high, low)):
        _, _, (hits, misses) = _by_item(judges, np.where(mine, hit_weights, 0), np.where(mine, 0, miss_weights))
        _, _, (total,) = _by_item(judges, hit_weights)
        ends.append((_ratio(hits, hits + misses, quantile), _mean(total, len(judges), quantile)))
    (recall_low, share_low), (recall_high, share_high) = ends
    middle = [(a + b) / 2 for a, b in ((share_low[0], share_high[0]), (recall_low[0], recall_high[0]))]
    values = np.stack(middle)
    ends = [(np.stack([share_low[1], recall_low[1]]), np.stack([share_high[2], recall_high[2]]))]
    below, above = _margins_of_rates(judges, queries, confidence, _share_and_recall)
    lows, highs = square_and_add(values, [*ends, (values - below, values + above)])
    sure = np.isfinite(values)
    lows, highs = np.where(sure, lows, 0.0), np.where(sure, highs, 1.0)
    columns = [values[0], lows[0], highs[0], values[1], lows[1], highs[1]]
    return np.asarray(np.clip(np.stack(columns, axis=1), 0, 1))


def _share_and_recall(joint: Floats) -> Floats:
    """The share and the recall of each class, (2, k), from P(truth = row, prediction = column)."""
    share = joint.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.stack([share, np.diag(joint) / share])


def _margins_of_rates(
    judges: Judges, queries: Queries | None, confidence: float, figure: Callable[[Floats], Floats]
) -> tuple[Floats, Floats]:
    """How far a figure may be too high and too low because flip rates are estimates.

    figure: from P(truth = row, prediction = column), (k, k), to an array.
    """
    if not uncertain_rates.estimated(judges.answers):
        return np.zeros(()), np.zeros(())
    law, k = queries or UniformQueries(judges.answers.classes, 1), judges.answers.classes
    pair = uncertain_rates.plain_rates(judges.answers, judges.rho1, judges.rho0)
    answered = ~judges.unknown

    def joint(rows: Any, rates: tuple[Floats, Floats]) -> Floats:
        weights = weights_without_noise(law, judges.answers[rows], rates[0][rows], rates[1][rows])
        return np.asarray(weights.T @ np.eye(k)[judges.prediction[rows]] / max(1, int(answered.sum())))

    plain = joint(answered, pair)

    def figure_at(rho1: Floats, rho0: Floats) -> Floats:
        moved = answered & ((rho1 != pair[0]) | (rho0 != pair[1]))  # nothing changes for the others
        return figure(plain + joint(moved, (rho1, rho0)) - joint(moved, pair))

    middle = figure(plain)
    found = uncertain_rates.ends(judges.answers, judges.rho1, judges.rho0, figure_at, confidence)
    below, above = square_and_add(middle, found)
    return np.nan_to_num(middle - below), np.nan_to_num(above - middle)


def _mean(totals: Floats, n: int, quantile: float) -> Floats:
    """The mean of each column with low and high, (3, k), from sums over items, (items, k)."""
    mean = totals.sum(axis=0) / n
    margin = quantile * np.sqrt(((totals - totals.mean(axis=0)) ** 2).sum(axis=0)) / n
    return np.stack([mean, mean - margin, mean + margin])


def _ratio(above: Floats, below: Floats, quantile: float) -> Floats:
    """The ratio of two sums with Fieller's interval, (3, k); from 0 to 1 where the divisor may be zero."""
    a, b = above.sum(axis=0), below.sum(axis=0)
    left, right = above - above.mean(axis=0), below - below.mean(axis=0)
    aa, ab, bb = (quantile**2 * (x * y).sum(axis=0) for x, y in ((left, left), (left, right), (right, right)))
    divisor, middle = b**2 - bb, a * b - ab
    with np.errstate(divide="ignore", invalid="ignore"):
        root = np.sqrt(np.maximum(middle**2 - divisor * (a**2 - aa), 0))
        found = np.stack([a / b, (middle - root) / divisor, (middle + root) / divisor])
    sure = divisor > 0
    return np.asarray(np.where(sure, found, np.array([np.nan, 0.0, 1.0])[:, None]))


def _weights(judges: Judges, queries: Queries | None) -> tuple[Floats, Floats]:
    """The lowest and the highest unbiased weights that skips allow, (n, k) each; both are the same without skips."""
    law = queries or UniformQueries(judges.answers.classes, 1)
    pair = uncertain_rates.plain_rates(judges.answers, judges.rho1, judges.rho0)
    filled = (np.where(judges.unknown, fill, judges.answers.responses) for fill in (True, False))
    both = [weights_without_noise(law, judges.answers, *pair, responses) for responses in filled]
    return np.minimum(*both), np.maximum(*both)


def _by_item(judges: Judges, *weights: Floats) -> tuple[Any, Floats, list[Floats]]:
    """The prediction and the number of answers of each item, and sums of weights over its answers, (items, k)."""
    items, first, row = np.unique(judges.answers.items, return_index=True, return_inverse=True)
    counts = np.bincount(row).astype(np.float64)
    if len(items) == len(row):
        return judges.prediction[first], counts, [w[first] for w in weights]
    sums = [np.zeros((len(items), w.shape[1])) for w in weights]
    for total, w in zip(sums, weights, strict=True):
        np.add.at(total, row, w)
    return judges.prediction[first], counts, sums


def _names(answers: Answers) -> tuple[str, ...]:
    return tuple(answers.class_names or map(str, range(answers.classes)))
