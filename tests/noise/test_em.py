import warnings
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.base import BaseEstimator

from oneof import Answers, UniformQueries, respond
from oneof.noise import fit_with_noise, rates_from_model
from oneof.noise.em import TEMPERATURES


class Linear(BaseEstimator):
    """Softmax regression on the likelihood of the answers, by plain gradient steps: quick, and enough for blobs."""

    def fit(self, X: NDArray[np.float64], y: Answers) -> "Linear":
        rows = np.unique(y.items)
        x = np.column_stack([X[rows], np.ones(len(rows))])
        evidence = y.evidence(len(X))[rows]
        self.weights_ = np.zeros((x.shape[1], y.classes))
        for _ in range(150):
            p = softmax(x @ self.weights_, axis=1)
            posterior = softmax(np.log(p + 1e-12) + evidence, axis=1)
            self.weights_ += 0.5 * (x.T @ (posterior - p) / len(x) - 0.01 * self.weights_)
        return self

    def predict_proba(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(softmax(np.column_stack([X, np.ones(len(X))]) @ self.weights_, axis=1))


def blobs(n: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    labels = rng.integers(5, size=n)
    return 3 * np.eye(5)[labels] + 0.8 * rng.standard_normal((n, 5)), labels


def test_rates_from_a_model_that_errs_and_is_too_sure() -> None:
    """A model that is 85 % right but claims 99.9 %: the temperature keeps its errors from being blamed on people."""
    rng = np.random.default_rng(0)
    labels = rng.integers(10, size=2000)
    said_by_model = np.where(rng.random(2000) < 0.85, labels, rng.integers(10, size=2000))
    p = np.full((2000, 10), 0.001 / 9)
    p[np.arange(2000), said_by_model] = 0.999
    items = np.repeat(np.arange(2000), 3)
    subsets = UniformQueries(10, 5).draw(6000, rng)
    answers = Answers(subsets, respond(subsets, labels[items], flip_yes=0.1, flip_no=0.1, rng=rng), items)
    rates, temperature, _ = rates_from_model(p, answers)
    naive, _, _ = rates_from_model(p, answers, temperatures=[1.0])
    assert temperature > 1
    assert naive.flip_yes[0] > 0.12
    assert abs(rates.flip_yes[0] - 0.1) < 0.02


def test_several_answers_an_item_share_one_class() -> None:
    """With a model that knows nothing, four answers about each item still tell who errs: Dawid and Skene's case."""
    rng = np.random.default_rng(1)
    labels = np.repeat(rng.integers(4, size=1500), 6)
    items, who = np.repeat(np.arange(1500), 6), np.tile(np.arange(3), 3000)
    subsets = UniformQueries(4, 2).draw(9000, rng)
    flips = np.array([0.05, 0.2, 0.5])[who]
    answers = Answers(
        subsets,
        respond(subsets, labels, flip_yes=flips, flip_no=flips, rng=rng),
        items,
        annotators=[f"a{w}" for w in who],
    )
    rates, _, _ = rates_from_model(np.full((1500, 4), 0.25), answers)
    assert np.abs(rates.flip_yes - [0.05, 0.2, 0.5]).max() < 0.05
    assert rates.named("random") == ["a2"]


@pytest.mark.parametrize("sure", [0.82, 0.999])
def test_one_answer_an_item_and_a_model_of_constant_confidence_are_refused(sure: float) -> None:
    """Half of the predictions are wrong; blamed on the annotators, the model would look perfect."""
    rng = np.random.default_rng(0)
    labels = rng.integers(10, size=3000)
    guess = np.where(rng.random(3000) < 0.5, labels, (labels + 1) % 10)
    p = np.full((3000, 10), (1 - sure) / 9)
    p[np.arange(3000), guess] = sure
    subsets = UniformQueries(10, 5).draw(3000, rng)
    answers = Answers(subsets, respond(subsets, labels))
    with pytest.raises(ValueError, match="ask some questions twice, or use gold items"):
        rates_from_model(p, answers)


def test_rates_and_model_together_find_the_coins() -> None:
    X, labels = blobs(900, seed=2)
    rng = np.random.default_rng(3)
    items, who = np.repeat(np.arange(900), 3), rng.integers(10, size=2700)
    flips = np.array([0.05, 0.1, 0.15, 0.2, 0.1, 0.05, 0.1, 0.1, 0.5, 0.5])
    subsets = UniformQueries(5, 2).draw(2700, rng)
    responses = respond(subsets, labels[items], flip_yes=flips[who], flip_no=flips[who], rng=rng)
    names = np.array([f"a{number}" for number in range(10)])
    fitted = fit_with_noise(Linear(), X, Answers(subsets, responses, items, annotators=names[who]))
    assert fitted.rates.named("random") == ["a8", "a9"]
    error = np.abs(np.stack([fitted.rates.flip_yes, fitted.rates.flip_no]) - flips).mean()
    assert error < 0.05
    assert not np.isin(fitted.answers.annotators, ["a8", "a9"]).any()
    fresh, truth = blobs(500, seed=4)
    assert (fitted.estimator.predict_proba(fresh).argmax(axis=1) == truth).mean() > 0.95


def test_the_given_estimator_is_left_alone() -> None:
    X, labels = blobs(60, seed=5)
    subsets = UniformQueries(5, 2).draw(60, rng=0)
    estimator: Any = Linear()
    fit_with_noise(estimator, X, Answers(subsets, respond(subsets, labels)), rounds=1, folds=2)
    assert not hasattr(estimator, "weights_")


def test_as_many_folds_as_items() -> None:
    X, labels = blobs(3, seed=5)
    subsets = UniformQueries(5, 2).draw(3, rng=0)
    with warnings.catch_warnings(action="ignore"):  # three answers tell no rates
        fitted = fit_with_noise(Linear(), X, Answers(subsets, respond(subsets, labels)), rounds=1, folds=3)
    assert fitted.rates.answers.tolist() == [3]


def test_temperatures_grow_by_the_root_of_two() -> None:
    np.testing.assert_allclose(np.diff(np.log(TEMPERATURES)), np.log(2) / 2, atol=0.02)
    assert 1 in TEMPERATURES


def test_mistakes_are_refused() -> None:
    X, labels = blobs(10, seed=0)
    subsets = UniformQueries(5, 2).draw(10, rng=0)
    answers = Answers(subsets, respond(subsets, labels))
    with pytest.raises(ValueError, match="folds at least 2"):
        fit_with_noise(Linear(), X, answers, folds=1)
    with pytest.raises(ValueError, match="cannot make 20 folds"):
        fit_with_noise(Linear(), X, answers, folds=20)
    for shape in ((3, 5), (9, 5), (10, 4), (10,)):
        with pytest.raises(ValueError, match=r"shape \(items, 5\) with a row for item 9"):
            rates_from_model(np.ones(shape), answers)
    with pytest.raises(ValueError, match="no answers"):
        rates_from_model(np.ones((3, 5)), answers[:0])
