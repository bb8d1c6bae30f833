"""One linear layer on features that an encoder made, solved instead of trained: few answers, seconds, no settings.

The likelihood of the answers under softmax(x W + b), with a penalty on W, is maximised by L-BFGS over all items at
once, that is, this is minimised:

    mean over items of -log sum_j p_ij P(answers about i | class j)  +  penalty/2 |W|^2 mean |x|^2.

This has poor local minima, where several classes share one place. So the search starts from the minimum of a convex
problem: cross entropy against the classes that agree with an item's answers, each as likely as the others, under a
strong penalty. How strong the penalty then has to be depends on the number of answers, and is chosen by answers that
were held out (cross-validation by item).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.optimize import minimize
from scipy.special import logsumexp
from sklearn.base import BaseEstimator

from oneof.answers import Answers

START = 1e-3
PENALTIES = (3e-4, 1e-4, 3e-5, 1e-5)
FOLDS = 3
FEW, MANY = 2500, 10_000
"""Up to the first number the rows are worth rotating; from the second, and for sparse rows between, one fold does."""

Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Solution:
    """weights (d, k) and bias (k,) for features that were standardised by `mean` and `scale`, (d,) each."""

    weights: Floats
    bias: Floats
    mean: Floats
    scale: Floats
    penalty: float
    relative_penalty: float
    """The same over mean |x|^2, as `solve` takes it."""

    log_likelihood: float
    """Of an item's answers, on average, where they were held out."""

    rows: NDArray[np.int64]
    """The answered items that were held out once, (m,)."""

    held_out: Floats
    """Their probabilities by a layer that did not see their answers, (m, k)."""

    def logits(self, x: Any) -> Floats:
        """What the layer gives, (n, k)."""
        inner = x if sp.issparse(x) else ((x - self.mean) * self.scale).astype(np.float32)
        return _logits(inner, np.vstack([self.weights, self.bias]))

    def predict_proba(self, x: Any) -> Floats:
        """Class probabilities, (n, k)."""
        return np.exp(_log_softmax(self.logits(x)))


class LinearClassifier(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """`solve` as an estimator, for whatever trains several times, such as `oneof.noise.fit_with_noise`."""

    def __init__(self, penalty: float | None = None) -> None:
        self.penalty = penalty

    def fit(self, X: Any, y: Answers) -> "LinearClassifier":
        """Solve for these items and answers."""
        self.solution_ = solve(X, y, penalty=self.penalty)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities, (n, k)."""
        return self.solution_.predict_proba(X)


def solve(x: Any, answers: Answers, seed: int = 0, penalty: float | None = None) -> Solution:
    """The linear layer with the penalty that held-out answers like best, or a given one. x: dense or sparse (n, d).

    >>> from oneof import UniformQueries, respond
    >>> labels = np.arange(300) % 3
    >>> x = np.eye(3)[labels] + np.random.default_rng(0).normal(0, 0.3, (300, 3))
    >>> subsets = UniformQueries(3, 1).draw(300, rng=0)
    >>> found = solve(x, Answers(subsets, respond(subsets, labels)))
    >>> bool((found.predict_proba(x).argmax(axis=1) == labels).mean() > 0.9)
    True
    """
    rows, told = evidence(answers)
    answered = x[rows]
    mean, scale = _standards(answered)
    inner: Any = answered if sp.issparse(answered) else ((answered - mean) * scale).astype(np.float32)
    few = len(rows) <= FEW
    inner, back = _few_rows(inner) if few and len(rows) < inner.shape[1] else (inner, None)
    norm = _squares(inner) / len(rows)
    fold = np.random.default_rng([seed, 0xF01D]).permutation(len(rows)) % FOLDS
    used = range(FOLDS) if few or not (sp.issparse(inner) or len(rows) >= MANY) else range(1)
    if penalty is not None:  # nothing to find out, so nothing is held out
        used = range(0)
    starts = {part: _minimise(inner[fold != part], told[fold != part], START * norm, None) for part in used}
    best, best_score = PENALTIES[0] if penalty is None else penalty, -np.inf
    best_held: Floats = np.zeros((len(rows), answers.classes))
    judged = np.isin(fold, list(used))
    for tried in PENALTIES if penalty is None else ():
        held = np.zeros((len(rows), answers.classes))
        for part in used:
            inside = fold != part
            found = _minimise(inner[inside], told[inside], tried * norm, starts[part])
            held[~inside] = np.exp(_log_softmax(_logits(inner[~inside], found)))
        with np.errstate(divide="ignore"):
            score = float(logsumexp(np.log(held[judged]) + told[judged], axis=1).mean())
        if score > best_score:
            best, best_score, best_held = tried, score, held
        else:  # it only gets worse from here
            break
    final = _minimise(inner, told, best * norm, _minimise(inner, told, START * norm, None))
    weights = final[:-1] if back is None else np.asarray(back(final[:-1]))
    return Solution(
        weights, final[-1], mean, scale, best * norm, best, best_score, rows[judged], best_held[judged]
    )  # fmt: skip


def evidence(answers: Answers) -> tuple[NDArray[np.int64], Floats]:
    """The answered items (m,), and log P(all answers about the item | class), (m, k)."""
    rho1, rho0 = answers.flips(None, None)
    said = answers.responses
    with np.errstate(divide="ignore"):
        inside = np.log(np.where(said, 1 - rho1, rho1))
        outside = np.log(np.where(said, rho0, 1 - rho0))
    rows, at = np.unique(answers.items, return_inverse=True)
    told = np.zeros((len(rows), answers.classes))
    np.add.at(told, at, np.where(answers.subsets, inside[:, None], outside[:, None]))
    return rows, told


def _squares(x: Any) -> float:
    return float(np.square(x.data if hasattr(x, "tocsr") else x).sum())


def _few_rows(x: Any) -> tuple[Floats, Callable[[Floats], Floats]]:
    """The same m rows in at most m dimensions, and the way back for weights: exact, since the penalty keeps the weights
    within what the rows span."""
    products: Any = x @ x.T
    values, vectors = eigh(products.toarray() if hasattr(products, "toarray") else products)
    kept = values > 1e-6 * values[-1]
    roots, vectors = np.sqrt(values[kept]), vectors[:, kept]
    return (vectors * roots).astype(np.float32), lambda weights: x.T @ ((vectors / roots) @ weights)


def _standards(x: Any) -> tuple[Floats, Floats]:
    if sp.issparse(x):
        return np.zeros(1, np.float32), np.ones(1, np.float32)
    mean, deviation = x.mean(axis=0, dtype=np.float64), x.std(axis=0, dtype=np.float64)
    scale = np.where(deviation > 1e-8, 1 / np.maximum(deviation, 1e-8), 1.0)
    return mean.astype(np.float32), scale.astype(np.float32)


def _logits(x: Any, weights: Floats) -> Floats:
    return np.asarray(np.asarray(x @ weights[:-1].astype(np.float32), dtype=np.float64) + weights[-1])


def _log_softmax(logits: Floats) -> Floats:
    return np.asarray(logits - logsumexp(logits, axis=1, keepdims=True))


def _minimise(x: Any, told: Floats, penalty: float, start: Floats | None) -> Floats:
    """Weights and, in the last row, the bias: (d + 1, k). Without a start: the minimum of the convex problem."""
    shape = (x.shape[1] + 1, told.shape[1])
    agreeing = np.exp(_log_softmax(told))

    def risk(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(shape)
        log_p = _log_softmax(_logits(x, weights))
        if start is None:
            value, target = -(agreeing * log_p).sum() / len(told), agreeing
        else:
            joint = log_p + told
            total = logsumexp(joint, axis=1, keepdims=True)
            value, target = -total.mean(), np.exp(joint - total)
        pull = (np.exp(log_p) - target) / len(told)
        slope = np.empty(shape)
        slope[:-1] = np.asarray(x.T @ pull.astype(np.float32)) + penalty * weights[:-1]
        slope[-1] = pull.sum(axis=0)
        return float(value + penalty / 2 * (weights[:-1] ** 2).sum()), slope.ravel()

    first = np.zeros(shape) if start is None else start
    found = minimize(
        risk, first.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 60, "ftol": 1e-5, "gtol": 1e-4}
    )
    return np.asarray(found.x).reshape(shape)
