"""Does the law of the questions fit? Asked before any judgement, because another law gives confident nonsense.

Under uniform questions, whatever the classes' frequencies are,

    P(yes) = m/k (1 - rho1) + (1 - m/k) rho0,     each label is shown with probability m/k,
    each pair of labels with m (m-1) / (k (k-1)),     and agreement is no rarer than with a model that is always wrong.

Complementary labels (all no), candidate sets (all yes), exact labels (one label, yes) and other laws break these. Each
count is compared with its Binomial distribution; all tests together cry wolf once in ten thousand. They are exact, for
mixed sizes conservative (Hoeffding 1956: a sum of unequal chances spreads less than a Binomial of their mean).
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, bdtrc

from oneof.answers import Answers
from oneof.evaluation.agreement import Agreements, Floats, alike
from oneof.evaluation.intervals import clopper_pearson
from oneof.evaluation.judges import Judges
from oneof.queries.moment import Queries
from oneof.queries.uniform import UniformQueries

LEVEL = 1e-4
"""How often answers that do fit are refused."""

MOST_PAIRED = 512
"""Classes beyond which pairs of labels are not looked at: there would be too many of them."""

CELLS = 400_000
"""Rows times labels that are unpacked at a time, so that judging many answers takes little memory."""

REMEDY = (
    "Pass the law of the questions as queries=, mark questions that were not drawn at random with design=, give flip "
    "rates if people err, or judge anyway with check=False"
)


def refuse_other_law(judges: Judges, queries: Queries | None = None) -> None:
    """Raise, with figures and remedy, where the answers do not fit the law of their questions."""
    found = misfits(judges, queries)
    if found:
        law = "questions drawn uniformly at random" if _uniform(queries) else "the law given as queries"
        raise ValueError(f"these answers do not fit {law}: {found[0]}. {REMEDY}")


def misfits(judges: Judges, queries: Queries | None = None, level: float = LEVEL) -> list[str]:
    """In what ways the answers do not fit, in sentences with figures; nothing where they do.

    >>> from oneof.evaluation.judges import choose_judges
    >>> subsets = UniformQueries(10, 3).draw(300, rng=0)
    >>> all_yes = choose_judges(np.zeros(300, dtype=int), Answers(subsets, np.ones(300, dtype=bool)))
    >>> misfits(all_yes)[0]
    '100.0 % of 300 answers are yes, where 30.0 % are expected'
    """
    drawn = judges[~judges.decoy] if judges.decoy.any() else judges
    found = []
    # A law of the user's own need not say how often it shows a label; then there is nothing to compare with.
    if len(drawn) and (_uniform(queries) or hasattr(queries, "inclusion")):
        found += _yes_rate(drawn, queries, level / 4)
        found += _labels(drawn, queries, level / 4)
        if _uniform(queries):
            found += _pairs(drawn, level / 4)
    if judges.decoy.any():
        found += _decoys(judges[judges.decoy], level / 4)
    return found or (_below_chance(judges, level / 4) if _uniform(queries) else [])


def unlikely(count: ArrayLike, n: ArrayLike, low: ArrayLike, high: ArrayLike, more: float = 0) -> Floats:
    """The p-value of a count out of n, the chance being somewhere in [low, high] and up to `more` not being known."""
    found, total = np.asarray(count, dtype=np.float64), np.asarray(n, dtype=np.int64)
    few = bdtr(np.minimum(found + more, total), total, np.clip(low, 0, 1))
    many = np.where(found > 0, bdtrc(np.maximum(found - 1, 0), total, np.clip(high, 0, 1)), 1.0)
    return np.asarray(np.minimum(1.0, 2 * np.minimum(few, many)))


def _uniform(queries: Queries | None) -> bool:
    return queries is None or isinstance(queries, UniformQueries)


def _once(judges: Judges) -> Judges:
    """The first answer to each question: copies of one question are not drawn anew."""
    answers = judges.answers
    rows = np.concatenate([answers.items.view(np.uint8).reshape(len(answers), -1), answers.packed], axis=1)
    _, first = np.unique(rows, axis=0, return_index=True)
    return judges if len(first) == len(answers) else judges[np.sort(first)]


def _yes_rate(judges: Judges, queries: Queries | None, level: float) -> list[str]:
    once = judges if judges.one_an_item else _once(judges)
    if isinstance(queries, UniformQueries) or queries is None:
        lowest = highest = once.answers.sizes / once.answers.classes
    else:  # by the class: somewhere between the label that is shown most rarely and the one that is most often
        shown = _inclusion(queries)
        lowest, highest = np.full(len(once), shown.min()), np.full(len(once), shown.max())
    ends = [share * (1 - once.rho1) + (1 - share) * once.rho0 for share in (lowest, highest)]
    low, high = float(ends[0].mean()), float(ends[1].mean())
    slack = _slack(once, level)
    yes, skips, n = int(once.answers.responses[~once.unknown].sum()), int(once.unknown.sum()), len(once)
    if unlikely(yes, n, low - slack, high + slack, skips) >= level:
        return []
    expected = f"{low:.1%}" if high - low < 5e-4 else f"{low:.1%} to {high:.1%}"
    share = yes / max(1, n - skips)
    return [f"{_percent(share)} of {n - skips:,} answers are yes, where {expected.replace('%', ' %')} are expected"]


def _slack(judges: Judges, level: float) -> float:
    """How far the expected share of yes may be off because flip rates are estimates, not known."""
    reach = 0.0
    for rates, known in ((judges.rho1, judges.answers.known_yes), (judges.rho0, judges.answers.known_no)):
        if known is not None:
            first, group = alike(rates, known)
            finite = np.isfinite(known[first])
            count = np.where(finite, known[first], 1.0)
            _, high = clopper_pearson(rates[first] * count, count, 1 - level)
            reach += float(np.where(finite, high - rates[first], 0.0)[group].mean())
    return reach


def _labels(judges: Judges, queries: Queries | None, level: float) -> list[str]:
    once = judges if judges.one_an_item else _once(judges)
    n, k = len(once), once.answers.classes
    shown = _times_shown(once.answers)
    if isinstance(queries, UniformQueries) or queries is None:
        expected = np.full(k, float(once.answers.sizes.mean()) / k)
    else:
        expected = _inclusion(queries)
    chance = unlikely(shown, n, expected, expected)
    label = int(np.argmin(chance))
    if chance[label] >= level / k:
        return []
    return [
        f"the label {_name(once.answers, label)} was shown in {_percent(shown[label] / n)} of {n:,} questions, "
        f"where {_percent(expected[label])} are expected"
    ]


def _times_shown(answers: Answers) -> Floats:
    """How many questions show each label, (k,); counted in parts, so that many classes do not need much memory."""
    step = max(1, CELLS // answers.classes)
    parts = (answers[start : start + step].subsets.sum(axis=0) for start in range(0, len(answers), step))
    return np.asarray(sum(parts, np.zeros(answers.classes)))


def _pairs(judges: Judges, level: float) -> list[str]:
    once = judges if judges.one_an_item else _once(judges)
    answers, k = once.answers[: max(1, CELLS // once.answers.classes)], once.answers.classes
    if not 2 < k <= MOST_PAIRED:
        return []
    shown = answers.subsets.astype(np.float32)
    together = (shown.T @ shown).astype(np.float64)
    sizes = answers.sizes
    expected = float((sizes * (sizes - 1)).mean()) / (k * (k - 1))
    rows, columns = np.triu_indices(k, 1)
    chance = unlikely(together[rows, columns].round(), len(answers), expected, expected)
    pair = int(np.argmin(chance))
    if chance[pair] >= level / len(chance):
        return []
    first, second = (_name(answers, int(at[pair])) for at in (rows, columns))
    return [
        f"the labels {first} and {second} were shown together in "
        f"{_percent(float(together[rows[pair], columns[pair]]) / len(answers))} of {len(answers):,} questions, "
        f"where {_percent(expected)} are expected"
    ]


def _decoys(judges: Judges, level: float) -> list[str]:
    """Beside the prediction every other label is shown with probability (m - 1) / (k - 1)."""
    answers, k = judges.answers, judges.answers.classes
    made_from = judges.guess if answers.predicted is None else answers.predicted
    certain = np.bincount(made_from, minlength=k)
    shown, could = _times_shown(answers) - certain, len(answers) - certain
    expected = (float(answers.sizes.mean()) - 1) / (k - 1)
    chance = unlikely(shown, could, expected, expected)
    label = int(np.argmin(chance))
    if chance[label] >= level / k:
        return []
    return [
        f"the label {_name(answers, label)} was shown as a decoy in {_percent(shown[label] / could[label])} of "
        f"{could[label]:,} questions, where {_percent(expected)} are expected"
    ]


def _below_chance(judges: Judges, level: float) -> list[str]:
    counts = Agreements.count(*judges.rates(), judges.agrees, judges.unknown)
    n, agreed = counts.n.sum(), (counts.agreed + counts.unknown).sum()
    _, high = clopper_pearson(agreed, n, 1 - 2 * level)
    least = float(counts.n @ counts.wrong / n)
    if high >= least or not judges.one_an_item:
        return []
    return [
        f"{_percent(agreed / n)} of {int(n):,} answers agree with the predictions, where even predictions that are "
        f"always wrong would have {_percent(least)}: yes and no may be mixed up"
    ]


def _inclusion(queries: Queries) -> Floats:
    """P(label is shown) of each class, (k,)."""
    # Laws from outside need not have it, so it is no part of the protocol; whoever calls has looked.
    return np.asarray(queries.inclusion, dtype=np.float64)  # type: ignore[attr-defined]


def _name(answers: Answers, label: int) -> str:
    return repr(answers.class_names[label]) if answers.class_names else str(label)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def unusual_annotators(judges: Judges, level: float = LEVEL) -> dict[str, str]:
    """The annotators whose own share of yes does not fit, and how; for a warning that names them."""
    if judges.answers.annotators is None:
        return {}
    names, who = np.unique(judges.answers.annotators, return_inverse=True)
    told: dict[str, str] = {}
    for number, name in enumerate(names.tolist()):
        rows: NDArray[np.bool_] = (who == number) & ~judges.decoy
        found = _yes_rate(judges[rows], None, level / len(names)) if rows.any() else []
        told |= {name: found[0]} if found else {}
    return told
