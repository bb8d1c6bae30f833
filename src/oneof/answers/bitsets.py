"""Sets of labels with one bit per label, as `np.packbits` makes them: k/8 bytes per set instead of k."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from oneof.answers.checks import refuse_first

Packed = NDArray[np.uint8]
"""n sets of labels, (n, ceil(k / 8)); the bits after the last label are 0."""


@dataclass(frozen=True)
class Sets:
    """Packed sets and the number of classes, checked against each other.

    >>> Sets.of(np.array([[True, False, True]])).packed
    array([[160]], dtype=uint8)
    """

    packed: Packed
    classes: int

    def __post_init__(self) -> None:
        width = -(-self.classes // 8)
        if self.packed.dtype != np.uint8 or self.packed.ndim != 2 or self.packed.shape[1] != width:
            shape = f"{self.packed.dtype} {self.packed.shape}"
            raise ValueError(f"packed must be uint8 (n, {width}) for {self.classes} classes, not {shape}")
        spare = np.uint8((1 << (-self.classes % 8)) - 1)
        if spare:
            message = f"packed has bits beyond the {self.classes} classes"
            refuse_first((self.packed[:, -1] & spare) > 0, lambda i: message)

    @classmethod
    def of(cls, sets: NDArray[np.bool_]) -> Self:
        """From bool (n, k)."""
        return cls(pack(sets), sets.shape[1])

    def trivial(self) -> NDArray[np.bool_]:
        """Which sets hold no label, or all labels, bool (n,). Needs less memory than `sizes`."""
        everything = pack(np.ones((1, self.classes), dtype=np.bool_))
        return np.asarray(~self.packed.any(axis=1) | (self.packed == everything).all(axis=1))


def pack(sets: NDArray[np.bool_]) -> Packed:
    """Packed sets from bool (n, k).

    >>> pack(np.array([[True, False, True]]))
    array([[160]], dtype=uint8)
    """
    return np.packbits(sets, axis=1)


def unpack(packed: Packed, classes: int) -> NDArray[np.bool_]:
    """The sets as bool (n, k).

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
    """The labels that each answer leaves possible: the set after a yes, its complement after a no.

    >>> consistent(np.array([[160]], dtype=np.uint8), np.array([False]), classes=3)
    array([[64]], dtype=uint8)
    """
    everything = pack(np.ones((1, classes), dtype=np.bool_))
    return packed ^ np.where(responses[:, None], np.uint8(0), everything)


def rows_at_once(classes: int) -> int:
    """How many sets may be unpacked at a time, so that they take some megabytes at most."""
    return max(1, min(1 << 16, (1 << 24) // classes))
