"""Checks of the columns of `Answers`; an error names the first row that is wrong."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

DESIGNS = ("uniform", "prediction", "adaptive", "given")
"""How a question was chosen: drawn at random; from a prediction and random other labels; by looking at a model; or it
was given, as with labels and candidate sets, so that nobody knows by what law."""

SKIP = -1
"""The code of a skip in `WORDS`, where yes is 1 and no is 0."""
WORDS = {
    **dict.fromkeys(("yes", "y", "true", "t", "1"), 1),
    **dict.fromkeys(("no", "n", "false", "f", "0"), 0),
    **dict.fromkeys(("skip", "skipped", "can't tell", "can’t tell"), SKIP),
}
"""What people write for yes, no and "can't tell"."""


def as_bits(values: ArrayLike, name: str, ndim: int) -> NDArray[np.bool_]:
    """The values as a bool array with `ndim` dimensions; 1 and 0 count as true and false."""
    array = np.asarray(values)
    if array.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} dimension{'s' * (ndim > 1)}, not shape {array.shape}")
    if array.dtype != np.bool_:
        if array.size and array.dtype.kind not in "iuf":
            raise ValueError(f"{name} must be true or false (or 1 and 0), not {array.dtype}")
        other = np.argwhere((array != 0) & (array != 1))
        if len(other):
            place = ", ".join(map(str, other[0]))
            raise ValueError(
                f"{name} must be true or false (or 1 and 0), but {name}[{place}] is {array[tuple(other[0])]}"
            )
        array = array.astype(np.bool_)
    return array


def as_column(array: NDArray[Any], n: int, name: str) -> NDArray[Any]:
    """The array, after a check that it has one entry for each of n answers."""
    if array.shape != (n,):
        raise ValueError(f"{name} must have shape ({n},), one entry for each answer, not {array.shape}")
    return array


def as_responses(
    responses: ArrayLike, skipped: ArrayLike | None, n: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_] | None]:
    """Which answers are yes, and which are skips (None if there are none), bool (n,) each. A skip counts as no yes.

    responses: true and false, 1 and 0, or words such as "yes", "n" and "skip".

    >>> as_responses(["yes", "skip", "n"], None, 3)
    (array([ True, False, False]), array([False,  True, False]))
    """
    array = np.asarray(responses)
    skips = np.zeros(n, np.bool_) if skipped is None else as_column(as_bits(skipped, "skipped", 1), n, "skipped")
    if array.dtype.kind in "OUT" and array.ndim == 1:
        words, place = np.unique(as_column(array, n, "responses").astype(str), return_inverse=True)
        codes = np.array([WORDS.get(word.strip().lower(), -2) for word in words], dtype=np.int64)[place]
        refuse_first((codes < SKIP) & ~skips, lambda i: f"response {str(array[i])!r}, expected yes, no or skip")
        yes = codes == 1
        skips = skips | (codes == SKIP)
    else:
        yes = as_column(as_bits(array, "responses", ndim=1), n, "responses")
    return (yes & ~skips, skips) if skips.any() else (yes, None)


def as_designs(design: str | ArrayLike, n: int) -> NDArray[np.uint8] | None:
    """The design of each question as its place in `DESIGNS`, (n,); None if all are uniform.

    >>> as_designs(["uniform", "given"], 2)
    array([0, 3], dtype=uint8)
    """
    array = np.atleast_1d(np.asarray(design))
    if array.dtype.kind in "OUT":
        names, place = np.unique(array.astype(str), return_inverse=True)
        for name in names:
            if name not in DESIGNS:
                row = int(np.argmax(array.astype(str) == name))
                raise ValueError(f"row {row}: design {str(name)!r}, expected one of {', '.join(DESIGNS)}")
        array = np.array([DESIGNS.index(name) for name in names], dtype=np.uint8)[place]
    elif array.size and (array.dtype != np.uint8 or array.max() >= len(DESIGNS)):
        raise ValueError(f"design must be one of {', '.join(DESIGNS)}, or one of them for each answer")
    codes = np.full(n, array[0], np.uint8) if np.ndim(design) == 0 else as_column(array.astype(np.uint8), n, "design")
    return codes if codes.any() else None


def as_predicted(predicted: ArrayLike | None, n: int, classes: int) -> NDArray[np.int64] | None:
    """The class that each question was made from, (n,), or -1 if it was made from none; None if all are -1."""
    if predicted is None:
        return None
    array = np.asarray(predicted)
    if n and array.dtype.kind not in "iu":
        raise ValueError(f"predicted must be class numbers of shape ({n},), not {array.dtype} {array.shape}")
    array = _repeated(array, n, "predicted").astype(np.int64, copy=False)
    refuse_first(
        (array < -1) | (array >= classes),
        lambda i: f"predicted is {array[i]}, expected a class in 0..{classes - 1}, or -1 for none",
    )
    return array if (array >= 0).any() else None


def as_rates(values: ArrayLike | None, n: int, name: str) -> NDArray[np.float64] | None:
    """Flip rates (n,), from an array or one number; None if all are zero, which means no flips."""
    if values is None:
        return None
    array = _repeated(np.asarray(values, dtype=np.float64), n, name)
    refuse_first(~((array >= 0) & (array < 1)), lambda i: f"{name} is {array[i]}, expected a rate in [0, 1)")
    return array if array.any() else None


def as_counts(values: ArrayLike | None, n: int, name: str) -> NDArray[np.float64] | None:
    """From how many answers each flip rate was estimated, (n,), from an array or one number; None if all are known."""
    if values is None:
        return None
    array = _repeated(np.asarray(values, dtype=np.float64), n, name)
    refuse_first(~(array >= 0), lambda i: f"{name} is {array[i]}, expected a number of answers, or infinity")
    return array if np.isfinite(array).any() else None


class Names(tuple[str, ...]):
    """Names that were checked, so that a slice of a table need not check them again."""


def as_names(names: Sequence[str] | None, count: int | None, what: str) -> Names | None:
    """Unique names, as many as `count` says. what: what they are names of, "class" or "item"."""
    if names is None:
        return None
    found = names if isinstance(names, Names) else Names(map(str, names))
    if count is not None and len(found) != count:
        raise ValueError(f"there are {count} {what}es but {len(found)} {what} names")
    if found is names:
        return found
    if "" in found:
        raise ValueError(f"{what} name number {found.index('')} is empty")
    if len(set(found)) < len(found):
        twice = Counter(found).most_common(1)[0][0]
        raise ValueError(f"the {what} name {twice!r} appears twice")
    if what == "item" and whole_numbers(found):
        raise ValueError("item names that are all whole numbers are row numbers: pass them as items")
    return found


def whole_numbers(names: Sequence[str]) -> bool:
    """Whether every name is a whole number, written without a sign or leading zeros."""
    return bool(names) and all(name.isdecimal() and str(int(name)) == name for name in names)


def listed(names: Sequence[str]) -> str:
    """The names as a list for a message, cut off after eight.

    >>> listed(["cat", "dog"])
    'cat, dog'
    """
    return ", ".join(names[:8]) + ", ..." * (len(names) > 8)


def refuse_first(bad: NDArray[np.bool_], message: Callable[[int], str], what: str = "row") -> None:
    """Raise for the first bad row, if there is one. message: from the number of a row to what is wrong with it."""
    rows = np.flatnonzero(bad)
    if len(rows):
        raise ValueError(f"{what} {rows[0]}: {message(rows[0])}")


def _repeated(array: NDArray[Any], n: int, name: str) -> NDArray[Any]:
    """One entry for each of n answers, from an array (n,) or a single number."""
    return as_column(np.full(n, array) if array.ndim == 0 else array, n, name)
