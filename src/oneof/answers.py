"""Answers: who was asked what, and what they said.

One answer is a subset L of the classes, a bit s (is the true class in L?) and the item it is about. An item may have
any number of answers. Who answered, and how often they flip, travels along where it is known.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oneof.queries.moment import consistent_sets


@dataclass(frozen=True, eq=False)
class Answers:
    """An immutable table of n answers over k classes.

    subsets: bool (n, k), the labels asked about. responses: bool (n,), True for yes.
    items: int (n,), which row of X each answer is about; by default answer i is about item i.
    class_names: k names. annotators: (n,) names. item_names: names that `items` points into.
    flip_yes, flip_no: (n,) or numbers, P(no | truth yes) and P(yes | truth no) of each answer.
    adaptive: bool (n,), True where the subset was chosen by looking at a model, not drawn at random.

    >>> answers = Answers([[True, True, False], [False, True, False]], [True, False])
    >>> len(answers), answers.classes
    (2, 3)
    >>> answers.signed
    array([[ 1,  1,  0],
           [ 0, -1,  0]], dtype=int8)
    >>> answers.consistent
    array([[ True,  True, False],
           [ True, False,  True]])
    """

    subsets: NDArray[np.bool_]
    responses: NDArray[np.bool_]
    items: NDArray[np.int64]
    class_names: tuple[str, ...] | None = field(default=None, kw_only=True)
    annotators: NDArray[np.str_] | None = field(default=None, kw_only=True)
    flip_yes: NDArray[np.float64] | None = field(default=None, kw_only=True)
    flip_no: NDArray[np.float64] | None = field(default=None, kw_only=True)
    adaptive: NDArray[np.bool_] | None = field(default=None, kw_only=True)
    item_names: tuple[str, ...] | None = field(default=None, kw_only=True)

    def __init__(
        self,
        subsets: ArrayLike,
        responses: ArrayLike,
        items: ArrayLike | None = None,
        *,
        class_names: Sequence[str] | None = None,
        annotators: ArrayLike | None = None,
        flip_yes: ArrayLike | None = None,
        flip_no: ArrayLike | None = None,
        adaptive: ArrayLike | None = None,
        item_names: Sequence[str] | None = None,
    ) -> None:
        asked = _bits(subsets, "subsets", ndim=2)
        n, k = asked.shape
        if k < 2:
            raise ValueError(f"subsets must have at least 2 classes (columns), not {k}")
        sizes = asked.sum(axis=1)
        _refuse_first((sizes == 0) | (sizes == k), lambda i: f"subset has {sizes[i]} labels, expected 1..{k - 1}")
        about = np.arange(n, dtype=np.int64) if items is None else np.asarray(items)
        if about.shape != (n,) or (n and about.dtype.kind not in "iu"):
            raise ValueError(f"items must be whole numbers of shape ({n},), not {about.dtype} {about.shape}")
        _refuse_first(about < 0, lambda i: f"item {about[i]} is negative, expected a row number")
        said = _bits(responses, "responses", ndim=1)
        self._set("subsets", asked)
        self._set("responses", _column(said, n, "responses"))
        self._set("items", about.astype(np.int64))
        self._set("class_names", _names(class_names, k, "class"))
        self._set(
            "annotators", None if annotators is None else _column(np.asarray(annotators, dtype=str), n, "annotators")
        )
        self._set("flip_yes", _rates(flip_yes, n, "flip_yes"))
        self._set("flip_no", _rates(flip_no, n, "flip_no"))
        self._set("adaptive", None if adaptive is None else _column(_bits(adaptive, "adaptive", ndim=1), n, "adaptive"))
        self._set("item_names", _names(item_names, None, "item"))
        if self.flip_yes is not None or self.flip_no is not None:
            total = (
                np.zeros(n)
                + (0 if self.flip_yes is None else self.flip_yes)
                + (0 if self.flip_no is None else self.flip_no)
            )
            _refuse_first(total >= 1, lambda i: f"flip_yes + flip_no is {total[i]:g}, expected less than 1")
        if self.item_names is not None and n and about.max() >= len(self.item_names):
            raise ValueError(f"item {about.max()} has no name: there are {len(self.item_names)} item names")

    def _set(self, name: str, value: Any) -> None:
        if isinstance(value, np.ndarray) and value.flags.writeable:
            value = value.copy()  # whoever gave it may change it later
            value.flags.writeable = False
        object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.subsets)

    @property
    def classes(self) -> int:
        """Number of classes k."""
        return int(self.subsets.shape[1])

    @property
    def yes(self) -> NDArray[np.bool_]:
        """Which answers are yes, bool (n,)."""
        return self.responses

    @property
    def consistent(self) -> NDArray[np.bool_]:
        """The labels each answer leaves possible: the subset after a yes, its complement after a no. bool (n, k)."""
        return consistent_sets(self.subsets, self.responses)

    @property
    def signed(self) -> NDArray[np.int8]:
        """+1 on the asked labels after a yes, -1 after a no, 0 elsewhere: L and s in one array. int8 (n, k)."""
        return np.where(self.responses, 1, -1).astype(np.int8)[:, None] * self.subsets

    @classmethod
    def from_signed(cls, signed: ArrayLike, items: ArrayLike | None = None, **columns: Any) -> "Answers":
        """The inverse of `signed`: an array (n, k) of +1, -1 and 0.

        >>> Answers.from_signed([[0, -1, -1]]).consistent
        array([[ True, False, False]])
        """
        array = np.asarray(signed)
        if array.ndim != 2 or not np.isin(array, (-1, 0, 1)).all():
            raise ValueError(f"signed must be an array (n, classes) of -1, 0 and +1, not shape {array.shape}")
        yes, no = (array == 1).any(axis=1), (array == -1).any(axis=1)
        _refuse_first(yes & no, lambda i: "holds both +1 and -1, expected one sign: an answer is yes or no")
        return cls(array != 0, yes, items, **columns)

    def evidence(
        self, items: int | None = None, *, flip_yes: ArrayLike | None = None, flip_no: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """Log-likelihood of everything said about an item, for each class it might be. (items, k).

        e_ij = sum over the answers q about item i of log P(s_q | class j, L_q): 0 or -inf without noise, and
        log(1 - rate) or log(rate) with flip rates, which default to the ones that the answers carry.
        items: how many rows (default: up to the last item asked about); an item never asked about gets zeros.

        >>> Answers([[True, True, False], [False, True, True]], [True, True], items=[0, 0]).evidence()
        array([[-inf,   0., -inf]])
        """
        total = self._item_count(items)
        rho1, rho0 = self.flips(flip_yes, flip_no)
        with np.errstate(divide="ignore"):
            if_in = np.where(self.responses, np.log1p(-rho1), np.log(rho1))
            if_out = np.where(self.responses, np.log(rho0), np.log1p(-rho0))
        per_answer = np.where(self.subsets, if_in[:, None], if_out[:, None])
        evidence = np.zeros((total, self.classes))
        np.add.at(evidence, self.items, per_answer)
        ruled_out = np.flatnonzero(np.isneginf(evidence).all(axis=1))
        if len(ruled_out):
            name = self.item_names[ruled_out[0]] if self.item_names else ruled_out[0]
            raise ValueError(
                f"the answers about item {name} contradict each other: no class agrees with all of them; "
                "give flip rates (flip_yes, flip_no) above zero if answers may be wrong"
            )
        return evidence

    def align(self, ids: Sequence[str] | Sequence[int] | NDArray[Any]) -> "Answers":
        """The same answers with `items` pointing at the rows of `ids`, where each item is looked up by its name.

        >>> Answers([[True, False]], [True], item_names=["b.png"]).align(["a.png", "b.png"]).items
        array([1])
        """
        import pandas as pd

        index = pd.Index(np.asarray(ids).astype(str))
        if not index.is_unique:
            raise ValueError(
                f"item {index[index.duplicated()][0]!r} appears twice among the items, expected unique ids"
            )
        wanted: NDArray[Any]
        if self.item_names is None:
            wanted, at = np.unique(self.items, return_inverse=True)
        else:
            wanted, at = np.array(self.item_names, dtype=str), self.items
        rows = index.get_indexer(pd.Index(wanted.astype(str)))[at] if len(self) else self.items
        _refuse_first(
            np.asarray(rows) < 0,
            lambda i: f"item {wanted[at[i]]!s} is not among the {len(index)} items",
            what="answer",
        )
        return self._with(items=rows, item_names=None)

    def named(self, *, class_names: Sequence[str] | None = None, item_names: Sequence[str] | None = None) -> "Answers":
        """The same answers with names for the classes and for the items.

        >>> Answers([[True, False]], [True]).named(class_names=["cat", "dog"]).class_names
        ('cat', 'dog')
        """
        return self._with(class_names=class_names, item_names=item_names)

    def __getitem__(self, index: slice | ArrayLike) -> "Answers":
        rows = index if isinstance(index, slice) else np.atleast_1d(np.asarray(index))
        if isinstance(rows, np.ndarray) and rows.size == 0 and rows.dtype != np.bool_:
            rows = rows.astype(np.int64)
        return self._with(**{name: getattr(self, name)[rows] for name in _COLUMNS if getattr(self, name) is not None})

    def __add__(self, other: "Answers") -> "Answers":
        return Answers.concat([self, other])

    @staticmethod
    def concat(parts: Iterable["Answers"]) -> "Answers":
        """All answers of all parts, one after the other. A column that only some parts have is filled in.

        >>> a = Answers([[True, False]], [True])
        >>> len(Answers.concat([a, a]))
        2
        """
        parts = list(parts)
        if not parts:
            raise ValueError("nothing to concatenate")
        first = parts[0]
        for part in parts[1:]:
            if (part.classes, part.class_names) != (first.classes, first.class_names):
                raise ValueError(
                    f"answers over {part.classes} classes ({_shown(part.class_names)}) cannot join answers over "
                    f"{first.classes} classes ({_shown(first.class_names)})"
                )
        columns: dict[str, Any] = {}
        for name, missing in _COLUMNS.items():
            if name != "items" and any(getattr(part, name) is not None for part in parts):
                columns[name] = np.concatenate(
                    [
                        np.full(len(part), missing) if getattr(part, name) is None else getattr(part, name)
                        for part in parts
                    ]
                )
        named = [part.item_names is not None for part in parts]
        if any(named) and not all(named):
            raise ValueError("some answers name their items and some give row numbers: align them first")
        if all(named):
            union = tuple(dict.fromkeys(name for part in parts for name in part.item_names or ()))
            place = {name: row for row, name in enumerate(union)}
            columns["items"] = np.concatenate(
                [
                    np.array([place[name] for name in part.item_names or ()], dtype=np.int64)[part.items]
                    for part in parts
                ]
            )
            return first._with(**columns, item_names=union)
        columns["items"] = np.concatenate([part.items for part in parts])
        return first._with(**columns)

    def save(self, path: str | Path) -> None:
        """Write to .csv, .jsonl, .parquet or .npz, by suffix: whole or not at all. `load` gives the same back."""
        from oneof.answer_files import save

        save(self, Path(path))

    @classmethod
    def load(cls, path: str | Path, *, classes: int | Sequence[str] | None = None) -> "Answers":
        """Read answers from .csv, .jsonl, .parquet or .npz.

        Columns: item, subset (labels joined by `|` in csv, a list elsewhere), answer (yes/no, true/false, 1/0), and
        optionally annotator, flip_yes, flip_no, adaptive. classes: how many, or their names in order; by default
        what the file says, or else the labels seen in it.
        """
        from oneof.answer_files import load

        return load(Path(path), classes=classes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Answers):
            return NotImplemented
        return all(_same(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        yes = int(self.responses.sum())
        return f"Answers({len(self)} answers, {yes} yes, {self.classes} classes)"

    def _with(self, **changes: Any) -> "Answers":
        return Answers(**{f.name: getattr(self, f.name) for f in fields(self)} | changes)

    def _item_count(self, items: int | None) -> int:
        last = int(self.items.max(initial=-1))
        if items is not None and items <= last:
            raise ValueError(f"there are answers about item {last}, but only {items} items")
        return last + 1 if items is None else items

    def flips(
        self, flip_yes: ArrayLike | None, flip_no: ArrayLike | None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The rates to use, as two arrays (n,): those given, or else those carried along, or else none."""
        rho1 = _rates(self.flip_yes if flip_yes is None else flip_yes, len(self), "flip_yes")
        rho0 = _rates(self.flip_no if flip_no is None else flip_no, len(self), "flip_no")
        zero = np.zeros(len(self))
        return (zero if rho1 is None else rho1), (zero if rho0 is None else rho0)


_COLUMNS: dict[str, Any] = {
    "subsets": None,
    "responses": None,
    "items": None,
    "annotators": "",
    "flip_yes": 0.0,
    "flip_no": 0.0,
    "adaptive": False,
}
"""The columns with one entry an answer, and what stands in where a part lacks one."""


def _bits(values: ArrayLike, name: str, ndim: int) -> NDArray[np.bool_]:
    array = np.asarray(values)
    if array.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} dimension{'s' * (ndim > 1)}, not shape {array.shape}")
    if array.dtype != np.bool_:
        if array.size and (array.dtype.kind not in "iuf" or not np.isin(array, (0, 1)).all()):
            raise ValueError(f"{name} must be true or false (or 1 and 0), not {array.dtype}")
        array = array.astype(np.bool_)
    return array


def _column(array: NDArray[Any], n: int, name: str) -> NDArray[Any]:
    if array.shape != (n,):
        raise ValueError(f"{name} must have shape ({n},), one an answer, not {array.shape}")
    return array


def _rates(values: ArrayLike | None, n: int, name: str) -> NDArray[np.float64] | None:
    if values is None:
        return None
    array = np.asarray(values, dtype=np.float64)
    array = _column(np.full(n, array) if array.ndim == 0 else array, n, name)
    _refuse_first(~((array >= 0) & (array < 1)), lambda i: f"{name} is {array[i]}, expected a rate in [0, 1)")
    return array


def _names(names: Sequence[str] | None, count: int | None, what: str) -> tuple[str, ...] | None:
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


def _refuse_first(bad: NDArray[np.bool_], message: Any, what: str = "row") -> None:
    rows = np.flatnonzero(bad)
    if len(rows):
        raise ValueError(f"{what} {rows[0]}: {message(rows[0])}")


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return not isinstance(a, np.ndarray) and not isinstance(b, np.ndarray) and bool(a == b)


def _shown(names: tuple[str, ...] | None) -> str:
    return "not named" if names is None else ", ".join(names[:8]) + ", ..." * (len(names) > 8)
