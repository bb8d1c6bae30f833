"""How much an answer is expected to tell, and the question about an item whose answer tells most.

Let q_j be the believed probability that an item is of class j (`adaptive.belief`). A question L has mass
a = sum of q_j over L, and its answer, with flip rates rho1 and rho0, is worth

    I(a) = h(a (1 - rho1) + (1 - a) rho0) - a h(rho1) - (1 - a) h(rho0)     bits, h the binary entropy.

I is concave in a. Without noise it is h(a): the best question splits the belief in halves. So for each item we look for
the subset whose mass is nearest to the best one. Where reading labels costs time, I / (1 + label_cost * |L|) is
maximised instead: bits divided by the time that one question and its labels take.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy

from oneof.queries.groups import Groups
from oneof.queries.weights import with_flips

Bits = NDArray[np.bool_]
Floats = NDArray[np.float64]
Worth = Callable[[Floats, Any], Floats]
"""From the masses and the sizes of questions to what they are worth: bits divided by cost."""

NEAR = 1e-3
"""A mass that differs from the best one by less than this is good enough: the loss is under 1e-5 bits."""
FIRST = 32
"""How many of an item's labels are sorted at first; the others are sorted only if they are needed."""
OFFERED = 0.5
"""Share of the groups that a question may use, drawn anew for each question. If all groups were always offered, the
same ones would be shown together each time, and no answer would separate their classes."""
CHUNK = 1 << 20
"""Numbers in one chunk of rows, so that temporary arrays stay at some megabytes."""


def information(mass: ArrayLike, flip_yes: float = 0.0, flip_no: float = 0.0) -> Floats:
    """Bits that one answer is expected to give about the class. mass: the belief in the labels of the question.

    >>> information([0.5, 0.1]).round(3)
    array([1.   , 0.469])
    """
    a = np.asarray(mass, dtype=np.float64)
    return np.asarray(_entropy(with_flips(a, flip_yes, flip_no)) - a * _entropy(flip_yes) - (1 - a) * _entropy(flip_no))


def best_subsets(
    q: ArrayLike,
    rng: np.random.Generator | int,
    *,
    flip_yes: float = 0.0,
    flip_no: float = 0.0,
    label_cost: float = 0.0,
    largest: int | None = None,
    groups: Groups | None = None,
) -> tuple[Bits, Floats]:
    """The question about each item whose answer tells most, and its worth, bits by cost. (n, k) -> (n, k), (n,).

    q: the belief about each item. largest: the most labels that a question may have. groups: sets of classes that count
    as one label each. Labels are tried from the likeliest on, in random order where they are nearly equal. A label
    joins if it brings the mass nearer to the best one, and the best subset on the way wins. The result is not always
    the optimum (finding that is a partition problem), but within a few hundredths of a bit of it.

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
    for rows in chunks(n, k):
        part = beliefs[rows].astype(np.float64, copy=False)
        best[rows], worth[rows] = _grow(part, rng, target, limit, worth_of)
        if groups is not None:
            grouped, value = _grow_with_groups(part, groups, rng, target, limit, worth_of)
            better = rows.start + np.flatnonzero(value > worth[rows])
            best[better], worth[better] = grouped[better - rows.start], value[better - rows.start]
    return best, worth


def _grow(q: Floats, rng: np.random.Generator, target: float, limit: int, worth_of: Worth) -> tuple[Bits, Floats]:
    """`best_subsets` for some rows. A row is open while one more label could bring its mass nearer to the target."""
    n, k = q.shape
    # Nearly equal labels come in random order: if the same ones always went together, no answer would separate them.
    keys = -q * rng.uniform(0.9, 1.0, (n, k))
    # Short questions seldom need more than the likeliest labels; all labels of an item are sorted only if it does.
    order = _smallest(keys, FIRST) if limit < FIRST < k else np.argsort(keys, axis=1)
    subset, best = np.zeros((n, k), dtype=np.bool_), np.zeros((n, k), dtype=np.bool_)
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
        subset[rows, label] = True
        mass[rows], size[rows] = grown[joins], size[rows] + 1
        value = worth_of(np.minimum(mass[rows], 1.0), size[rows])
        better = value > worth[rows]
        best[rows[better]], worth[rows[better]] = subset[rows[better]], value[better]
        open_rows = open_rows[(mass[open_rows] < target - NEAR) & (size[open_rows] < limit)]
        if not len(open_rows):
            break
    # Where yes and no are flipped at different rates, the question with all other labels may tell more.
    others, size = (q * ~best).sum(axis=1), k - best.sum(axis=1)
    value = worth_of(others, size)
    better = (value > worth + 1e-12) & (size <= limit)
    best[better], worth[better] = ~best[better], value[better]
    return best, worth


def _smallest(keys: Floats, count: int) -> NDArray[np.intp]:
    """The places of the `count` smallest entries of each row, smallest first. (n, k) -> (n, count)."""
    some = np.argpartition(keys, count - 1, axis=1)[:, :count]
    return np.take_along_axis(some, np.argsort(np.take_along_axis(keys, some, axis=1), axis=1), axis=1)


def _worth(mass: Floats, size: Any, flip_yes: float, flip_no: float, label_cost: float) -> Floats:
    """Bits divided by the time that a question takes."""
    return np.asarray(information(mass, flip_yes, flip_no) / (1 + label_cost * size))


def _grow_with_groups(
    q: Floats, groups: Groups, rng: np.random.Generator, target: float, limit: int, worth_of: Worth
) -> tuple[Bits, Floats]:
    """As `_grow`, with groups that count as one label each: at most `limit` groups and labels in a question.

    Groups are tried from the likeliest on, then labels. One joins if it shares no class with those that joined before
    and brings the mass nearer to the target.
    """
    n, k = q.shape
    masses = q @ groups.members.T
    keys = np.concatenate([masses * (rng.random(masses.shape) < OFFERED), q * rng.uniform(0.9, 1.0, q.shape)], axis=1)
    sets = np.concatenate([groups.members, np.eye(k, dtype=np.bool_)])
    tries = min(len(groups) + max(FIRST, limit), len(sets))
    order = _smallest(-keys, tries)
    subset, best = np.zeros((n, k), dtype=np.bool_), np.zeros((n, k), dtype=np.bool_)
    mass, size, worth = np.zeros(n), np.zeros(n, dtype=np.int64), np.full(n, -np.inf)
    for step in range(tries):
        rows = np.flatnonzero(size < limit)
        joining = sets[order[rows, step]]
        grown = mass[rows] + (q[rows] * joining).sum(axis=1)
        joins = (np.abs(grown - target) < np.abs(mass[rows] - target)) & ~(joining & subset[rows]).any(axis=1)
        rows = rows[joins]
        subset[rows] |= joining[joins]
        mass[rows], size[rows] = grown[joins], size[rows] + 1
        value = worth_of(mass[rows].clip(0, 1), size[rows])
        better = value > worth[rows]
        best[rows[better]], worth[rows[better]] = subset[rows[better]], value[better]
    return best, worth


def chunks(n: int, k: int) -> Iterator[slice]:
    """Slices of n rows with k numbers each, so small that temporary arrays stay at some megabytes."""
    step = max(1, CHUNK // k)
    return (slice(start, min(n, start + step)) for start in range(0, n, step))


def _entropy(p: ArrayLike) -> Floats:
    p = np.asarray(p, dtype=np.float64)
    return np.asarray(-(xlogy(p, p) + xlogy(1 - p, 1 - p)) / np.log(2))


def _best_mass(flip_yes: float, flip_no: float) -> float:
    """The mass at which an answer tells most: by symmetry one half if both flip rates are equal."""
    if flip_yes == flip_no:
        return 0.5
    grid = np.linspace(0.0, 1.0, 1001)
    return float(grid[np.argmax(information(grid, flip_yes, flip_no))])
