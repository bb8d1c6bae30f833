"""Sets of labels with one bit a label: k/8 bytes a set in place of k. Rows as `np.packbits` makes them."""

import numpy as np
from numpy.typing import NDArray

Packed = NDArray[np.uint8]
"""n sets of labels, (n, ceil(k / 8)); the bits after the last label are 0."""


def pack(sets: NDArray[np.bool_]) -> Packed:
    """From bool (n, k).

    >>> pack(np.array([[True, False, True]]))
    array([[160]], dtype=uint8)
    """
    return np.packbits(sets, axis=1)


def unpack(packed: Packed, classes: int) -> NDArray[np.bool_]:
    """Back to bool (n, k).

    >>> unpack(np.array([[160]], dtype=np.uint8), classes=3)
    array([[ True, False,  True]])
    """
    return np.unpackbits(packed, axis=1, count=classes).view(np.bool_)


def sizes(packed: Packed) -> NDArray[np.int64]:
    """How many labels are in each set, (n,).

    >>> sizes(np.array([[160]], dtype=np.uint8))
    array([2])
    """
    return np.asarray(np.bitwise_count(packed).sum(axis=1, dtype=np.int64))


def contains(packed: Packed, labels: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether label i is in set i, (n,).

    >>> contains(np.array([[160], [160]], dtype=np.uint8), np.array([1, 2]))
    array([False,  True])
    """
    bytes_ = np.take_along_axis(packed, labels[:, None] >> 3, axis=1)[:, 0]
    return (bytes_ << (labels & 7).astype(np.uint8) & 128).astype(np.bool_)


def consistent(packed: Packed, responses: NDArray[np.bool_], classes: int) -> Packed:
    """The labels each answer leaves possible: the set after a yes, its complement after a no.

    >>> consistent(np.array([[160]], dtype=np.uint8), np.array([False]), classes=3)
    array([[64]], dtype=uint8)
    """
    everything = pack(np.ones((1, classes), dtype=np.bool_))
    return packed ^ np.where(responses[:, None], np.uint8(0), everything)


def rows_at_once(classes: int) -> int:
    """How many sets to unpack together: some megabytes, however many classes there are."""
    return max(1, min(1 << 16, (1 << 24) // classes))
