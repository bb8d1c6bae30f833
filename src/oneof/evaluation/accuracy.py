"""Accuracy from answers alone, with an interval.

An answer agrees with a prediction with probability A right + (1 - A) wrong (see `agreement`), where A is the true
accuracy. With one answer per item and known flip rates the agreements are independent, and a Clopper-Pearson interval
for their number gives an *exact* interval for A. With several kinds of answers the interval is conservative, called *at
least* (Hoeffding 1956: a sum of unequal probabilities varies less than a Binomial with their mean). With several
answers per item, or another law of the questions, A is fitted by least squares, with a variance in which the answers
about one item are one cluster: an *asymptotic* interval. A skip might have agreed or not: the lower end counts all
skips as disagreements, the upper end as agreements.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oneof.answers import Answers
from oneof.evaluation import uncertain_rates
from oneof.evaluation.agreement import Agreements, Floats, equal_rows
from oneof.evaluation.annotators import note_on_errors, without_useless
from oneof.evaluation.estimate import Estimate
from oneof.evaluation.intervals import (
    add,
    check_confidence,
    clopper_pearson,
    confidence_sequence,
    least_squares,
    mixed_sequence,
    square_and_add,
)
from oneof.evaluation.judges import Judges, choose_judges
from oneof.evaluation.law import is_uniform, refuse_other_law
from oneof.evaluation.weights import mean_by_weights
from oneof.queries.moment import Queries


def estimate_accuracy(
    predictions: ArrayLike,
    answers: Answers,
    confidence: float = 0.95,
    *,
    anytime: bool = False,
    check: bool = True,
    queries: Queries | None = None,
    flip_yes: ArrayLike | None = None,
    flip_no: ArrayLike | None = None,
    trained_on: ArrayLike | None = None,
) -> Estimate:
    """The accuracy of predictions with a confidence interval, from held-out answers, without labels.

    predictions: int (items,), the predicted class of each item; `answers.items` are row numbers of it.
    anytime: an interval that holds however often you look, after any answer; the default, for one look, is narrower.
    check: refuse answers that do not fit the law of their questions, and leave out annotators who are of no use.
    queries: the law of the questions if it is not uniform. flip_yes, flip_no: known rates; by default those of the
    answers, with their uncertainty if they were estimated. trained_on: items that the model was trained on; answers
    about them are left out. If annotators are named and their flip rates are not known, a note gives the accuracy for
    some assumed rates.

    >>> from oneof import UniformQueries, respond
    >>> labels = np.arange(3000) % 10
    >>> subsets = UniformQueries(10, 3).draw(3000, rng=0)
    >>> answers = Answers(subsets, respond(subsets, labels))
    >>> predictions = np.where(np.arange(3000) % 5 == 0, (labels + 1) % 10, labels)   # 80 % right
    >>> print(estimate_accuracy(predictions, answers))
    0.8029 [0.7795, 0.8245] from 3000 answers
    >>> print(estimate_accuracy(predictions, answers, anytime=True))
    0.8029 [0.7571, 0.8430] from 3000 answers (anytime)
    """
    judges = judges_of(
        predictions, answers, confidence,
        check=check, queries=queries, flip_yes=flip_yes, flip_no=flip_no, trained_on=trained_on,
    )  # fmt: skip
    found = judged_accuracy(judges, confidence, anytime=anytime, queries=queries)
    by_people = judges.answers.annotators is not None and flip_yes is None and flip_no is None and is_uniform(queries)
    if by_people and not (judges.rho1.any() or judges.rho0.any() or judges.unknown.all()):
        return Estimate(*found, found.kind, (*found.notes, note_on_errors(judges)))
    return found


def judges_of(
    predictions: ArrayLike,
    answers: Answers,
    confidence: float,
    *,
    check: bool,
    queries: Queries | None = None,
    flip_yes: ArrayLike | None = None,
    flip_no: ArrayLike | None = None,
    trained_on: ArrayLike | None = None,
    decoys: bool = True,
) -> Judges:
    """The answers that judge, with `check` only if they pass its tests: the first step of every label-free figure."""
    check_confidence(confidence)
    if queries is not None and queries.classes != answers.classes:
        raise ValueError(f"queries over {queries.classes} classes, but answers over {answers.classes}")
    if flip_yes is not None or flip_no is not None:  # given by the caller, so they are known
        answers = answers.replace(known_yes=None, known_no=None)
    judges = choose_judges(
        predictions,
        answers,
        flip_yes=flip_yes,
        flip_no=flip_no,
        trained_on=trained_on,
        decoys=decoys and is_uniform(queries),
    )
    if check:
        judges = without_useless(judges) if is_uniform(queries) else judges
        refuse_other_law(judges, queries)
    return judges


def judged_accuracy(
    judges: Judges, confidence: float, *, anytime: bool = False, queries: Queries | None = None
) -> Estimate:
    """The accuracy by these judges, with their notes."""
    single = judges.first_of_each_item() if anytime else judges
    found = accuracy_interval(single, confidence, anytime=anytime, queries=queries)
    notes = judges.notes
    if len(single) < len(judges):
        notes += (f"one answer per item counts: {len(judges) - len(single):,} other answers were not used",)
    return Estimate(*found, found.kind, notes).within(0.0, 1.0)


def accuracy_interval(
    judges: Judges, confidence: float, *, anytime: bool = False, queries: Queries | None = None
) -> Estimate:
    """As `judged_accuracy`, but the interval may exceed 0..1. For `anytime` there must be one answer per item."""
    if queries is not None and not is_uniform(queries):
        if anytime:
            raise ValueError("an anytime interval needs uniform questions, or questions made from the prediction")
        return _by_weights(judges, confidence, queries)
    if anytime or judges.one_per_item:
        return _by_counts(judges, confidence, anytime)
    return _by_items(judges, confidence)


def accuracy_by_counts(counts: Agreements, confidence: float, *, anytime: bool = False) -> Estimate:
    """The accuracy from counted agreements: one answer per item, flip rates known. The interval may exceed 0..1."""
    kind = "anytime" if anytime else "exact" if len(counts.n) == 1 else "at least"
    counts = counts if anytime else counts.most_informative()
    total, agreed, unknown = counts.n.sum(), counts.agreed.sum(), counts.unknown.sum()
    if anytime and len(counts.n) > 1:
        ends = [
            mixed_sequence(counts.agreed + more, counts.n, counts.right, counts.wrong, confidence)
            for more in (0, counts.unknown)
        ]
        return Estimate(counts.value(), ends[0][0], ends[1][1], int(total), kind)
    interval = confidence_sequence if anytime else clopper_pearson
    shares = interval(agreed, total, confidence)[0], interval(agreed + unknown, total, confidence)[1]
    low, high = counts.accuracy(shares).tolist()
    return Estimate(counts.value(), low, high, int(total), kind)


def _by_counts(judges: Judges, confidence: float, anytime: bool) -> Estimate:
    """One answer per item: from the number of agreements."""
    if not uncertain_rates.estimated(judges.answers):
        counts = Agreements.count(*judges.rates(), judges.agrees, judges.unknown)
        return accuracy_by_counts(counts, confidence, anytime=anytime)
    judges = judges if anytime else _most_informative(judges)
    pair = uncertain_rates.plain_rates(judges.answers, judges.rho1, judges.rho0)
    agrees, answered = judges.agrees, ~judges.unknown
    # Answers that share their estimated rates keep sharing them: one answer of each kind represents all of them.
    first, kind = equal_rows(judges.sizes, judges.decoy, *pair, *uncertain_rates.rate_keys(judges.answers))
    kinds, n = judges[first], np.bincount(kind, answered)
    share = agrees.sum() / max(1.0, n.sum())

    def accuracy_at(rho1: Floats, rho0: Floats) -> float:
        right, wrong = (n @ rates / n.sum() for rates in kinds.rates(rho1[first], rho0[first]))
        return float((share - wrong) / (right - wrong))

    # A sequence must hold for answers and rates at once: each gets half of the error probability.
    level = (1 + confidence) / 2 if anytime else confidence
    right, wrong = judges.rates(*pair)
    if not anytime:  # all answers as one kind, with the mean rates
        right, wrong = np.full_like(right, right.mean()), np.full_like(wrong, wrong.mean())
    found = accuracy_by_counts(Agreements.count(right, wrong, agrees, judges.unknown), level, anytime=anytime)
    if not answered.any():
        return found
    ends = uncertain_rates.ends(judges.answers, judges.rho1, judges.rho0, accuracy_at, confidence, anytime=anytime)
    low, high = (add if anytime else square_and_add)(found.value, [(found.low, found.high), *ends])
    return Estimate(found.value, float(low), float(high), found.n, "anytime" if anytime else "asymptotic")


def _most_informative(judges: Judges) -> Judges:
    """The answers of those designs and sizes that give the narrowest interval.

    Compared at the mean flip rates: choosing annotators by their estimated rates would prefer those with lucky ones.
    """
    first, kind = equal_rows(judges.sizes, judges.decoy)
    if len(first) == 1:
        return judges
    rates = uncertain_rates.plain_rates(judges.answers, judges.rho1, judges.rho0)
    right, wrong = judges[first].rates(*(np.full(len(first), float(each.mean())) for each in rates))
    n, none = np.bincount(kind).astype(np.float64), np.zeros(len(first))
    return judges[np.isin(kind, Agreements(right, wrong, none, none, n).informative_kinds())]


def _by_items(judges: Judges, confidence: float) -> Estimate:
    """Several answers per item: by least squares."""
    estimated = uncertain_rates.estimated(judges.answers)
    pair = judges.rho1, judges.rho0
    if estimated:
        pair = uncertain_rates.plain_rates(judges.answers, *pair)
    right, wrong = judges.rates(*pair)
    items, answered = judges.answers.items, ~judges.unknown

    def fit(agrees: Floats, rows: Any = slice(None)) -> Estimate:
        slopes = (right - wrong)[rows]
        noise = np.maximum(right * (1 - right), wrong * (1 - wrong))[rows]
        unseen = _one_wrong(slopes, noise, items[rows])
        return least_squares(agrees - wrong[rows], slopes, items[rows], confidence, unseen)

    agrees = judges.agrees.astype(np.float64)
    least = fit(agrees)
    most = least if answered.all() else fit(agrees + judges.unknown)
    value = least.value if answered.all() else fit(agrees[answered], answered).value if answered.any() else 0.5
    low, high = least.low, most.high
    if estimated:

        def accuracy_at(rho1: Floats, rho0: Floats) -> float:
            a, b = judges.rates(rho1, rho0)
            slopes = (a - b)[answered]
            return float(slopes @ (agrees - b)[answered] / (slopes @ slopes))

        found = uncertain_rates.ends(judges.answers, judges.rho1, judges.rho0, accuracy_at, confidence)
        low, high = map(float, square_and_add(value, [(low, high), *found]))
    return Estimate(value, low, high, len(judges), "asymptotic")


def _by_weights(judges: Judges, confidence: float, queries: Queries) -> Estimate:
    """Another law of the questions: the mean of the unbiased weight of the predicted class."""
    ones = np.ones(len(judges))
    return mean_by_weights(
        judges,
        confidence,
        queries,
        lambda weights: np.take_along_axis(weights, judges.prediction[:, None], axis=1)[:, 0],
        unseen=_one_wrong(ones, 0 * ones, judges.answers.items),
        without_answers=0.5,
    )


def _one_wrong(slopes: Floats, noise: Floats, items: NDArray[np.int64]) -> float:
    """What one more wrong prediction typically adds to the sum in `least_squares`: a root mean square over items."""
    steps = np.bincount(items, weights=slopes**2) ** 2 + np.bincount(items, weights=slopes**2 * noise)
    return float(np.sqrt(steps.sum() / np.count_nonzero(steps)))
