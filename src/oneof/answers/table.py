"""Answers: who was asked what, and what they said.

One answer is a subset L of the classes, a bit s (is the true class in L?) and the item it is about. An item may have
any number of answers. Who answered, and how often they flip, travels along where it is known.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oneof.answers import bitsets
from oneof.answers.checks import as_bits, as_column, as_names, as_rates, refuse_first


@dataclass(frozen=True, eq=False, init=False)
class Answers:
    """An immutable table of n answers over k classes.

    subsets: bool (n, k), the labels asked about. responses: bool (n,), True for yes.
    items: int (n,), which row of X each answer is about; by default answer i is about item i.
    class_names: k names. annotators: (n,) names. item_names: names that `items` points into.
    flip_yes, flip_no: (n,) or numbers, P(no | truth yes) and P(yes | truth no) of each answer.
    adaptive: bool (n,), True where the subset was chosen by looking at a model, not drawn at random.

    The subsets are kept with one bit a label, as `packed`, and `subsets` unpacks them anew each time: of many answers,
    take some at a time, `answers[rows].subsets`.

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

    packed: bitsets.Packed
    classes: int
    """Number of classes k."""
    responses: NDArray[np.bool_]
    items: NDArray[np.int64]
    class_names: tuple[str, ...] | None
    annotators: NDArray[np.str_] | None
    flip_yes: NDArray[np.float64] | None
    flip_no: NDArray[np.float64] | None
    adaptive: NDArray[np.bool_] | None
    item_names: tuple[str, ...] | None

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
        asked = as_bits(subsets, "subsets", ndim=2)
        self._fill(
            _read_only(bitsets.pack(asked)),
            asked.shape[1],
            responses,
            items,
            class_names=class_names,
            annotators=annotators,
            flip_yes=flip_yes,
            flip_no=flip_no,
            adaptive=adaptive,
            item_names=item_names,
        )

    @classmethod
    def from_packed(
        cls,
        packed: bitsets.Packed,
        classes: int,
        responses: ArrayLike,
        items: ArrayLike | None = None,
        **columns: Any,
    ) -> "Answers":
        """From subsets with one bit a label, uint8 (n, ceil(classes / 8)), as `np.packbits(subsets, axis=1)` gives.

        >>> Answers.from_packed(np.array([[160]], dtype=np.uint8), 3, [True]).subsets
        array([[ True, False,  True]])
        """
        if packed.dtype != np.uint8 or packed.ndim != 2 or packed.shape[1] != -(-classes // 8):
            raise ValueError(
                f"packed must be uint8 (n, {-(-classes // 8)}) for {classes} classes, not {packed.dtype} {packed.shape}"
            )
        spare = np.uint8((1 << (-classes % 8)) - 1)
        refuse_first((packed[:, -1] & spare) > 0, lambda i: f"packed has bits beyond the {classes} classes")
        answers = object.__new__(cls)
        answers._fill(packed, classes, responses, items, **columns)
        return answers

    def _fill(
        self,
        packed: bitsets.Packed,
        k: int,
        responses: ArrayLike,
        items: ArrayLike | None,
        *,
        class_names: Sequence[str] | None = None,
        annotators: ArrayLike | None = None,
        flip_yes: ArrayLike | None = None,
        flip_no: ArrayLike | None = None,
        adaptive: ArrayLike | None = None,
        item_names: Sequence[str] | None = None,
    ) -> None:
        """Check everything, and keep it."""
        n = len(packed)
        if k < 2:
            raise ValueError(f"subsets must have at least 2 classes (columns), not {k}")
        sizes = bitsets.sizes(packed)
        refuse_first((sizes == 0) | (sizes == k), lambda i: f"subset has {sizes[i]} labels, expected 1..{k - 1}")
        about = np.arange(n, dtype=np.int64) if items is None else np.asarray(items)
        if about.shape != (n,) or (n and about.dtype.kind not in "iu"):
            raise ValueError(f"items must be whole numbers of shape ({n},), not {about.dtype} {about.shape}")
        refuse_first(about < 0, lambda i: f"item {about[i]} is negative, expected a row number")
        said = as_bits(responses, "responses", ndim=1)
        self._set("packed", packed)
        self._set("classes", k)
        self._set("responses", as_column(said, n, "responses"))
        self._set("items", about.astype(np.int64, copy=False))
        self._set("class_names", as_names(class_names, k, "class"))
        self._set(
            "annotators", None if annotators is None else as_column(np.asarray(annotators, dtype=str), n, "annotators")
        )
        self._set("flip_yes", as_rates(flip_yes, n, "flip_yes"))
        self._set("flip_no", as_rates(flip_no, n, "flip_no"))
        chosen = None if adaptive is None else as_bits(adaptive, "adaptive", ndim=1)
        self._set("adaptive", None if chosen is None else as_column(chosen, n, "adaptive"))
        self._set("item_names", as_names(item_names, None, "item"))
        if self.flip_yes is not None or self.flip_no is not None:
            total = np.add(*self.flips(None, None))
            refuse_first(total >= 1, lambda i: f"flip_yes + flip_no is {total[i]:g}, expected less than 1")
        if self.item_names is not None and n and about.max() >= len(self.item_names):
            raise ValueError(f"item {about.max()} has no name: there are {len(self.item_names)} item names")

    def _set(self, name: str, value: Any) -> None:
        if isinstance(value, np.ndarray) and value.flags.writeable:
            value = _read_only(value.copy())  # whoever gave it may change it later
        object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.packed)

    @property
    def subsets(self) -> NDArray[np.bool_]:
        """The labels asked about, bool (n, k)."""
        return _read_only(bitsets.unpack(self.packed, self.classes))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many labels each answer was asked about, (n,)."""
        return bitsets.sizes(self.packed)

    def contains(self, labels: ArrayLike) -> NDArray[np.bool_]:
        """Whether the subset of answer i contains label i, (n,).

        >>> Answers([[True, False]] * 2, [True, True]).contains([0, 1])
        array([ True, False])
        """
        return bitsets.contains(self.packed, np.asarray(labels, dtype=np.int64))

    @property
    def yes(self) -> NDArray[np.bool_]:
        """Which answers are yes, bool (n,)."""
        return self.responses

    @property
    def consistent(self) -> NDArray[np.bool_]:
        """The labels each answer leaves possible: the subset after a yes, its complement after a no. bool (n, k)."""
        return bitsets.unpack(bitsets.consistent(self.packed, self.responses, self.classes), self.classes)

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
        refuse_first(yes & no, lambda i: "holds both +1 and -1, expected one sign: an answer is yes or no")
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
        evidence = np.zeros((total, self.classes))
        step = bitsets.rows_at_once(self.classes)
        for part in (slice(start, start + step) for start in range(0, len(self), step)):
            asked = bitsets.unpack(self.packed[part], self.classes)
            np.add.at(evidence, self.items[part], np.where(asked, if_in[part, None], if_out[part, None]))
        self._refuse_contradiction(np.flatnonzero(np.isneginf(evidence).all(axis=1)))
        return evidence

    def by_item(self) -> tuple[slice | NDArray[np.int64], NDArray[np.int64]]:
        """An order that brings the answers about an item together, items ascending, and where each item starts in it.

        >>> order, starts = Answers([[True, False]] * 3, [True] * 3, items=[7, 2, 7]).by_item()
        >>> order, starts
        (array([1, 0, 2]), array([0, 1]))
        """
        order: slice | NDArray[np.int64] = slice(None)
        if (self.items[1:] < self.items[:-1]).any():
            order = np.argsort(self.items, kind="stable")
        items = self.items[order]
        return order, np.flatnonzero(np.concatenate([[len(items) > 0], items[1:] != items[:-1]]))

    def refuse_contradictions(self) -> None:
        """Raise where the answers about an item rule out every class, which cannot be if all of them are right."""
        order, starts = self.by_item()
        if len(starts) == len(self):
            return
        possible = bitsets.consistent(self.packed[order], self.responses[order], self.classes)
        left = np.bitwise_and.reduceat(possible, starts, axis=0)
        self._refuse_contradiction(self.items[order][starts[~left.any(axis=1)]])

    def _refuse_contradiction(self, items: NDArray[Any]) -> None:
        if len(items):
            name = self.item_names[items[0]] if self.item_names else items[0]
            raise ValueError(
                f"the answers about item {name} contradict each other: no class agrees with all of them; "
                "give flip rates (flip_yes, flip_no) above zero if answers may be wrong"
            )

    def align(self, ids: Sequence[str] | Sequence[int] | NDArray[Any]) -> "Answers":
        """The same answers with `items` pointing at the rows of `ids`, where each item is looked up by its name.

        Items that are known by their row numbers have `ids` range(n): then nothing has to be looked up.

        >>> Answers([[True, False]], [True], item_names=["b.png"]).align(["a.png", "b.png"]).items
        array([1])
        """
        if isinstance(ids, range) and ids == range(len(ids)) and self.item_names is None:
            message = f"is not among the {len(ids)} items"
            refuse_first(self.items >= len(ids), lambda i: f"item {self.items[i]} {message}", what="answer")
            return self
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
        refuse_first(
            np.asarray(rows) < 0,
            lambda i: f"item {wanted[at[i]]!s} is not among the {len(index)} items",
            what="answer",
        )
        return self.replace(items=rows, item_names=None)

    def named(self, *, class_names: Sequence[str] | None = None, item_names: Sequence[str] | None = None) -> "Answers":
        """The same answers with names for the classes and for the items.

        >>> Answers([[True, False]], [True]).named(class_names=["cat", "dog"]).class_names
        ('cat', 'dog')
        """
        return self.replace(class_names=class_names, item_names=item_names)

    def __getitem__(self, index: slice | ArrayLike) -> "Answers":
        rows = index if isinstance(index, slice) else np.atleast_1d(np.asarray(index))
        if isinstance(rows, np.ndarray):
            if rows.ndim != 1:
                raise ValueError(f"answers are indexed by rows (n,), not by an array of shape {rows.shape}")
            if rows.size == 0 and rows.dtype != np.bool_:
                rows = rows.astype(np.int64)
        # Rows of what was checked need no check, which would read every name again.
        some = object.__new__(Answers)
        for name, value in ((f.name, getattr(self, f.name)) for f in fields(self)):
            kept = _read_only(value[rows]) if name in COLUMNS and value is not None else value
            object.__setattr__(some, name, kept)
        return some

    def __add__(self, other: "Answers") -> "Answers":
        return Answers.concat([self, other])

    @staticmethod
    def concat(parts: Iterable["Answers"]) -> "Answers":
        """All answers of all parts, one after the other. A column that only some parts have is filled in.

        >>> a = Answers([[True, False]], [True])
        >>> len(Answers.concat([a, a]))
        2
        """
        from oneof.answers.joining import join

        return join(list(parts))

    def save(self, path: str | Path) -> None:
        """Write to .csv, .jsonl, .parquet or .npz, by suffix: whole or not at all. `load` gives the same back."""
        from oneof.answers.files import save

        save(self, Path(path))

    @classmethod
    def load(cls, path: str | Path, *, classes: int | Sequence[str] | None = None) -> "Answers":
        """Read answers from .csv, .jsonl, .parquet or .npz.

        Columns: item, subset (labels joined by `|` in csv, a list elsewhere), answer (yes/no, true/false, 1/0), and
        optionally annotator, flip_yes, flip_no, adaptive. classes: how many, or their names in order; by default
        what the file says, or else the labels seen in it.
        """
        from oneof.answers.files import load

        return load(Path(path), classes=classes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Answers):
            return NotImplemented
        return all(_same(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        yes = int(self.responses.sum())
        return f"Answers({len(self)} answers, {yes} yes, {self.classes} classes)"

    def replace(self, **changes: Any) -> "Answers":
        """The same answers with some columns exchanged."""
        return Answers.from_packed(**{f.name: getattr(self, f.name) for f in fields(self)} | changes)

    def _item_count(self, items: int | None) -> int:
        last = int(self.items.max(initial=-1))
        if items is not None and items <= last:
            raise ValueError(f"there are answers about item {last}, but only {items} items")
        return last + 1 if items is None else items

    def flips(
        self, flip_yes: ArrayLike | None, flip_no: ArrayLike | None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The rates to use, as two arrays (n,): those given, or else those carried along, or else none."""
        rho1 = as_rates(self.flip_yes if flip_yes is None else flip_yes, len(self), "flip_yes")
        rho0 = as_rates(self.flip_no if flip_no is None else flip_no, len(self), "flip_no")
        zero = np.zeros(len(self))
        return (zero if rho1 is None else rho1), (zero if rho0 is None else rho0)


COLUMNS: dict[str, Any] = {
    "packed": None,
    "responses": None,
    "items": None,
    "annotators": "",
    "flip_yes": 0.0,
    "flip_no": 0.0,
    "adaptive": False,
}
"""The columns with one entry an answer, and what stands in where a part lacks one."""


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return not isinstance(a, np.ndarray) and not isinstance(b, np.ndarray) and bool(a == b)
