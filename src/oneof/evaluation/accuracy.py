"""How good is a model? Accuracy and risk from answers alone, with intervals; ordinary metrics where labels exist.

Let yhat be the prediction for an item and u = 1{yhat in L}. Under uniform queries drawn independently of the
prediction, the answer agrees with the prediction (s = u) with probability

    a1 = 1 (without noise) if the prediction is right,      a0 = c0 if it is wrong, whichever wrong class it is,

so the agreement rate is A a1 + (1 - A) a0 with A the true accuracy. With one size, one pair of flip rates and one
answer an item, the number of agreements is Binomial, and a Clopper-Pearson interval on it gives an *exact* interval
for A. Otherwise A is fitted by least squares, with a variance that treats the answers about one item as one. The
answers must not have been trained on.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from scipy.special import betaincinv

from oneof.answers import Answers
from oneof.queries.moment import Queries, unbiased_weights
from oneof.queries.uniform import UniformQueries

if TYPE_CHECKING:
    from oneof.objectives.losses import Loss


class Estimate(NamedTuple):
    """An estimate with its confidence interval, from n answers."""

    value: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        return f"{self.value:.4f} [{self.low:.4f}, {self.high:.4f}] from {self.n} answers"


def agreement_rates(
    classes: int, size: ArrayLike, flip_yes: ArrayLike = 0.0, flip_no: ArrayLike = 0.0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """P(answer agrees | prediction right) and P(answer agrees | prediction wrong), under uniform queries.

    >>> right, wrong = agreement_rates(classes=10, size=3)
    >>> round(float(right), 4), round(float(wrong), 4)
    (1.0, 0.5333)
    """
    k, m = classes, np.asarray(size, dtype=np.float64)
    rho1, rho0 = np.asarray(flip_yes, np.float64), np.asarray(flip_no, np.float64)
    both_in, both_out = m * (m - 1) / (k * (k - 1)), (k - m) * (k - m - 1) / (k * (k - 1))
    one_in = m * (k - m) / (k * (k - 1))
    right = m / k * (1 - rho1) + (1 - m / k) * (1 - rho0)
    wrong = both_in * (1 - rho1) + both_out * (1 - rho0) + one_in * (rho1 + rho0)
    return right, wrong


def clopper_pearson(successes: int, n: int, confidence: float) -> tuple[float, float]:
    """The exact confidence interval of a probability, from `successes` out of n.

    >>> low, high = clopper_pearson(9, 10, confidence=0.95)
    >>> round(low, 4), round(high, 4)
    (0.555, 0.9975)
    """
    tail = (1 - confidence) / 2
    low = betaincinv(successes, n - successes + 1, tail) if successes > 0 else 0.0
    high = betaincinv(successes + 1, n - successes, 1 - tail) if successes < n else 1.0
    return float(low), float(high)


def estimate_accuracy(
    predictions: ArrayLike,
    answers: Answers,
    confidence: float = 0.95,
    *,
    queries: Queries | None = None,
    flip_yes: ArrayLike | None = None,
    flip_no: ArrayLike | None = None,
) -> Estimate:
    """The accuracy of predictions, from held-out answers and not a single label.

    predictions: int (items,), the predicted class of each item; `answers.items` points into it.
    queries: the query distribution where it is not uniform. flip rates default to those that the answers carry.
    Answers to adaptively chosen questions are left out: only questions drawn at random can judge.

    >>> from oneof import UniformQueries, respond
    >>> labels = np.arange(3000) % 10
    >>> subsets = UniformQueries(10, 3).draw(3000, rng=0)
    >>> answers = Answers(subsets, respond(subsets, labels))
    >>> predictions = np.where(np.arange(3000) % 5 == 0, (labels + 1) % 10, labels)   # 80 % right
    >>> print(estimate_accuracy(predictions, answers))
    0.8029 [0.7795, 0.8245] from 3000 answers
    """
    predicted = np.asarray(predictions)
    if predicted.ndim != 1 or predicted.dtype.kind not in "iu":
        raise ValueError(f"predictions must be class numbers (items,), not {predicted.dtype} {predicted.shape}")
    answers, (rho1, rho0) = _judges(answers, len(predicted), confidence, flip_yes, flip_no)
    if len(predicted) and not (predicted.min() >= 0 and predicted.max() < answers.classes):
        raise ValueError(f"predictions must be in 0..{answers.classes - 1}, found {predicted.min()}..{predicted.max()}")
    guess = predicted[answers.items].astype(np.intp)
    guessed_in = answers.contains(guess)
    if queries is not None and queries.classes != answers.classes:
        raise ValueError(f"queries over {queries.classes} classes, but answers over {answers.classes}")
    if queries is not None and not isinstance(queries, UniformQueries):
        weights = _weights_without_noise(queries, answers, rho1, rho0)
        values = np.take_along_axis(weights, guess[:, None], axis=1)[:, 0]
        slopes = np.ones(len(values))
        return _bounded(_fit(values, slopes, answers.items, confidence, _one_wrong(slopes, 0 * slopes, answers.items)))

    agree = (guessed_in == answers.responses).astype(np.float64)
    right, wrong = agreement_rates(answers.classes, answers.sizes, rho1, rho0)
    alike = np.ptp(right) == 0 and np.ptp(wrong) == 0
    if alike and len(np.unique(answers.items)) == len(answers):
        ends = np.array([agree.mean(), *clopper_pearson(int(agree.sum()), len(agree), confidence)])
        value, low, high = (ends - wrong[0]) / (right[0] - wrong[0])
        return _bounded(Estimate(value, low, high, len(agree)))
    slopes, noise = right - wrong, np.maximum(right * (1 - right), wrong * (1 - wrong))
    return _bounded(_fit(agree - wrong, slopes, answers.items, confidence, _one_wrong(slopes, noise, answers.items)))


def estimate_risk(
    logits: ArrayLike,
    answers: Answers,
    loss: "str | Loss" = "mae",
    confidence: float = 0.95,
    *,
    queries: Queries | None = None,
    flip_yes: ArrayLike | None = None,
    flip_no: ArrayLike | None = None,
) -> Estimate:
    """The supervised risk of a model, from held-out answers and not a single label, in float64.

    logits: (items, k); `answers.items` points into it. Minimum-norm weights under uniform queries of any sizes, the
    weights M^{-1} 1_S/|S| under `queries`. The interval is normal, with the answers about one item taken as one.

    >>> from oneof import UniformQueries
    >>> subsets = UniformQueries(4, 2).draw(1000, rng=0)
    >>> estimate = estimate_risk(np.zeros((1000, 4)), Answers(subsets, subsets[:, 0]))
    >>> round(estimate.value, 6)
    1.5
    """
    import torch

    from oneof.objectives.losses import get

    scores = torch.as_tensor(np.asarray(logits, dtype=np.float64))
    if scores.ndim != 2 or scores.shape[1] != answers.classes:
        raise ValueError(f"logits must have shape (items, {answers.classes}), not {tuple(scores.shape)}")
    answers, (rho1, rho0) = _judges(answers, len(scores), confidence, flip_yes, flip_no)
    losses = get(loss)(scores).numpy()
    weights = _weights_without_noise(queries or UniformQueries(answers.classes, 1), answers, rho1, rho0)
    values = (weights * losses[answers.items]).sum(axis=1)
    return _fit(values, np.ones(len(values)), answers.items, confidence)


def metrics(labels: ArrayLike, predictions: ArrayLike, classes: int) -> dict[str, Any]:
    """Ordinary metrics where labels exist: accuracy, per_class_accuracy (k,), confusion (k, k) with rows the truth.

    >>> metrics([0, 1, 1], [0, 1, 0], classes=2)["per_class_accuracy"]
    array([1. , 0.5])
    """
    from sklearn.metrics import accuracy_score, confusion_matrix

    confusion = confusion_matrix(labels, predictions, labels=np.arange(classes))
    with np.errstate(invalid="ignore"):
        per_class = np.diag(confusion) / confusion.sum(axis=1)
    return {
        "accuracy": float(accuracy_score(labels, predictions)),
        "per_class_accuracy": per_class,
        "confusion": confusion,
    }


def _judges(
    answers: Answers, items: int, confidence: float, flip_yes: ArrayLike | None, flip_no: ArrayLike | None
) -> tuple[Answers, tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """The answers that may judge, and their flip rates."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, not {confidence}")
    rates = answers.flips(flip_yes, flip_no)
    drawn = answers.has_design("uniform")
    rates, answers = (rates[0][drawn], rates[1][drawn]), answers[drawn]
    if not len(answers):
        raise ValueError("there are no answers to randomly drawn questions to judge by")
    if answers.items.max() >= items:
        raise ValueError(f"there are answers about item {answers.items.max()}, but only {items} items")
    _refuse_useless(rates)
    return answers, rates


def _refuse_useless(rates: tuple[NDArray[np.float64], NDArray[np.float64]]) -> None:
    total = rates[0] + rates[1]
    if (total >= 1).any():
        row = int(np.argmax(total >= 1))
        raise ValueError(f"flip_yes + flip_no must be less than 1, but is {total[row]:g} for answer {row}")


def _weights_without_noise(
    queries: Queries, answers: Answers, rho1: NDArray[np.float64], rho0: NDArray[np.float64]
) -> NDArray[np.float64]:
    """w(L, 0) + s_hat (w(L, 1) - w(L, 0)), (n, k)."""
    if queries.classes != answers.classes:
        raise ValueError(f"queries over {queries.classes} classes, but answers over {answers.classes}")
    everyone = np.ones(len(answers), dtype=np.bool_)
    yes = unbiased_weights(queries, answers.subsets, everyone)
    no = unbiased_weights(queries, answers.subsets, ~everyone)
    s_hat = (answers.responses - rho0) / (1 - rho0 - rho1)
    return np.asarray(no + s_hat[:, None] * (yes - no))


def _one_wrong(slopes: NDArray[np.float64], noise: NDArray[np.float64], items: NDArray[np.int64]) -> float:
    """How far one more wrong prediction typically moves the sum that `_fit` solves: a root mean square over items."""
    steps = np.bincount(items, weights=slopes**2) ** 2 + np.bincount(items, weights=slopes**2 * noise)
    return float(np.sqrt(steps.sum() / np.count_nonzero(steps)))


def _fit(
    values: NDArray[np.float64],
    slopes: NDArray[np.float64],
    items: NDArray[np.int64],
    confidence: float,
    unseen: float = 0.0,
) -> Estimate:
    """Least squares for A in E[values] = A slopes, with a variance that is robust to several answers an item.

    unseen: what one mistake that did not happen to be seen would add to the sum. Without it a perfect agreement
    would give an interval of no width; with it, squared and times z^2 as in Wilson's interval, it keeps its level.
    """
    information = float(slopes @ slopes)
    estimate = float(slopes @ values) / information
    scores = np.bincount(items, weights=slopes * (values - estimate * slopes))
    clusters = int(np.count_nonzero(np.bincount(items)))
    if clusters < 2:
        return Estimate(estimate, -np.inf, np.inf, len(values))
    quantile = float(stats.t.ppf(0.5 + confidence / 2, clusters - 1))
    spread = clusters / (clusters - 1) * float(scores @ scores) + (quantile * unseen) ** 2
    reach = quantile * float(np.sqrt(spread)) / information
    return Estimate(estimate, estimate - reach, estimate + reach, len(values))


def _bounded(estimate: Estimate) -> Estimate:
    """An accuracy lies between 0 and 1."""
    value, low, high = (float(min(1.0, max(0.0, end))) for end in estimate[:3])
    return Estimate(value, low, high, estimate.n)
