"""Which answers belong together: those about one item, and those to one question."""

import numpy as np
from numpy.typing import NDArray

from oneof.answers.bitsets import Packed


def by_item(items: NDArray[np.int64]) -> tuple[slice | NDArray[np.int64], NDArray[np.int64]]:
    """An order that sorts the answers by item, and where each item starts in it.

    >>> by_item(np.array([7, 2, 7]))
    (array([1, 0, 2]), array([0, 1]))
    """
    order: slice | NDArray[np.int64] = slice(None)
    if (items[1:] < items[:-1]).any():
        order = np.argsort(items, kind="stable")
    ordered = items[order]
    return order, np.flatnonzero(np.concatenate([[len(ordered) > 0], ordered[1:] != ordered[:-1]]))


def by_question(items: NDArray[np.int64], packed: Packed) -> NDArray[np.int64]:
    """A number for each answer, (n,), which is the same where the item and the labels asked about are the same.

    >>> by_question(np.array([0, 1, 0]), np.array([[128], [128], [128]], dtype=np.uint8))
    array([0, 1, 0])
    """
    rows = np.concatenate([items.astype(">i8").view(np.uint8).reshape(len(items), 8), packed], axis=1)
    _, number = np.unique(rows, axis=0, return_inverse=True)
    return np.asarray(number.reshape(-1), dtype=np.int64)  # numpy 2.0 gives a column
