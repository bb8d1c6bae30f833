"""Annotators whose answers are useless or inverted, found without labels.

With u = 1 if the question contains the prediction, an annotator with flip rates rho1 and rho0 has

    D = P(yes | u = 1) - P(yes | u = 0) = (1 - rho0 - rho1) (k A - 1) / (k - 1)        under uniform questions,

so D divided by the D of the others is the trust in this annotator relative to the others: 0 for somebody who answers at
random or always yes, negative for somebody who has confused the buttons. An annotator is named only if the difference
from the others would happen by chance less than once in ten thousand.
"""

from dataclasses import replace

import numpy as np
from scipy import stats

from oneof.evaluation.agreement import Floats
from oneof.evaluation.estimate import counted
from oneof.evaluation.judges import Judges

LEVEL = 1e-4
"""How often honest annotators may be named by mistake."""

ERRORS = (0.02, 0.05, 0.1)
"""Flip rates, of yes and of no, for which the accuracy is given if the real rates are not known."""

HALF = 0.5
"""An annotator is useless if the trust relative to the others is surely below this: flips of 25 % of yes and of no."""


def useless_annotators(judges: Judges) -> dict[str, str]:
    """The annotators who must not judge, and why: "inverted" or "no better than chance". Empty without names.

    >>> from oneof import Answers, UniformQueries, respond
    >>> from oneof.evaluation.judges import choose_judges
    >>> labels, who = np.arange(2000) % 10, np.array(["ann", "bob"])[np.arange(2000) // 1000]
    >>> subsets = UniformQueries(10, 5).draw(2000, rng=0)
    >>> responses = respond(subsets, labels) ^ (who == "bob")
    >>> judges = choose_judges(labels, Answers(subsets, responses, annotators=who))
    >>> useless_annotators(judges)
    {'bob': 'inverted'}
    """
    rows = ~judges.decoy & ~judges.unknown
    if judges.answers.annotators is None or not rows.any():
        return {}
    names, who = np.unique(judges.answers.annotators[rows], return_inverse=True)
    if len(names) < 2:
        return {}
    inside, yes = judges.inside[rows], judges.answers.responses[rows]
    trust = np.bincount(who, (1 - judges.rho1 - judges.rho0)[rows]) / np.bincount(who)
    kinds = (inside & yes, inside, ~inside & yes, ~inside)
    counts = np.stack([np.bincount(who, part, len(names)).astype(np.float64) for part in kinds])
    found, error = _difference(counts)
    margin = float(stats.norm.isf(LEVEL / len(names)))
    # Known flips weaken an annotator's answers, but do not make them useless, because the rates correct for them.
    highest = (found + margin * error) / trust
    useless = np.zeros(len(names), dtype=np.bool_)
    while not useless.all():  # whoever is named is no longer one of the others
        fine = counts * ~useless
        others, others_error = _difference(fine.sum(axis=1, keepdims=True) - fine)
        named = useless | (highest < HALF * np.maximum(others - margin * others_error, 0))
        if (named == useless).all():
            break
        useless = named
    return {
        str(name): "inverted" if top < 0 else "no better than chance"
        for name, top in zip(names[useless], highest[useless], strict=True)
    }


def without_useless(judges: Judges) -> Judges:
    """The judges without useless annotators, and with a note that names those; an error if nobody is left."""
    named = useless_annotators(judges)
    if not named or judges.answers.annotators is None:
        return judges
    left_out = np.isin(judges.answers.annotators, list(named))
    reasons = "; ".join(
        f"{name} ({counted(int((judges.answers.annotators == name).sum()))}): {why}" for name, why in named.items()
    )
    if left_out.all():
        raise ValueError(
            f"no annotator can judge: {reasons}. Yes and no may be mixed up, or the predictions may be of other items"
        )
    kept = judges[~left_out]
    note = f"left out annotators whose answers are of no use: {reasons}"
    return replace(kept, notes=(*judges.notes, note))


def note_on_errors(judges: Judges) -> str:
    """A note with the accuracy for some assumed flip rates, for annotators whose flip rates are not known.

    >>> from oneof import Answers, UniformQueries, respond
    >>> from oneof.evaluation.judges import choose_judges
    >>> labels, subsets = np.arange(2000) % 10, UniformQueries(10, 5).draw(2000, rng=0)
    >>> responses = respond(subsets, labels, flip_yes=0.05, flip_no=0.05, rng=1)
    >>> judges = choose_judges(labels, Answers(subsets, responses, annotators=["ann"] * 2000))
    >>> note_on_errors(judges).split("; ")[1]
    'if 2, 5, 10 % of them are, the accuracy is 95, 100, 100 %'
    """
    answered = ~judges.unknown
    share, accuracies = judges.agrees[answered].mean(), []
    for rate in ERRORS:
        flips = np.full(len(judges), rate)
        right, wrong = (float(each[answered].mean()) for each in judges.rates(flips, flips))
        accuracies.append(min(1.0, max(0.0, (share - wrong) / (right - wrong))))
    rates, values = (", ".join(f"{100 * value:.0f}" for value in each) for each in (ERRORS, accuracies))
    assumed = "no flip rates are known: answers are taken as never wrong"
    return f"{assumed}; if {rates} % of them are, the accuracy is {values} %"


def _difference(counts: Floats) -> tuple[Floats, Floats]:
    """P(yes | u = 1) - P(yes | u = 0) and its standard error, (annotators,) each, from counts (4, annotators).

    Half an answer of each kind is added, so that few answers never look certain.
    """
    inside, outside = (counts[0] + 0.5) / (counts[1] + 1), (counts[2] + 0.5) / (counts[3] + 1)
    variance = inside * (1 - inside) / (counts[1] + 1) + outside * (1 - outside) / (counts[3] + 1)
    return inside - outside, np.sqrt(variance)
