from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from oneof import Answers, UniformQueries, respond
from oneof.planning.learning_curve import fit_curve, pilot_points


def error(n: NDArray[np.float64], floor: float, above: float, power: float) -> NDArray[np.float64]:
    return np.asarray(floor + above * (n / 200) ** -power)


def test_forecasts_cover_what_comes() -> None:
    rng = np.random.default_rng(0)
    n = np.array([50.0, 100, 200, 400])
    inside, total = 0, 0
    for _ in range(60):
        truth = (rng.uniform(0, 0.1), rng.uniform(0.1, 0.3), rng.uniform(0.3, 1.2))
        noise = np.full(4, 0.02)
        curve = fit_curve(n, 1 - error(n, *truth) + noise * rng.standard_normal(4), noise, correlation=0.0, scatter=0.0)
        for later in (800.0, 3200.0):
            forecast = curve.accuracy(later)
            inside += forecast.low <= 1 - error(np.array(later), *truth) <= forecast.high
            total += 1
    assert inside / total > 0.88


def test_more_precise_pilots_forecast_more_narrowly_and_far_is_wider_than_near() -> None:
    n = np.array([100.0, 200, 400, 800])
    accuracy = 1 - error(n, 0.03, 0.2, 0.7)
    rough, fine = (fit_curve(n, accuracy, np.full(4, size), scatter=0.0, bend=0.0) for size in (0.03, 0.003))
    widths = [curve.accuracy(6400).high - curve.accuracy(6400).low for curve in (rough, fine)]
    assert widths[0] > 2 * widths[1]
    near = rough.accuracy(800)
    assert near.high - near.low < widths[0]


def test_early_points_say_less_about_where_a_bent_curve_goes() -> None:
    """Errors that first fall faster than any power law, as small networks' do: the last points must lead."""
    n, wrong = np.array([75.0, 120, 185, 300]), np.array([0.51, 0.32, 0.15, 0.08])
    strict, lenient = (fit_curve(n, 1 - wrong, np.full(4, 0.02), bend=bend) for bend in (0.0, 0.2))
    widths = [curve.accuracy(1350).high - curve.accuracy(1350).low for curve in (strict, lenient)]
    assert widths[1] > widths[0]
    assert lenient.accuracy(300).low < 0.92 < lenient.accuracy(300).high


def test_answers_for_a_target() -> None:
    n = np.array([100.0, 200, 400, 800])
    curve = fit_curve(n, 1 - error(n, 0.0, 0.2, 0.8), np.full(4, 0.002), scatter=0.0)
    needed = curve.answers_for(0.95)
    true = 200 * (0.2 / 0.05) ** (1 / 0.8)
    assert needed.low < true < needed.high
    assert needed.value == pytest.approx(true, rel=0.25)
    assert needed.n == 800


def test_a_target_that_may_never_be_reached_says_so() -> None:
    n = np.array([100.0, 200, 400, 800])
    curve = fit_curve(n, 1 - error(n, 0.2, 0.1, 1.0), np.full(4, 0.003), scatter=0.0, bend=0.0)
    assert curve.answers_for(0.95).low == np.inf
    assert np.isfinite(curve.answers_for(0.75).value)


def test_mistakes_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 3 different"):
        fit_curve([100, 100, 200], [0.5, 0.6, 0.7], [0.1] * 3)
    with pytest.raises(ValueError, match=r"\(points,\)"):
        fit_curve([100, 200, 300], [0.5, 0.6], [0.1] * 3)
    with pytest.raises(ValueError, match="finite"):
        fit_curve([100, 200, 300], [0.5, np.nan, 0.7], [0.1] * 3)
    curve = fit_curve([100, 200, 300], [0.5, 0.6, 0.7], [0.1] * 3)
    with pytest.raises(ValueError, match="between 0 and 1, not 1"):
        curve.answers_for(1)
    with pytest.raises(ValueError, match="positive"):
        curve.accuracy(0)


class Learner(BaseEstimator):
    """Right about a share of the items that grows with the answers it saw; x is the label itself."""

    def fit(self, X: NDArray[np.float64], y: Answers) -> "Learner":
        self.share_, self.seen_ = 1 - 4 / np.sqrt(len(y)), set(y.items.tolist())
        return self

    def predict_proba(self, X: NDArray[np.float64]) -> NDArray[Any]:
        knows = X[:, 1] < self.share_
        return np.eye(4)[np.where(knows, X[:, 0], (X[:, 0] + 1) % 4).astype(int)]


def test_pilot_points_follow_the_learner_without_labels() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(4, size=3000)
    X = np.column_stack([labels, rng.random(3000)])
    subsets = UniformQueries(4, 2).draw(3000, rng)
    answers = Answers(subsets, respond(subsets, labels))
    points = pilot_points(Learner(), X, answers, sizes=[100, 400, 1600])
    assert points["answers"].tolist() == [100, 400, 1600]
    true = 1 - 4 / np.sqrt(points["answers"])
    assert ((points["low"] - 0.02 < true) & (true < points["high"] + 0.02)).all()
    assert len(pilot_points(Learner(), X, answers)) == 4
    with pytest.raises(ValueError, match=r"sizes must be in 2\.\."):
        pilot_points(Learner(), X, answers, sizes=[100, 2990])
    with pytest.raises(ValueError, match="folds"):
        pilot_points(Learner(), X, answers[:4])


def test_the_gain_of_more_answers_is_what_the_curve_says() -> None:
    n = np.array([200, 400, 800, 1600])
    curve = fit_curve(n, 1 - 0.05 - 0.3 * (n / 200) ** -0.8, np.full(4, 0.002), scatter=0.001, bend=0.0)
    truth = 0.3 * ((1600 / 200) ** -0.8 - (2100 / 200) ** -0.8)
    found = curve.gain(1600, 500)
    assert found.low <= truth <= found.high
    assert found.value == pytest.approx(truth, abs=0.004)
    assert curve.gain(1600, 0).high == 0
    with pytest.raises(ValueError, match="answers must be positive and more not negative, not 0 and 1"):
        curve.gain(0, 1)
