"""Flip rates from gold items: items whose class is known, mixed with all others."""

import numpy as np
from numpy.typing import ArrayLike

from oneof.answers import Answers
from oneof.noise.rates import FlipRates, annotator_index, annotator_names, covariance, maximise


def rates_from_gold(answers: Answers, labels: ArrayLike) -> FlipRates:
    """The flip rates of each annotator, from wrong answers about items whose class is known.

    labels: int (items,), the class of each item, -1 where it is unknown; `answers.items` are its rows.

    >>> from oneof import UniformQueries, respond
    >>> labels = np.arange(4000) % 10
    >>> subsets = UniformQueries(10, 5).draw(4000, rng=0)
    >>> answers = Answers(subsets, respond(subsets, labels, flip_yes=0.2, flip_no=0.1, rng=1))
    >>> rates = rates_from_gold(answers, labels)
    >>> rates.flip_yes.round(2), rates.flip_no.round(2), rates.verdicts
    (array([0.21]), array([0.1]), ['fine'])
    """
    truth = np.asarray(labels)
    last = int(answers.items.max(initial=-1))
    if truth.ndim != 1 or truth.dtype.kind not in "iu" or len(truth) <= last:
        raise ValueError(
            f"labels must be class numbers for {last + 1} items, -1 where unknown, not shape {truth.shape}"
        )
    if len(truth) and truth.max() >= answers.classes:
        raise ValueError(f"label {truth.max()} of item {truth.argmax()} is not in 0..{answers.classes - 1}")
    answers = answers.answered
    gold = answers[truth[answers.items] >= 0]
    if not len(gold):
        raise ValueError("no answer is about a gold item: every item with answers has the label -1")
    names = annotator_names(answers)
    who = annotator_index(gold, names)
    yes = gold.contains(truth[gold.items]).astype(np.float64)
    rates = maximise(yes, gold.responses, who, len(names))
    spread = covariance(yes, gold.responses, who, rates, np.arange(len(gold)))
    known = [np.bincount(who, weights=kind, minlength=len(names)) for kind in (yes, 1 - yes)]
    counts = np.bincount(who, minlength=len(names))
    return FlipRates(names, rates[:, 0], rates[:, 1], spread, counts, known=np.stack(known, axis=1))
