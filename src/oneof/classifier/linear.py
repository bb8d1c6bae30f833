"""One linear layer, solved instead of trained: it takes seconds, few answers are enough, and nothing is to be set.

L-BFGS maximises the likelihood of the answers under softmax(x W + b), with a penalty on W, over all items at once. That
is, it minimises

    mean over items of -log sum_j p_ij P(answers about i | class j)  +  penalty/2 |W|^2 mean |x|^2.

This has poor local minima, at which several classes share one place. So the search starts from the minimum of a convex
problem: cross entropy against the classes that agree with an item's answers, each as likely as the others, under a
strong penalty. How strong the penalty then has to be depends on the number of answers; held-out answers choose it
(cross-validation by item).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.optimize import minimize
from scipy.special import log_softmax, logsumexp, softmax
from sklearn.base import BaseEstimator

from oneof.answers import Answers

START = 1e-3
"""The penalty of the convex problem."""

PENALTIES = (3e-4, 1e-4, 3e-5, 1e-5)
"""The penalties to choose from, strongest first; as `START`, relative to mean |x|^2."""

FOLDS = 3
FEW, MANY = 2500, 10_000
"""Up to FEW rows are worth bringing to fewer dimensions. From MANY on, and for sparse rows already above FEW, one fold
is enough to choose the penalty."""

Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Solution:
    """A linear layer: weights (d, k) and bias (k,), for features standardised by mean and scale, (d,) each."""

    weights: Floats
    bias: Floats
    mean: Floats
    scale: Floats
    penalty: float
    relative_penalty: float
    """The penalty divided by mean |x|^2, as `solve` takes it."""

    log_likelihood: float
    """Of the held-out answers about an item, on average over items; -inf where nothing was held out."""

    rows: NDArray[np.int64]
    """The answered items that were held out, (m,)."""

    held_out: Floats
    """Class probabilities of `rows`, by a layer that did not see their answers, (m, k)."""

    def logits(self, x: Any) -> Floats:
        """Logits of the items x (n, d), (n, k)."""
        return _logits(_standardised(x, self.mean, self.scale), np.vstack([self.weights, self.bias]))

    def predict_proba(self, x: Any) -> Floats:
        """Class probabilities, (n, k)."""
        return np.asarray(softmax(self.logits(x), axis=1))


class LinearClassifier(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """`solve` as a scikit-learn estimator, for functions that train several times: `oneof.noise.fit_with_noise`."""

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
    """The linear layer with the given penalty, or with the one under which held-out answers are likeliest.

    x: dense or sparse (n, d). penalty: relative to mean |x|^2; then nothing is held out.

    >>> from oneof import UniformQueries, respond
    >>> labels = np.arange(300) % 3
    >>> x = np.eye(3)[labels] + np.random.default_rng(0).normal(0, 0.3, (300, 3))
    >>> subsets = UniformQueries(3, 1).draw(300, rng=0)
    >>> found = solve(x, Answers(subsets, respond(subsets, labels)))
    >>> bool((found.predict_proba(x).argmax(axis=1) == labels).mean() > 0.9)
    True
    """
    items, log_likelihoods = evidence(answers)
    if not len(items):
        raise ValueError("there are no answers to learn from")
    mean, scale = _standards(x[items])
    inner = _standardised(x[items], mean, scale)
    few = len(items) <= FEW
    inner, back = _fewer_dimensions(inner) if few and len(items) < inner.shape[1] else (inner, None)
    norm = _squares(inner) / len(items)
    fold = np.random.default_rng([seed, 0xF01D]).permutation(len(items)) % FOLDS
    parts = range(FOLDS) if few or not (sp.issparse(inner) or len(items) >= MANY) else range(1)
    if penalty is not None or len(items) < FOLDS:
        parts = range(0)
    starts = {part: _minimise(inner[fold != part], log_likelihoods[fold != part], START * norm) for part in parts}
    best, best_score = PENALTIES[0] if penalty is None else penalty, -np.inf
    best_held_out: Floats = np.zeros((len(items), answers.classes))
    judged = np.isin(fold, list(parts))
    for candidate in PENALTIES if parts else ():
        held_out = np.zeros((len(items), answers.classes))
        for part in parts:
            inside = fold != part
            weights = _minimise(inner[inside], log_likelihoods[inside], candidate * norm, starts[part])
            held_out[~inside] = softmax(_logits(inner[~inside], weights), axis=1)
        with np.errstate(divide="ignore"):
            score = float(logsumexp(np.log(held_out[judged]) + log_likelihoods[judged], axis=1).mean())
        if score <= best_score:  # weaker penalties only get worse from here
            break
        best, best_score, best_held_out = candidate, score, held_out
    start = _minimise(inner, log_likelihoods, START * norm)
    final = _minimise(inner, log_likelihoods, best * norm, start)
    weights = final[:-1] if back is None else np.asarray(back(final[:-1]))
    return Solution(
        weights, final[-1], mean, scale, best * norm, best, best_score, items[judged], best_held_out[judged]
    )  # fmt: skip


def evidence(answers: Answers) -> tuple[NDArray[np.int64], Floats]:
    """The items with a yes or a no (m,), and log P(all answers about the item | class), (m, k)."""
    answers.refuse_contradictions()  # here, where it can name the item
    answered = answers.answered
    items, rows = np.unique(answered.items, return_inverse=True)
    return items, answered.replace(items=rows, item_names=None).evidence(len(items))


def _standards(x: Any) -> tuple[Floats, Floats]:
    if sp.issparse(x):  # it would not stay sparse
        return np.zeros(1, np.float32), np.ones(1, np.float32)
    mean, deviation = x.mean(axis=0, dtype=np.float64), x.std(axis=0, dtype=np.float64)
    scale = np.where(deviation > 1e-8, 1 / np.maximum(deviation, 1e-8), 1.0)
    return mean.astype(np.float32), scale.astype(np.float32)


def _standardised(x: Any, mean: Floats, scale: Floats) -> Any:
    return x if sp.issparse(x) else ((x - mean) * scale).astype(np.float32)


def _squares(x: Any) -> float:
    return float(np.square(x.data if hasattr(x, "tocsr") else x).sum())


def _fewer_dimensions(x: Any) -> tuple[Floats, Callable[[Floats], Floats]]:
    """The same m rows in at most m dimensions, and a function that brings weights for them back to all dimensions.

    This is exact, since the penalty keeps the weights within what the rows span.
    """
    products: Any = x @ x.T
    values, vectors = eigh(products.toarray() if hasattr(products, "toarray") else products)
    kept = values > 1e-6 * values[-1]
    roots, vectors = np.sqrt(values[kept]), vectors[:, kept]
    return (vectors * roots).astype(np.float32), lambda weights: x.T @ ((vectors / roots) @ weights)


def _logits(x: Any, weights: Floats) -> Floats:
    """Logits (n, k) by weights whose last row is the bias, (d + 1, k)."""
    return np.asarray(np.asarray(x @ weights[:-1].astype(np.float32), dtype=np.float64) + weights[-1])


def _minimise(x: Any, log_likelihoods: Floats, penalty: float, start: Floats | None = None) -> Floats:
    """Weights and, in the last row, the bias: (d + 1, k). Without a start, the minimum of the convex problem."""
    shape = (x.shape[1] + 1, log_likelihoods.shape[1])
    agreeing = softmax(log_likelihoods, axis=1)

    def risk(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(shape)
        log_p = log_softmax(_logits(x, weights), axis=1)
        if start is None:
            value, target = -(agreeing * log_p).sum() / len(agreeing), agreeing
        else:
            joint = log_p + log_likelihoods
            total = logsumexp(joint, axis=1, keepdims=True)
            value, target = -total.mean(), np.exp(joint - total)
        pull = (np.exp(log_p) - target) / len(agreeing)
        slope = np.empty(shape)
        slope[:-1] = np.asarray(x.T @ pull.astype(np.float32)) + penalty * weights[:-1]
        slope[-1] = pull.sum(axis=0)
        return float(value + penalty / 2 * (weights[:-1] ** 2).sum()), slope.ravel()

    first = np.zeros(shape) if start is None else start
    found = minimize(
        risk, first.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 60, "ftol": 1e-5, "gtol": 1e-4}
    )
    return np.asarray(found.x).reshape(shape)
