"""Do the answers fit the law of the questions? This is tested before judging, because a wrong law gives wrong figures.

Under uniform questions, for any frequencies of the classes,

    P(yes) = m/k (1 - rho1) + (1 - m/k) rho0,     each label is shown with probability m/k,
    each pair of labels with m (m-1) / (k (k-1)),     and agreement is no rarer than with a model that is always wrong.

Complementary labels (all no), candidate sets (all yes), exact labels (one label, yes) and other laws violate these.
Each count is compared with its Binomial distribution; all tests taken together give one false alarm in ten thousand.
They are exact, and for mixed sizes conservative (Hoeffding 1956: a sum of unequal probabilities varies less than a
Binomial with their mean).
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, bdtrc

from oneof.answers import Answers
from oneof.answers.grouping import by_question
from oneof.evaluation.agreement import Agreements, Floats, equal_rows
from oneof.evaluation.estimate import percent
from oneof.evaluation.intervals import clopper_pearson
from oneof.evaluation.judges import Judges
from oneof.queries.moment import Queries
from oneof.queries.uniform import UniformQueries
from oneof.queries.weights import pair_shown, with_flips

LEVEL = 1e-4
"""How often answers that do fit are refused."""

MOST_PAIRED = 512
"""With more classes pairs of labels are not tested: there would be too many of them."""

CELLS = 400_000
"""Rows times labels that are unpacked at a time, to save memory."""

REMEDY = (
    "Pass the law of the questions as queries=, mark questions that were not drawn at random with design=, give flip "
    "rates if people err, or judge anyway with check=False"
)


def refuse_other_law(judges: Judges, queries: Queries | None = None) -> None:
    """Raise if the answers do not fit the law of their questions; the error has figures and a remedy."""
    found = misfits(judges, queries)
    if found:
        law = "questions drawn uniformly at random" if is_uniform(queries) else "the law given as queries"
        raise ValueError(f"these answers do not fit {law}: {found[0]}. {REMEDY}")


def misfits(judges: Judges, queries: Queries | None = None, level: float = LEVEL) -> list[str]:
    """Sentences with figures on how the answers do not fit the law of the questions; none if they fit.

    >>> from oneof.evaluation.judges import choose_judges
    >>> subsets = UniformQueries(10, 3).draw(300, rng=0)
    >>> all_yes = choose_judges(np.zeros(300, dtype=int), Answers(subsets, np.ones(300, dtype=bool)))
    >>> misfits(all_yes)[0]
    '100.0 % of 300 answers are yes, where 30.0 % are expected'
    """
    drawn = _distinct(judges[~judges.decoy] if judges.decoy.any() else judges)
    found = []
    # A law of your own need not have `inclusion`; then the shares of labels cannot be tested.
    if len(drawn) and (is_uniform(queries) or hasattr(queries, "inclusion")):
        found += _yes_rate(drawn, queries, level / 4)
        found += _labels(drawn.answers, queries, level / 4)
        if is_uniform(queries):
            found += _pairs(drawn.answers, level / 4)
    if judges.decoy.any():
        found += _decoys(judges[judges.decoy], level / 4)
    return found or (_below_chance(judges, level / 4) if is_uniform(queries) else [])


def p_value(count: ArrayLike, n: ArrayLike, low: ArrayLike, high: ArrayLike, more: float = 0) -> Floats:
    """The p-value of a count out of n, for a probability in [low, high]; up to `more` successes may not be counted."""
    found, total = np.asarray(count, dtype=np.float64), np.asarray(n, dtype=np.int64)
    at_most = bdtr(np.minimum(found + more, total), total, np.clip(low, 0, 1))
    at_least = np.where(found > 0, bdtrc(np.maximum(found - 1, 0), total, np.clip(high, 0, 1)), 1.0)
    return np.asarray(np.minimum(1.0, 2 * np.minimum(at_most, at_least)))


def is_uniform(queries: Queries | None) -> bool:
    """Whether the questions are uniform, which is so if no law is given."""
    return queries is None or isinstance(queries, UniformQueries)


def _distinct(judges: Judges) -> Judges:
    """The first answer to each question: further answers to the same question are not independent draws."""
    if judges.one_per_item:
        return judges
    _, first = np.unique(by_question(judges.answers.items, judges.answers.packed), return_index=True)
    return judges if len(first) == len(judges) else judges[np.sort(first)]


def _yes_rate(once: Judges, queries: Queries | None, level: float) -> list[str]:
    """Whether the share of yes fits. once: one answer to each question."""
    if queries is None or is_uniform(queries):
        lowest = highest = once.answers.sizes / once.answers.classes
    else:  # it depends on the class: between the label that is shown least often and the one shown most often
        shown = _inclusion(queries)
        lowest, highest = np.full(len(once), shown.min()), np.full(len(once), shown.max())
    ends = [with_flips(share, once.rho1, once.rho0) for share in (lowest, highest)]
    low, high = float(ends[0].mean()), float(ends[1].mean())
    slack = _slack(once, level)
    yes, skips, n = int(once.answers.responses[~once.unknown].sum()), int(once.unknown.sum()), len(once)
    if p_value(yes, n, low - slack, high + slack, skips) >= level:
        return []
    expected = f"{low:.1%}" if high - low < 5e-4 else f"{low:.1%} to {high:.1%}"
    share = yes / max(1, n - skips)
    return [f"{percent(share)} of {n - skips:,} answers are yes, where {expected.replace('%', ' %')} are expected"]


def _slack(judges: Judges, level: float) -> float:
    """How far the expected share of yes may be wrong because flip rates are estimates."""
    slack = 0.0
    for rates, known in ((judges.rho1, judges.answers.known_yes), (judges.rho0, judges.answers.known_no)):
        if known is not None:
            first, group = equal_rows(rates, known)
            finite = np.isfinite(known[first])
            count = np.where(finite, known[first], 1.0)
            _, high = clopper_pearson(rates[first] * count, count, 1 - level)
            slack += float(np.where(finite, high - rates[first], 0.0)[group].mean())
    return slack


def _labels(answers: Answers, queries: Queries | None, level: float) -> list[str]:
    """Whether each label was shown as often as expected."""
    expected: ArrayLike = float(answers.sizes.mean()) / answers.classes
    if queries is not None and not is_uniform(queries):
        expected = _inclusion(queries)
    shown = _times_shown(answers)
    return _misfit(shown, len(answers), expected, level, lambda label: f"the label {_name(answers, label)} was shown")


def _misfit(times: Floats, n: ArrayLike, expected: ArrayLike, level: float, subject: Callable[[int], str]) -> list[str]:
    """A sentence on the count that fits its expected share least, unless all counts fit.

    times: counts (c,). n: out of how many questions each. subject: from a count's number to the start of the sentence.
    """
    total, share = np.broadcast_to(n, times.shape), np.broadcast_to(expected, times.shape)
    chance = p_value(times, total, share, share)
    worst = int(np.argmin(chance))
    if chance[worst] >= level / len(chance):
        return []
    return [
        f"{subject(worst)} in {percent(times[worst] / total[worst])} of {total[worst]:,} questions, "
        f"where {percent(share[worst])} are expected"
    ]


def _times_shown(answers: Answers) -> Floats:
    """How many questions show each label, (k,), counted some rows at a time to save memory."""
    step = max(1, CELLS // answers.classes)
    parts = (answers[start : start + step].subsets.sum(axis=0) for start in range(0, len(answers), step))
    return np.asarray(sum(parts, np.zeros(answers.classes)))


def _pairs(answers: Answers, level: float) -> list[str]:
    """Whether each pair of labels was shown as often as expected, by as many questions as memory allows."""
    k = answers.classes
    if not 2 < k <= MOST_PAIRED:
        return []
    answers = answers[: max(1, CELLS // k)]
    shown = answers.subsets.astype(np.float32)
    times = (shown.T @ shown).astype(np.float64)
    expected = float(pair_shown(k, answers.sizes)[0].mean())
    rows, columns = np.triu_indices(k, 1)

    def subject(pair: int) -> str:
        return f"the labels {_name(answers, rows[pair])} and {_name(answers, columns[pair])} were shown together"

    return _misfit(times[rows, columns].round(), len(answers), expected, level, subject)


def _decoys(judges: Judges, level: float) -> list[str]:
    """Next to the prediction every other label is shown with probability (m - 1) / (k - 1)."""
    answers, k = judges.answers, judges.answers.classes
    made_from = judges.prediction if answers.predicted is None else answers.predicted
    certain = np.bincount(made_from, minlength=k)
    shown, could = _times_shown(answers) - certain, len(answers) - certain
    expected = (float(answers.sizes.mean()) - 1) / (k - 1)
    return _misfit(
        shown, could, expected, level, lambda label: f"the label {_name(answers, label)} was shown as a decoy"
    )


def _below_chance(judges: Judges, level: float) -> list[str]:
    """Whether the answers agree with the predictions at least as often as with wrong ones."""
    counts = Agreements.count(*judges.rates(), judges.agrees, judges.unknown)
    n, agreed = counts.n.sum(), (counts.agreed + counts.unknown).sum()
    _, high = clopper_pearson(agreed, n, 1 - 2 * level)
    least = float(counts.n @ counts.wrong / n)
    if high >= least or not judges.one_per_item:
        return []
    return [
        f"{percent(agreed / n)} of {int(n):,} answers agree with the predictions, where even predictions that are "
        f"always wrong would have {percent(least)}: yes and no may be mixed up"
    ]


def _inclusion(queries: Queries) -> Floats:
    """P(label is shown) of each class, (k,)."""
    # Not part of the protocol, because a law of your own need not have it; the callers have tested for it.
    return np.asarray(queries.inclusion, dtype=np.float64)  # type: ignore[attr-defined]


def _name(answers: Answers, label: int) -> str:
    return repr(answers.class_names[label]) if answers.class_names else str(label)


def unusual_annotators(judges: Judges, level: float = LEVEL) -> dict[str, str]:
    """The annotators whose share of yes does not fit the law of the questions, each with a sentence on how."""
    if judges.answers.annotators is None:
        return {}
    names, who = np.unique(judges.answers.annotators, return_inverse=True)
    unusual: dict[str, str] = {}
    for number, name in enumerate(names.tolist()):
        rows: NDArray[np.bool_] = (who == number) & ~judges.decoy
        found = _yes_rate(_distinct(judges[rows]), None, level / len(names)) if rows.any() else []
        if found:
            unusual[name] = found[0]
    return unusual
