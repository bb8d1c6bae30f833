"""A forecast from a pilot: how the accuracy grows with the number of answers, and how many a target accuracy needs.

The error of most classifiers decreases as a power of the number n of answers, down to a floor:

    error(n) = floor + above * (n / n0)^-power,      n0 the geometric mean of the pilot's sizes.

The pilot gives a few points with standard errors. The forecast uses the whole posterior: a grid over power and floor,
with `above` integrated out (the curve is linear in it). The prior is uniform in the power and in the square root of the
floor, since most floors are low. So a short pilot gives a wide forecast.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from scipy.special import softmax

from oneof.answers import Answers
from oneof.evaluation import Estimate, estimate_accuracy
from oneof.evaluation.intervals import check_confidence, standard_error
from oneof.training.splits import without_holdout

Floats = NDArray[np.float64]

POWERS = np.linspace(0.1, 2.0, 39)
DRAWS = 4000


@dataclass(frozen=True)
class LearningCurve:
    """Draws of the three parameters from the posterior, (d,) each; n0; and the most answers in the pilot."""

    floor: Floats
    above: Floats
    power: Floats
    n0: float
    pilot: int

    def accuracy(self, answers: float, confidence: float = 0.95) -> Estimate:
        """The accuracy to expect after this number of answers: median and interval."""
        if answers <= 0:
            raise ValueError(f"answers must be positive, not {answers}")
        return self._summary(self._accuracies(answers), confidence)

    def gain(self, answers: float, more: float, confidence: float = 0.95) -> Estimate:
        """How much `more` answers add to the accuracy: median and interval. If it is little, stop asking.

        >>> n = np.array([100, 200, 400, 800])
        >>> curve = fit_curve(n, 1 - 0.02 - 0.3 * (n / 100) ** -0.7, np.full(4, 0.005))
        >>> bool(curve.gain(800, 500).value > curve.gain(8000, 500).value > 0)
        True
        """
        if answers <= 0 or more < 0:
            raise ValueError(f"answers must be positive and more not negative, not {answers} and {more}")
        return self._summary(self._accuracies(answers + more) - self._accuracies(answers), confidence)

    def answers_for(self, accuracy: float, confidence: float = 0.95) -> Estimate:
        """The number of answers for a target accuracy: median and interval; infinite if it may never be reached."""
        if not 0 < accuracy < 1:
            raise ValueError(f"accuracy must be between 0 and 1, not {accuracy}")
        above_floor = np.maximum(1 - accuracy - self.floor, 0.0)
        with np.errstate(divide="ignore", over="ignore"):
            draws = self.n0 * (self.above / above_floor) ** (1 / self.power)
        return self._summary(draws, confidence)

    def _accuracies(self, answers: float) -> Floats:
        """The accuracy after this number of answers for each draw, (d,)."""
        return np.asarray(np.clip(1 - self.floor - self.above * (answers / self.n0) ** -self.power, 0, 1))

    def _summary(self, draws: Floats, confidence: float) -> Estimate:
        check_confidence(confidence)
        # "higher" and "lower" select one of the draws: a mean of a number and infinity would not make sense.
        low = np.quantile(draws, (1 - confidence) / 2, method="lower")
        high = np.quantile(draws, (1 + confidence) / 2, method="higher")
        return Estimate(float(np.quantile(draws, 0.5, method="higher")), float(low), float(high), self.pilot)


def fit_curve(
    answers: ArrayLike,
    accuracy: ArrayLike,
    error: ArrayLike,
    *,
    correlation: float = 0.5,
    scatter: float = 0.01,
    bend: float = 0.2,
    seed: int = 0,
) -> LearningCurve:
    """The learning curve of the points of a pilot, (p,) each, with at least three different numbers of answers.

    error: the standard error of each accuracy. correlation: of these errors; points that were judged by the same
    answers tend to be too high or too low at the same time. scatter: the standard deviation that training itself adds,
    from one run to another. bend: how far a curve may deviate from its power law, as a share of the error, for each
    factor e between a point and the last one: early points tell little about how the curve continues.

    >>> n = np.array([100, 200, 400, 800])
    >>> curve = fit_curve(n, 1 - 0.02 - 0.3 * (n / 100) ** -0.7, np.full(4, 0.005))
    >>> forecast = curve.accuracy(1600)
    >>> bool(forecast.low < 1 - 0.02 - 0.3 * 16 ** -0.7 < forecast.high)
    True
    """
    n, wrong = np.asarray(answers, np.float64), 1 - np.asarray(accuracy, np.float64)
    sigma = np.asarray(error, np.float64)
    if n.ndim != 1 or n.shape != wrong.shape or n.shape != sigma.shape:
        raise ValueError(f"answers, accuracy and error must be (points,), not {n.shape}, {wrong.shape}, {sigma.shape}")
    if len(np.unique(n)) < 3 or (n <= 0).any():
        raise ValueError(f"a learning curve needs at least 3 different positive numbers of answers, not {np.unique(n)}")
    if not np.isfinite(wrong).all() or not np.isfinite(sigma).all():
        raise ValueError("accuracy and error must be finite numbers")
    n0 = float(np.exp(np.log(n).mean()))
    correlations = correlation + (1 - correlation) * np.eye(len(n))
    bending = bend * wrong * np.log(n.max() / n)
    spreads = np.outer(sigma, sigma) * correlations + np.diag(scatter**2 + 1e-12 + bending**2)
    whiten = np.linalg.inv(np.linalg.cholesky(spreads)).T
    floors = np.linspace(0, 1, 60) ** 2 * max(0.02, float((wrong + sigma + scatter).min()))
    floor, power = (grid.ravel() for grid in np.meshgrid(floors, POWERS))
    shape = (n / n0) ** -power[:, None] @ whiten
    above_floor = (wrong - floor[:, None]) @ whiten
    precision = (shape**2).sum(axis=1)
    centre = (shape * above_floor).sum(axis=1) / precision
    spread = precision**-0.5
    misfit = ((above_floor - centre[:, None] * shape) ** 2).sum(axis=1)
    log_weight = -0.5 * misfit + np.log(spread) + stats.norm.logcdf(centre / spread)
    rng = np.random.default_rng(seed)
    chosen = rng.choice(len(log_weight), size=DRAWS, p=softmax(log_weight))
    below_zero = stats.norm.cdf(-centre[chosen] / spread[chosen])
    above = centre[chosen] + spread[chosen] * stats.norm.ppf(rng.uniform(below_zero, 1.0))
    return LearningCurve(floor[chosen], np.maximum(above, 1e-9), power[chosen], n0, int(n.max()))


def pilot_points(
    estimator: Any, X: Any, answers: Answers, *, sizes: Sequence[int] | None = None, folds: int = 3, seed: int = 0
) -> pd.DataFrame:
    """A table of the accuracy after training on more and more answers of a pilot, judged by the others. Label-free.

    One row per size: answers, accuracy, low, high, error. X: items, an array; `answers.items` are its rows. sizes:
    numbers of training answers, by default four, from a quarter to all that the folds leave: with fewer, most models
    have learned too little. It trains folds * sizes times.
    """
    from sklearn.base import clone

    items = np.unique(answers.items)
    if folds < 2 or len(items) < 2 * folds:
        raise ValueError(f"answers about {len(items)} items cannot make {folds} folds of at least two items")
    most = int(len(answers) * (folds - 1) / folds * 0.98)
    wanted = [int(most * share) for share in (0.25, 0.4, 0.63, 1.0)] if sizes is None else list(sizes)
    if min(wanted) < 2 or max(wanted) > most:
        raise ValueError(
            f"sizes must be in 2..{most}, what {folds} folds leave of {len(answers)} answers, not {wanted}"
        )
    place = np.full(int(items.max()) + 1, -1)
    place[items] = np.random.default_rng(seed).permutation(len(items))
    order = place[answers.items]
    rows = []
    for size in wanted:
        predictions = np.zeros(len(place), dtype=np.int64)
        for fold in range(folds):
            others = np.flatnonzero(order % folds != fold)
            training = answers[np.sort(others[np.argsort(order[others], kind="stable")][:size])]
            held = items[place[items] % folds == fold]
            model = without_holdout(clone(estimator))
            predictions[held] = model.fit(X, training).predict_proba(X[held]).argmax(axis=1)
        value, low, high, _ = estimate_accuracy(predictions, answers)
        error = standard_error(low, high)
        rows.append({"answers": size, "accuracy": value, "low": low, "high": high, "error": error})
    return pd.DataFrame(rows)
