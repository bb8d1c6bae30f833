"""Annotators whose answers say nothing, or the opposite, told from the others without a label.

With u = 1 where the question holds the prediction, an annotator with flip rates rho1 and rho0 has

    D = P(yes | u = 1) - P(yes | u = 0) = (1 - rho0 - rho1) (k A - 1) / (k - 1)        under uniform questions,

so that D divided by that of the others is the trust in this annotator relative to the others: 0 for a coin or for one
who always says yes, negative for one who has mixed up the buttons. Only what is far from the others, beyond what
happens by chance once in ten thousand, is named.
"""

from dataclasses import replace

import numpy as np
from scipy import stats

from oneof.evaluation.agreement import Floats
from oneof.evaluation.judges import Judges, counted

LEVEL = 1e-4
"""How often honest annotators may be named by accident."""

ERRORS = (0.02, 0.05, 0.1)
"""Shares of wrong answers, of yes and of no, at which the accuracy is told where nobody knows the rates."""

HALF = 0.5
"""Trust relative to the others that an annotator must be shown to be below: flips of 25 % each way."""


def useless_annotators(judges: Judges) -> dict[str, str]:
    """Who must not judge, and why: "inverted" or "no better than chance". Empty where nobody is recorded.

    >>> from oneof import Answers, UniformQueries, respond
    >>> from oneof.evaluation.judges import choose_judges
    >>> labels, who = np.arange(2000) % 10, np.array(["ann", "bob"])[np.arange(2000) // 1000]
    >>> subsets = UniformQueries(10, 5).draw(2000, rng=0)
    >>> said = respond(subsets, labels) ^ (who == "bob")
    >>> judges = choose_judges(labels, Answers(subsets, said, annotators=who))
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
    reach = float(stats.norm.isf(LEVEL / len(names)))
    # Known flips make an annotator's answers weaker, but not useless: the rates correct for them.
    highest = (found + reach * error) / trust
    useless = np.zeros(len(names), dtype=np.bool_)
    while not useless.all():  # whoever is named no longer speaks for the others
        fine = counts * ~useless
        others, others_error = _difference(fine.sum(axis=1, keepdims=True) - fine)
        named = useless | (highest < HALF * np.maximum(others - reach * others_error, 0))
        if (named == useless).all():
            break
        useless = named
    return {
        str(name): "inverted" if top < 0 else "no better than chance"
        for name, top in zip(names[useless], highest[useless], strict=True)
    }


def without_useless(judges: Judges) -> Judges:
    """The judges without them, and a note that names them."""
    named = useless_annotators(judges)
    if not named or judges.answers.annotators is None:
        return judges
    left_out = np.isin(judges.answers.annotators, list(named))
    told = "; ".join(
        f"{name} ({counted(int((judges.answers.annotators == name).sum()))}): {why}" for name, why in named.items()
    )
    kept = judges[~left_out]
    note = f"left out annotators whose answers are of no use: {told}"
    return replace(kept, notes=(*judges.notes, note))


def if_people_err(judges: Judges) -> str:
    """What the accuracy would be if some of the answers were wrong: for people whose flip rates nobody knows.

    >>> from oneof import Answers, UniformQueries, respond
    >>> from oneof.evaluation.judges import choose_judges
    >>> labels, subsets = np.arange(2000) % 10, UniformQueries(10, 5).draw(2000, rng=0)
    >>> said = respond(subsets, labels, flip_yes=0.05, flip_no=0.05, rng=1)
    >>> if_people_err(choose_judges(labels, Answers(subsets, said, annotators=["ann"] * 2000))).split("; ")[1]
    'if 2, 5, 10 % of them are, the accuracy is 95, 100, 100 %'
    """
    answered = ~judges.unknown
    share, found = judges.agrees[answered].mean(), []
    for rate in ERRORS:
        flips = np.full(len(judges), rate)
        right, wrong = (float(each[answered].mean()) for each in judges.rates(flips, flips))
        found.append(min(1.0, max(0.0, (share - wrong) / (right - wrong))))
    rates, values = (", ".join(f"{100 * one:.0f}" for one in each) for each in (ERRORS, found))
    told = "no flip rates are known: answers are taken as never wrong"
    return f"{told}; if {rates} % of them are, the accuracy is {values} %"


def _difference(counts: Floats) -> tuple[Floats, Floats]:
    """P(yes | u = 1) - P(yes | u = 0) and its standard error, (annotators,) each, from counts (4, annotators).

    Half an answer of each kind is added, so that few answers never look sure.
    """
    inside, outside = (counts[0] + 0.5) / (counts[1] + 1), (counts[2] + 0.5) / (counts[3] + 1)
    variance = inside * (1 - inside) / (counts[1] + 1) + outside * (1 - outside) / (counts[3] + 1)
    return inside - outside, np.sqrt(variance)
