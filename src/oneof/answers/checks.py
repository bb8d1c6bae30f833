"""What the columns of a set of answers must be like; the error names the first row that is not."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def as_bits(values: ArrayLike, name: str, ndim: int) -> NDArray[np.bool_]:
    """An array of true and false of so many dimensions, where 1 and 0 will do."""
    array = np.asarray(values)
    if array.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} dimension{'s' * (ndim > 1)}, not shape {array.shape}")
    if array.dtype != np.bool_:
        if array.size and (array.dtype.kind not in "iuf" or not np.isin(array, (0, 1)).all()):
            raise ValueError(f"{name} must be true or false (or 1 and 0), not {array.dtype}")
        array = array.astype(np.bool_)
    return array


def as_column(array: NDArray[Any], n: int, name: str) -> NDArray[Any]:
    """The array, which has one entry for each of n answers."""
    if array.shape != (n,):
        raise ValueError(f"{name} must have shape ({n},), one an answer, not {array.shape}")
    return array


def as_rates(values: ArrayLike | None, n: int, name: str) -> NDArray[np.float64] | None:
    """Flip rates (n,), from an array or one number."""
    if values is None:
        return None
    array = np.asarray(values, dtype=np.float64)
    array = as_column(np.full(n, array) if array.ndim == 0 else array, n, name)
    refuse_first(~((array >= 0) & (array < 1)), lambda i: f"{name} is {array[i]}, expected a rate in [0, 1)")
    return array


def as_names(names: Sequence[str] | None, count: int | None, what: str) -> tuple[str, ...] | None:
    """Unique names, as many as `count` says, of what there is: "class" or "item"."""
    if names is None:
        return None
    found = tuple(map(str, names))
    if "" in found:
        raise ValueError(f"{what} name number {found.index('')} is empty")
    if count is not None and len(found) != count:
        raise ValueError(f"there are {count} {what}es but {len(found)} {what} names")
    if len(set(found)) < len(found):
        twice = next(name for i, name in enumerate(found) if name in found[:i])
        raise ValueError(f"the {what} name {twice!r} appears twice")
    if what == "item" and found and all(name.isdecimal() and str(int(name)) == name for name in found):
        raise ValueError("item names that are all whole numbers are row numbers: pass them as items")
    return found


def refuse_first(bad: NDArray[np.bool_], message: Any, what: str = "row") -> None:
    """Raise at the first bad row; message: from the row to what is wrong with it."""
    rows = np.flatnonzero(bad)
    if len(rows):
        raise ValueError(f"{what} {rows[0]}: {message(rows[0])}")
