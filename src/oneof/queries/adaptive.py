"""Adaptive queries: ask next where an answer tells most.

Let q_j be what is believed of an item: the model's probability times the evidence of the answers so far, normalised.
A question L has mass a = sum of q_j over L, and its answer, with flip rates rho1 and rho0, is worth

    I(a) = h(a (1 - rho1) + (1 - a) rho0) - a h(rho1) - (1 - a) h(rho0)     bits, h the binary entropy.

I is concave in a. Without noise it is h(a): the best question splits the belief in halves. So for each item we look for
the subset whose mass is nearest the best one, and ask about the items where I is largest. Where reading labels costs
time, I / (1 + label_cost * |L|) takes its place: bits for the time of one question plus that of its labels.

The questions depend on the model, so they cannot judge it, and no unbiased risk exists for them: train with the
likelihood. A share of questions stays uniform, and is marked so, for label-free evaluation.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy

from oneof.queries.groups import Groups
from oneof.queries.uniform import UniformQueries

Floats = NDArray[np.float64]

NEAR = 1e-3
"""A mass this near the best one is as good: it costs less than a hundred-thousandth of a bit."""
FIRST = 32
"""Labels of an item that are sorted at first."""
SETTLED = 0.97
"""An item is not asked about on purpose any more once one class is believed with this probability."""
CHUNK = 1 << 20
"""Numbers worked on together."""


@dataclass(frozen=True)
class Questions:
    """A batch of n questions to ask.

    items: int (n,), what each is about. subsets: bool (n, k), the labels to show. information: (n,), the bits that
    the answer is expected to give. adaptive: bool (n,), False where the question was drawn at random.
    """

    items: NDArray[np.int64]
    subsets: NDArray[np.bool_]
    information: Floats
    adaptive: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.items)


def belief(probabilities: ArrayLike, evidence: ArrayLike | None = None) -> Floats:
    """What is believed of each item: model times evidence, normalised. (n, k), (n, k) -> (n, k).

    evidence: as `Answers.evidence` gives it, log P(answers so far | class).

    >>> belief([[0.5, 0.3, 0.2]], [[-np.inf, 0.0, 0.0]])
    array([[0. , 0.6, 0.4]])
    """
    p, e = _checked(probabilities, evidence)
    return _believed(p, e, np.arange(len(p)))


def _checked(probabilities: ArrayLike, evidence: ArrayLike | None) -> tuple[NDArray[Any], NDArray[Any] | None]:
    p, e = np.asarray(probabilities), None if evidence is None else np.asarray(evidence)
    if p.ndim != 2 or p.shape[1] < 2:
        raise ValueError(f"probabilities must have shape (items, classes), not {p.shape}")
    if e is not None and e.shape != p.shape:
        raise ValueError(f"evidence must have shape {p.shape} like probabilities, not {e.shape}")
    return p, e


def _believed(probabilities: NDArray[Any], evidence: NDArray[Any] | None, items: NDArray[np.int64]) -> Floats:
    """The belief about some of the items."""
    p = probabilities[items].astype(np.float64, copy=False)
    bad = np.flatnonzero(~(np.isfinite(p) & (p >= 0)).all(axis=1) | (np.abs(p.sum(axis=1) - 1) > 1e-3))
    if len(bad):
        raise ValueError(f"row {items[bad[0]]} of probabilities is {p[bad[0]]}, expected probabilities that sum to one")
    # A model may give zero to every class that the answers allow: a floor keeps the belief defined.
    scores = np.log(np.maximum(p, 1e-12))
    if evidence is not None:
        scores += evidence[items]
    top = scores.max(axis=1, keepdims=True)
    if not np.isfinite(top).all():
        raise ValueError(f"the evidence rules out every class of item {items[np.argmin(np.isfinite(top[:, 0]))]}")
    q = np.exp(scores - top)
    return np.asarray(q / q.sum(axis=1, keepdims=True))


def information(mass: ArrayLike, flip_yes: float = 0.0, flip_no: float = 0.0) -> Floats:
    """Bits that one answer is expected to give about the class, from the believed mass of the question.

    >>> information([0.5, 0.1]).round(3)
    array([1.   , 0.469])
    """
    a = np.asarray(mass, dtype=np.float64)
    said_yes = a * (1 - flip_yes) + (1 - a) * flip_no
    return np.asarray(_entropy(said_yes) - a * _entropy(flip_yes) - (1 - a) * _entropy(flip_no))


def best_subsets(
    q: ArrayLike,
    rng: np.random.Generator | int,
    *,
    flip_yes: float = 0.0,
    flip_no: float = 0.0,
    label_cost: float = 0.0,
    largest: int | None = None,
    groups: Groups | None = None,
) -> tuple[NDArray[np.bool_], Floats]:
    """The most telling question about each item, and its worth: bits over cost. (n, k) -> (n, k), (n,).

    largest: at most so many labels in a question. groups: sets of classes that count as one label each. Labels are
    tried from the likeliest on, in random order where they are as good as equal, and one joins if it brings the mass
    nearer to the best; the best subset on the way wins. Not always the optimum (that is a partition problem), but
    within a few hundredths of a bit of it.

    >>> subsets, bits = best_subsets([[0.4, 0.3, 0.2, 0.1]], rng=0)
    >>> subsets, bits.round(3)
    (array([[ True, False, False,  True]]), array([1.]))
    """
    beliefs = np.asarray(q)
    n, k = beliefs.shape
    limit = k - 1 if largest is None else largest
    if not 1 <= limit <= k - 1:
        raise ValueError(f"largest must be in 1..{k - 1} for {k} classes, not {largest}")
    if label_cost < 0:
        raise ValueError(f"label_cost must not be negative, not {label_cost}")
    if not (min(flip_yes, flip_no) >= 0 and flip_yes + flip_no < 1):
        raise ValueError(f"flip rates must not be negative and add up to less than 1, not {flip_yes} and {flip_no}")
    rng = np.random.default_rng(rng)
    worth_of = partial(_worth, flip_yes=flip_yes, flip_no=flip_no, label_cost=label_cost)
    target = _best_mass(flip_yes, flip_no)
    best, worth = np.zeros((n, k), dtype=np.bool_), np.empty(n)
    for rows in _chunks(n, k):
        part = beliefs[rows].astype(np.float64, copy=False)
        best[rows], worth[rows] = _grow(part, rng, target, limit, worth_of)
        if groups is not None:
            grouped, value = groups.grow(part, rng, target, limit, worth_of)
            better = rows.start + np.flatnonzero(value > worth[rows])
            best[better], worth[better] = grouped[better - rows.start], value[better - rows.start]
    return best, worth


def _grow(
    q: Floats, rng: np.random.Generator, target: float, limit: int, worth_of: Callable[[Floats, Any], Floats]
) -> tuple[NDArray[np.bool_], Floats]:
    """`best_subsets` for some rows. A row is open while another label could still bring its mass nearer the target."""
    n, k = q.shape
    # Always the same labels together would leave classes that no answer has ever separated.
    keys = -q * rng.uniform(0.9, 1.0, (n, k))
    # Short questions seldom look beyond the likeliest labels; an item that does is sorted whole when it gets there.
    order = _smallest(keys, FIRST) if limit < FIRST < k else np.argsort(keys, axis=1)
    asked, best = np.zeros((n, k), dtype=np.bool_), np.zeros((n, k), dtype=np.bool_)
    mass, size, worth = np.zeros(n), np.zeros(n, dtype=np.int64), np.full(n, -np.inf)
    open_rows = np.arange(n)
    for step in range(k):
        if step == order.shape[1]:
            order = np.empty((n, k), dtype=np.intp)
            order[open_rows] = np.argsort(keys[open_rows], axis=1)
        label = order[open_rows, step]
        grown = mass[open_rows] + q[open_rows, label]
        joins = (size[open_rows] == 0) | (np.abs(grown - target) < np.abs(mass[open_rows] - target))
        rows, label = open_rows[joins], label[joins]
        asked[rows, label] = True
        mass[rows], size[rows] = grown[joins], size[rows] + 1
        value = worth_of(np.minimum(mass[rows], 1.0), size[rows])
        better = value > worth[rows]
        best[rows[better]], worth[rows[better]] = asked[rows[better]], value[better]
        open_rows = open_rows[(mass[open_rows] < target - NEAR) & (size[open_rows] < limit)]
        if not len(open_rows):
            break
    # Where yes and no are flipped at different rates, asking about the other labels may tell more.
    others, size = (q * ~best).sum(axis=1), k - best.sum(axis=1)
    value = worth_of(others, size)
    better = (value > worth + 1e-12) & (size <= limit)
    best[better], worth[better] = ~best[better], value[better]
    return best, worth


def _smallest(keys: Floats, count: int) -> NDArray[np.intp]:
    """Where the `count` smallest entries of each row are, in order. (n, k) -> (n, count)."""
    some = np.argpartition(keys, count, axis=1)[:, :count]
    return np.take_along_axis(some, np.argsort(np.take_along_axis(keys, some, axis=1), axis=1), axis=1)


def _worth(mass: Floats, size: Any, flip_yes: float, flip_no: float, label_cost: float) -> Floats:
    """Bits for the time that a question takes."""
    return np.asarray(information(mass, flip_yes, flip_no) / (1 + label_cost * size))


def _chunks(n: int, k: int) -> Iterator[slice]:
    """Rows that are worked on together: some megabytes, however many items and classes there are."""
    step = max(1, CHUNK // k)
    return (slice(start, min(n, start + step)) for start in range(0, n, step))


def choose(
    probabilities: ArrayLike,
    evidence: ArrayLike | None,
    count: int,
    rng: np.random.Generator | int,
    *,
    flip_yes: float = 0.0,
    flip_no: float = 0.0,
    label_cost: float = 0.0,
    largest: int | None = None,
    groups: Groups | None = None,
    finish: bool = False,
    uniform_share: float = 0.0,
    uniform_size: int | None = None,
    judging: ArrayLike | None = None,
) -> Questions:
    """The next `count` questions: each about another item, the most telling ones first, plus a share drawn at random.

    probabilities: (n, k), the model's, for every item that may be asked about. evidence: (n, k), `Answers.evidence`.
    finish: ask on about items that were begun until their class is as good as settled, and then about new ones, drawn
    by what an answer tells. With many classes one answer leaves too much open for a model to learn from it.
    uniform_share: share of the questions that are uniform, of `uniform_size` labels (default: half of the classes).
    judging: the items that uniform questions are about and adaptive ones never (default: any item). Label-free
    evaluation is exact if these items are drawn at random beforehand and never trained on.

    >>> p = [[0.97, 0.01, 0.01, 0.01], [0.25, 0.25, 0.25, 0.25], [0.6, 0.4, 0.0, 0.0]]
    >>> questions = choose(p, None, count=2, rng=0)
    >>> questions.items, questions.subsets.sum(axis=1)
    (array([1, 2]), array([2, 1]))
    """
    rng = np.random.default_rng(rng)
    p, e = _checked(probabilities, evidence)
    n, k = p.shape
    if not 0 <= uniform_share <= 1:
        raise ValueError(f"uniform_share must be in [0, 1], not {uniform_share}")
    judges = np.arange(n) if judging is None else np.unique(np.asarray(judging, dtype=np.int64))
    if not len(judges) and uniform_share:
        raise ValueError("a share of uniform questions needs items to ask about: judging is empty")
    if len(judges) and not 0 <= judges[0] <= judges[-1] < n:
        raise ValueError(f"judging items must be in 0..{n - 1}, found {judges[0]}..{judges[-1]}")
    candidates = np.arange(n) if judging is None else np.setdiff1d(np.arange(n), judges)
    # Rounding at random keeps the share right on average, however small the batches.
    at_random = int(np.floor(uniform_share * count + rng.random()))
    told = count - at_random
    if not 0 <= told <= len(candidates):
        raise ValueError(f"{told} adaptive questions in one batch, but only {len(candidates)} items to ask about")
    # The beliefs and questions of all items together may not fit into memory: only the worth and the bits are kept.
    packed, worth = np.empty((len(candidates), -(-k // 8)), dtype=np.uint8), np.empty(len(candidates))
    surest = np.empty(len(candidates))
    for rows in _chunks(len(candidates), k):
        q = _believed(p, e, candidates[rows])
        asked, worth[rows] = best_subsets(
            q, rng, flip_yes=flip_yes, flip_no=flip_no, label_cost=label_cost, largest=largest, groups=groups
        )
        packed[rows], surest[rows] = np.packbits(asked, axis=1), q.max(axis=1)
    asked_before = np.zeros(n, dtype=np.bool_) if e is None else np.asarray(e.any(axis=1))
    if finish:
        first = _begun_first(worth, surest, asked_before[candidates], rng)[:told]
    else:
        # Many items tie near one whole bit; a random order among them spreads a batch over the items.
        shuffled = rng.permutation(len(candidates))
        first = shuffled[np.argsort(-worth[shuffled].round(2), kind="stable")[:told]]
    subsets = np.unpackbits(packed[first], axis=1, count=k).view(np.bool_)
    mass = (_believed(p, e, candidates[first]) * subsets).sum(axis=1)
    bits = information(mass.clip(0, 1), flip_yes, flip_no)

    # One answer per item keeps the interval for the accuracy exact, so items that nobody asked about come first.
    waiting = rng.permutation(judges)
    drawn_items = np.resize(waiting[np.argsort(asked_before[waiting], kind="stable")], at_random)
    drawn = UniformQueries(k, k // 2 if uniform_size is None else uniform_size).draw(at_random, rng)
    drawn_mass = (_believed(p, e, drawn_items) * drawn).sum(axis=1)
    drawn_bits = information(drawn_mass.clip(0, 1), flip_yes, flip_no)
    return Questions(
        np.concatenate([candidates[first], drawn_items]),
        np.concatenate([subsets, drawn]),
        np.concatenate([bits, drawn_bits]),
        np.repeat([True, False], [told, at_random]),
    )


def _begun_first(
    worth: Floats, surest: Floats, begun: NDArray[np.bool_], rng: np.random.Generator
) -> NDArray[np.int64]:
    """All items in the order of asking: begun and not settled, then new ones by chance, then settled ones.

    New items are drawn in proportion to their worth (Gumbel's trick): the most telling alone would be odd ones.
    """
    stage = np.where(begun, np.where(surest < SETTLED, 0, 2), 1)
    drawn = np.log(np.maximum(worth, 1e-9)) + rng.gumbel(size=len(worth))
    return np.lexsort((-np.where(begun, worth, drawn), stage))


def _entropy(p: ArrayLike) -> Floats:
    p = np.asarray(p, dtype=np.float64)
    return np.asarray(-(xlogy(p, p) + xlogy(1 - p, 1 - p)) / np.log(2))


def _best_mass(flip_yes: float, flip_no: float) -> float:
    """The mass at which an answer tells most; one half for symmetric noise, by symmetry."""
    if flip_yes == flip_no:
        return 0.5
    grid = np.linspace(0.0, 1.0, 1001)
    return float(grid[np.argmax(information(grid, flip_yes, flip_no))])
