"""Narrower intervals for the accuracy, with the model's probabilities or a few labels. Both are asymptotic.

**Model-assisted.** Let h(x, L) be the model's own probability that the answer agrees. Over uniform L its mean given x
is known, p_yhat right + (1 - p_yhat) wrong, so h minus that mean is zero on average, whether the model is calibrated or
not. Subtracting it, times the slope of a regression, keeps the estimate unbiased and removes the variance that the
questions explain (a control variate). The interval is that of `estimate_accuracy`, shrunk like the standard deviation:
with few mistakes it is skewed, and a symmetric one would miss the truth too often.

**Prediction-powered** (Angelopoulos et al. 2023). With labels for n of the items, f the accuracy by an item's answers
and c whether the prediction is right,

    A = lambda mean(f over items without label) + mean(c - lambda f over items with label),

which is unbiased for any flips, if they are the same for items with and without a label; lambda is chosen for the least
variance. So a few labels correct many cheap answers, without flip rates.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from oneof.answers import Answers
from oneof.evaluation.accuracy import accuracy_interval, judges_of
from oneof.evaluation.estimate import Estimate, counted
from oneof.evaluation.judges import as_predictions
from oneof.queries.probabilities import check_probabilities
from oneof.queries.weights import with_flips


def assisted_accuracy(
    probabilities: ArrayLike,
    answers: Answers,
    confidence: float = 0.95,
    *,
    check: bool = True,
    flip_yes: ArrayLike | None = None,
    flip_no: ArrayLike | None = None,
    trained_on: ArrayLike | None = None,
) -> Estimate:
    """The accuracy with the model's probabilities as a control variate, for uniform questions and known flip rates.

    probabilities: (items, k). Asymptotic: use a few hundred answers. Other arguments: see `estimate_accuracy`.

    >>> from oneof import UniformQueries, respond
    >>> labels = np.arange(3000) % 10
    >>> subsets = UniformQueries(10, 3).draw(3000, rng=0)
    >>> predictions = np.where(np.arange(3000) % 5 == 0, (labels + 1) % 10, labels)   # 80 % right
    >>> p = np.full((3000, 10), 0.2 / 9) + (0.8 - 0.2 / 9) * np.eye(10)[predictions]
    >>> answers = Answers(subsets, respond(subsets, labels))
    >>> print(assisted_accuracy(p, answers))
    0.8059 [0.7827, 0.8274] from 3000 answers (asymptotic)
    """
    p = np.asarray(probabilities, dtype=np.float64)
    if p.ndim != 2 or p.shape[1] != answers.classes:
        raise ValueError(f"probabilities must have shape (items, {answers.classes}), not {p.shape}")
    check_probabilities(p)
    judges = judges_of(
        p.argmax(axis=1), answers, confidence,
        check=check, flip_yes=flip_yes, flip_no=flip_no, trained_on=trained_on, decoys=False,
    )  # fmt: skip
    if judges.unknown.any() or judges.answers.known_yes is not None or judges.answers.known_no is not None:
        raise ValueError(
            "skips and estimated flip rates widen the interval in ways that only estimate_accuracy supports"
        )
    right, wrong = judges.rates()
    own = p[judges.answers.items]
    yes = with_flips((own * judges.answers.subsets).sum(axis=1), judges.rho1, judges.rho0)
    believed = np.where(judges.inside, yes, 1 - yes)
    best = own[np.arange(len(judges)), judges.prediction]
    slopes = right - wrong
    _, row = np.unique(judges.answers.items, return_inverse=True)
    per_item = np.bincount(row)
    value, control = (
        np.bincount(row, column / slopes) / per_item
        for column in (judges.agrees - wrong, believed - best * right - (1 - best) * wrong)
    )
    if len(value) < 4:
        raise ValueError(f"{counted(len(value), 'item')}: too few for an asymptotic interval")
    centred = control - control.mean()
    slope = float(centred @ value) / max(float(centred @ centred), 1e-12)
    assisted = value - slope * control
    mean = float(assisted.mean())
    plain = accuracy_interval(judges, confidence)
    shrunk = float(np.sqrt(assisted.var(ddof=2) / max(float(value.var(ddof=1)), 1e-12)))
    low, high = mean - shrunk * (plain.value - plain.low), mean + shrunk * (plain.high - plain.value)
    return Estimate(mean, low, high, len(judges), "asymptotic", judges.notes).within(0.0, 1.0)


def accuracy_with_labels(
    predictions: ArrayLike,
    answers: Answers,
    labels: ArrayLike,
    confidence: float = 0.95,
    *,
    check: bool = False,
    trained_on: ArrayLike | None = None,
) -> Estimate:
    """The accuracy from a few labels and many answers, whose flip rates need not be known.

    labels: int (items,), -1 where the class is not known. The labelled items must be a random part of the items, and
    have answers like the others. check: off by default, because unknown flips break the law of the answers.

    >>> from oneof import UniformQueries, respond
    >>> labels = np.arange(5000) % 10
    >>> subsets = UniformQueries(10, 3).draw(5000, rng=0)
    >>> answers = Answers(subsets, respond(subsets, labels, flip_yes=0.1, flip_no=0.1, rng=1))
    >>> predictions = np.where(np.random.default_rng(2).random(5000) < 0.2, (labels + 1) % 10, labels)
    >>> known = np.where(np.arange(5000) < 400, labels, -1)
    >>> found = accuracy_with_labels(predictions, answers, known)
    >>> bool(found.low < 0.8 < found.high)
    True
    """
    truth = np.asarray(labels)
    predicted = as_predictions(predictions, answers)
    if truth.shape != predicted.shape or truth.dtype.kind not in "iu":
        raise ValueError(f"labels must be class numbers {predicted.shape}, -1 where unknown, not {truth.shape}")
    judges = judges_of(predicted, answers.answered, confidence, check=check, trained_on=trained_on)
    right, wrong = judges.rates()
    items, row = np.unique(judges.answers.items, return_inverse=True)
    by_answers = np.bincount(row, (judges.agrees - wrong) / (right - wrong)) / np.bincount(row)
    known = truth[items] >= 0
    if known.sum() < 2 or (~known).sum() < 2:
        raise ValueError(f"{counted(int(known.sum()), 'item')} with a label and answers, expected some of both kinds")
    correct = (predicted[items] == truth[items])[known].astype(np.float64)
    few, many = by_answers[known], by_answers[~known]
    weight = float(np.cov(few, correct)[0, 1]) / max(
        float(few.var(ddof=1)) + len(few) / len(many) * float(many.var(ddof=1)), 1e-12
    )
    value = weight * float(many.mean()) + float((correct - weight * few).mean())
    variance = weight**2 * float(many.var(ddof=1)) / len(many) + float((correct - weight * few).var(ddof=2)) / len(few)
    margin = float(stats.t.ppf(0.5 + confidence / 2, len(few) - 1)) * np.sqrt(variance)
    notes = (*judges.notes, f"{counted(len(few), 'label')} correct the answers about {counted(len(items), 'item')}")
    return Estimate(value, value - margin, value + margin, len(judges), "asymptotic", notes).within(0.0, 1.0)
