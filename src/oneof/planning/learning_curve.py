"""From a pilot to a forecast: how the accuracy grows with the number of answers, and how many a target will take.

The error of most classifiers falls as a power of the number n of answers, down to a floor:

    error(n) = floor + above * (n / n0)^-power,      n0 the geometric mean of the pilot's sizes.

The pilot gives a few points with standard errors. We keep the whole posterior: a grid over power and floor, with
`above` integrated out (the curve is linear in it). The prior is flat in the power and in the square root of the floor,
since most floors are low. A short pilot gives a wide forecast, as it should.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from oneof.answers import Answers
from oneof.evaluation import Estimate, estimate_accuracy
from oneof.training.splits import without_holdout

Floats = NDArray[np.float64]

POWERS = np.linspace(0.1, 2.0, 39)
DRAWS = 4000


@dataclass(frozen=True)
class LearningCurve:
    """Draws from the posterior of the three parameters, (d,) each; n0; and the pilot's largest number of answers."""

    floor: Floats
    above: Floats
    power: Floats
    n0: float
    pilot: int

    def accuracy(self, answers: float, confidence: float = 0.95) -> Estimate:
        """The accuracy to expect after so many answers: median and interval."""
        if answers <= 0:
            raise ValueError(f"answers must be positive, not {answers}")
        draws = np.clip(1 - self.floor - self.above * (answers / self.n0) ** -self.power, 0, 1)
        return self._summary(draws, confidence)

    def gain(self, answers: float, more: float, confidence: float = 0.95) -> Estimate:
        """What `more` answers add to the accuracy after so many: median and interval. When it is little, stop asking.

        >>> n = np.array([100, 200, 400, 800])
        >>> curve = fit_curve(n, 1 - 0.02 - 0.3 * (n / 100) ** -0.7, np.full(4, 0.005))
        >>> bool(curve.gain(800, 500).value > curve.gain(8000, 500).value > 0)
        True
        """
        if answers <= 0 or more < 0:
            raise ValueError(f"answers must be positive and more not negative, not {answers} and {more}")
        before, after = (
            np.clip(1 - self.floor - self.above * (n / self.n0) ** -self.power, 0, 1) for n in (answers, answers + more)
        )
        return self._summary(after - before, confidence)

    def answers_for(self, accuracy: float, confidence: float = 0.95) -> Estimate:
        """The answers that a target accuracy will take: median and interval; infinite where it may never be reached."""
        if not 0 < accuracy < 1:
            raise ValueError(f"accuracy must be between 0 and 1, not {accuracy}")
        room = 1 - accuracy - self.floor
        with np.errstate(divide="ignore", over="ignore"):
            draws = self.n0 * (self.above / np.maximum(room, 0.0)) ** (1 / self.power)
        return self._summary(draws, confidence)

    def _summary(self, draws: Floats, confidence: float) -> Estimate:
        if not 0 < confidence < 1:
            raise ValueError(f"confidence must be between 0 and 1, not {confidence}")
        # "higher" and "lower" take a draw as it is: halfway between a number and infinity is no number.
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
    """The learning curve through pilot points. (p,) each, at least three different numbers of answers.

    error: standard error of each accuracy. correlation: between these errors; points that were judged by the same
    answers are too high or too low together. scatter: what training itself adds, from one run to the next. bend: how
    far a curve may leave its power law, as a share of the error, for each factor e that a point lies behind the last
    one: early points say little about where the curve goes.

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
    weight = np.exp(log_weight - log_weight.max())
    rng = np.random.default_rng(seed)
    chosen = rng.choice(len(weight), size=DRAWS, p=weight / weight.sum())
    below_zero = stats.norm.cdf(-centre[chosen] / spread[chosen])
    above = centre[chosen] + spread[chosen] * stats.norm.ppf(rng.uniform(below_zero, 1.0))
    return LearningCurve(floor[chosen], np.maximum(above, 1e-9), power[chosen], n0, int(n.max()))


def pilot_points(
    estimator: Any, X: Any, answers: Answers, *, sizes: Sequence[int] | None = None, folds: int = 3, seed: int = 0
) -> pd.DataFrame:
    """Train on more and more of a pilot's answers, judge on the others: one row per size, without a single label.

    X: items, an array; `answers.items` points at its rows. sizes: numbers of training answers, by default four from
    a quarter to all that the folds leave: with fewer, most models have hardly begun to learn. Trains folds * sizes
    times. Returns answers, accuracy, low, high, error.
    """
    from sklearn.base import clone

    asked = np.unique(answers.items)
    if folds < 2 or len(asked) < 2 * folds:
        raise ValueError(f"answers about {len(asked)} items cannot make {folds} folds of two items at least")
    most = int(len(answers) * (folds - 1) / folds * 0.98)
    wanted = [int(most * share) for share in (0.25, 0.4, 0.63, 1.0)] if sizes is None else list(sizes)
    if min(wanted) < 2 or max(wanted) > most:
        raise ValueError(
            f"sizes must be in 2..{most}, what {folds} folds leave of {len(answers)} answers, not {wanted}"
        )
    place = np.full(int(asked.max()) + 1, -1)
    place[asked] = np.random.default_rng(seed).permutation(len(asked))
    order = place[answers.items]
    rows = []
    for size in wanted:
        predictions = np.zeros(len(place), dtype=np.int64)
        for fold in range(folds):
            others = np.flatnonzero(order % folds != fold)
            training = answers[np.sort(others[np.argsort(order[others], kind="stable")][:size])]
            held = asked[place[asked] % folds == fold]
            model = without_holdout(clone(estimator))
            predictions[held] = model.fit(X, training).predict_proba(X[held]).argmax(axis=1)
        value, low, high, _ = estimate_accuracy(predictions, answers)
        error = (high - low) / (2 * stats.norm.ppf(0.975))
        rows.append({"answers": size, "accuracy": value, "low": low, "high": high, "error": error})
    return pd.DataFrame(rows)
