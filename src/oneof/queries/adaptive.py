"""Adaptive questions: ask next where an answer tells most.

The belief about an item is the model's probability of each class times the evidence of the answers so far, normalised.
For each item we find the question whose answer is expected to tell most (`information.best_subsets`), and ask about the
items where it tells most.

Adaptive questions depend on the model, so their answers cannot judge it, and no unbiased risk exists for them: train
with the likelihood. A share of the questions stays uniform, and is marked so, for label-free evaluation.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax

from oneof.queries.groups import Groups
from oneof.queries.information import best_subsets, chunks, information
from oneof.queries.probabilities import check_probabilities, finite_logs
from oneof.queries.uniform import UniformQueries

Floats = NDArray[np.float64]

SETTLED = 0.97
"""Once one class of an item is believed with this probability, other items come first."""


@dataclass(frozen=True)
class Questions:
    """A batch of n questions to ask.

    items: int (n,), the item that each question is about. subsets: bool (n, k), the labels to show. information: (n,),
    the bits that the answer is expected to give. adaptive: bool (n,), False where the question was drawn at random.
    """

    items: NDArray[np.int64]
    subsets: NDArray[np.bool_]
    information: Floats
    adaptive: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.items)


def belief(probabilities: ArrayLike, evidence: ArrayLike | None = None) -> Floats:
    """The belief about each item: the model's probabilities times the evidence, normalised. (n, k), (n, k) -> (n, k).

    evidence: log P(answers so far | class), as `Answers.evidence` gives it.

    >>> belief([[0.5, 0.3, 0.2]], [[-np.inf, 0.0, 0.0]])
    array([[0. , 0.6, 0.4]])
    """
    p, e = _checked(probabilities, evidence)
    return _belief(p, e, np.arange(len(p)))


def _checked(probabilities: ArrayLike, evidence: ArrayLike | None) -> tuple[NDArray[Any], NDArray[Any] | None]:
    p, e = np.asarray(probabilities), None if evidence is None else np.asarray(evidence)
    if p.ndim != 2 or p.shape[1] < 2:
        raise ValueError(f"probabilities must have shape (items, classes), not {p.shape}")
    if e is not None and e.shape != p.shape:
        raise ValueError(f"evidence must have shape {p.shape} like probabilities, not {e.shape}")
    return p, e


def _belief(probabilities: NDArray[Any], evidence: NDArray[Any] | None, items: NDArray[np.int64]) -> Floats:
    """The belief about the items with these numbers, (b,) -> (b, k)."""
    p = probabilities[items].astype(np.float64, copy=False)
    check_probabilities(p, items)
    scores = finite_logs(p)
    if evidence is not None:
        scores += evidence[items]
    possible = np.isfinite(scores.max(axis=1))
    if not possible.all():
        raise ValueError(f"the evidence rules out every class of item {items[np.argmin(possible)]}")
    return np.asarray(softmax(scores, axis=1))


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
    """The next `count` questions: the adaptive ones, each about another item, and a share of uniform ones.

    probabilities: (n, k), the model's, for every item that may be asked about. evidence: (n, k), `Answers.evidence`.
    finish: first ask again about items that have answers, until their class is nearly certain; then about new items,
    drawn in proportion to what an answer tells. With many classes a model learns little from one answer per item.
    uniform_share: share of the questions that are uniform, with `uniform_size` labels (default: half of the classes).
    judging: the items that only uniform questions are about (default: uniform questions may be about any item).
    Label-free evaluation is exact if these items are drawn at random beforehand and never trained on.
    Other arguments: see `best_subsets`.

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
    uniform_count = int(np.floor(uniform_share * count + rng.random()))
    adaptive_count = count - uniform_count
    if not 0 <= adaptive_count <= len(candidates):
        raise ValueError(
            f"{adaptive_count} adaptive questions in one batch, but only {len(candidates)} items to ask about"
        )
    # The beliefs and questions of all items may not fit into memory: only packed questions and their worth are kept.
    packed, worth = np.empty((len(candidates), -(-k // 8)), dtype=np.uint8), np.empty(len(candidates))
    surest = np.empty(len(candidates))
    for rows in chunks(len(candidates), k):
        q = _belief(p, e, candidates[rows])
        subsets, worth[rows] = best_subsets(
            q, rng, flip_yes=flip_yes, flip_no=flip_no, label_cost=label_cost, largest=largest, groups=groups
        )
        packed[rows], surest[rows] = np.packbits(subsets, axis=1), q.max(axis=1)
    has_answers = np.zeros(n, dtype=np.bool_) if e is None else np.asarray(e.any(axis=1))
    if finish:
        first = _begun_first(worth, surest, has_answers[candidates], rng)[:adaptive_count]
    else:
        # Many items tie at nearly one bit: a random order among them spreads a batch over the items.
        shuffled = rng.permutation(len(candidates))
        first = shuffled[np.argsort(-worth[shuffled].round(2), kind="stable")[:adaptive_count]]
    subsets = np.unpackbits(packed[first], axis=1, count=k).view(np.bool_)

    # One answer per item keeps the interval for the accuracy exact, so items without answers come first.
    waiting = rng.permutation(judges)
    uniform_items = np.resize(waiting[np.argsort(has_answers[waiting], kind="stable")], uniform_count)
    uniform = UniformQueries(k, k // 2 if uniform_size is None else uniform_size).draw(uniform_count, rng)

    items, subsets = np.concatenate([candidates[first], uniform_items]), np.concatenate([subsets, uniform])
    mass = (_belief(p, e, items) * subsets).sum(axis=1)
    bits = information(mass.clip(0, 1), flip_yes, flip_no)
    return Questions(items, subsets, bits, np.repeat([True, False], [adaptive_count, uniform_count]))


def _begun_first(
    worth: Floats, surest: Floats, begun: NDArray[np.bool_], rng: np.random.Generator
) -> NDArray[np.int64]:
    """All items in the order of asking: those with answers that are not settled, then new items, then settled ones.

    worth: (n,), of the best question about each item. surest: (n,), the largest probability of a class. begun: bool
    (n,), whether an item has answers. New items are drawn in proportion to their worth (Gumbel's trick): taking those
    with the largest worth would select unusual items.
    """
    stage = np.where(begun, np.where(surest < SETTLED, 0, 2), 1)
    drawn = np.log(np.maximum(worth, 1e-9)) + rng.gumbel(size=len(worth))
    return np.lexsort((-np.where(begun, worth, drawn), stage))
