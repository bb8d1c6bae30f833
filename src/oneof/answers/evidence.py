"""The evidence of the answers about the class of each item.

e_ij = sum over the answers q about item i of log P(s_q | class j, L_q), with

    P(yes | class in L) = 1 - flip_yes,      P(yes | class not in L) = flip_no,

so that an answer without flips gives 0 to the classes of its consistent set and rules out the others (-inf).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oneof.answers import bitsets
from oneof.answers.grouping import by_item

Rates = NDArray[np.float64]
"""Flip rates, (n,)."""


def log_probabilities(responses: Any, flip_yes: Any, flip_no: Any, arrays: Any = np) -> tuple[Any, Any]:
    """log P(answer | class in L) and log P(answer | class not in L), both (n,).

    arrays: the module of the arrays, numpy or torch.

    >>> inside, outside = log_probabilities(np.array([True]), np.array([0.2]), np.array([0.1]))
    >>> np.exp(inside).round(3), np.exp(outside).round(3)
    (array([0.8]), array([0.1]))
    """
    with np.errstate(divide="ignore"):
        inside = arrays.where(responses, arrays.log1p(-flip_yes), arrays.log(flip_yes))
        outside = arrays.where(responses, arrays.log(flip_no), arrays.log1p(-flip_no))
    return inside, outside


def collect(
    packed: bitsets.Packed,
    classes: int,
    rows: NDArray[np.int64],
    total: int,
    log_inside: Rates,
    log_outside: Rates,
) -> NDArray[np.float64]:
    """The evidence of all answers about each of `total` items, (total, classes). rows: the item of each answer."""
    evidence = np.zeros((total, classes))
    step = bitsets.rows_at_once(classes)
    for part in (slice(start, start + step) for start in range(0, len(packed), step)):
        subsets = bitsets.unpack(packed[part], classes)
        np.add.at(evidence, rows[part], np.where(subsets, log_inside[part, None], log_outside[part, None]))
    return evidence


def contradicted(
    packed: bitsets.Packed,
    classes: int,
    items: NDArray[np.int64],
    responses: NDArray[np.bool_],
    flip_yes: Rates,
    flip_no: Rates,
) -> NDArray[np.int64]:
    """The items whose answers rule out every class. An answer that may be wrong rules out nothing."""
    certain = np.where(responses, flip_no, flip_yes) == 0
    if not certain.all():
        packed, items, responses = packed[certain], items[certain], responses[certain]
    order, starts = by_item(items)
    if len(starts) == len(items):
        return np.zeros(0, dtype=np.int64)
    possible = bitsets.consistent(packed[order], responses[order], classes)
    by_all = np.bitwise_and.reduceat(possible, starts, axis=0)
    return items[order][starts[~by_all.any(axis=1)]]


def refuse_contradiction(items: NDArray[np.int64], name: Callable[[int], str]) -> None:
    """Raise for the first of these items, if there are any. name: from an item's number to what it is called."""
    if len(items):
        raise ValueError(
            f"the answers about item {name(int(items[0]))} contradict each other: no class agrees with all of them; "
            "people who disagree are normal: estimate how often each errs (`oneof train --noise estimate`, "
            "oneof.noise.fit_with_noise), or give flip rates (flip_yes, flip_no) above zero"
        )
