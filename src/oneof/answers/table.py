"""Answers: the table of questions and what was answered.

One answer is a subset L of the classes, a bit s (is the true class in L?) and the item it is about. An item may have
any number of answers. Where they are known, the table also has who answered, the flip rates, how the question was
chosen, and which answers are skips.
"""

import warnings
from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oneof.answers import bitsets, evidence, joining
from oneof.answers.checks import (
    DESIGNS,
    Names,
    as_bits,
    as_column,
    as_counts,
    as_designs,
    as_names,
    as_predicted,
    as_rates,
    as_responses,
    refuse_first,
    whole_numbers,
)
from oneof.answers.sources import Sources


class Answers(Sources):
    """An immutable table of n answers over k classes.

    subsets: bool (n, k), the labels asked about. responses: (n,), True for yes; also 1 and 0, or "yes", "no", "skip".
    items: int (n,), which row of X each answer is about; by default answer i is about item i.
    class_names: k names. annotators: (n,) names. item_names: names that `items` points into.
    flip_yes, flip_no: (n,) or numbers, P(no | truth yes) and P(yes | truth no) of each answer; zero means no flips.
    design: how the question was chosen: "uniform", "prediction", "adaptive" or "given", for all answers or for each.
    predicted: int (n,), the class that a question of design "prediction" was made from, -1 elsewhere.
    known_yes, known_no: (n,) or numbers, from how many answers of known truth each flip rate was estimated; None, or
    infinity, if the rate itself is known. randomised: (n,) or a number, the rate of flips on purpose, for privacy;
    it is part of the flip rates.
    skipped: bool (n,), True for "can't tell": such a row has no response and trains nothing.
    adaptive: bool (n,), another way to give the design "adaptive", as in older files.

    The subsets are kept with one bit for each label, in `packed`, and `subsets` unpacks them each time that it is used:
    if there are many answers, unpack some at a time, `answers[rows].subsets`.

    >>> answers = Answers([[True, True, False], [False, True, False]], [True, False])
    >>> len(answers), answers.classes
    (2, 3)
    >>> answers.consistent
    array([[ True,  True, False],
           [ True, False,  True]])
    """

    packed: bitsets.Packed
    classes: int
    """Number of classes k."""
    responses: NDArray[np.bool_]
    items: NDArray[np.int64]
    class_names: Names | None
    item_names: Names | None
    annotators: NDArray[np.str_] | None
    flip_yes: NDArray[np.float64] | None
    flip_no: NDArray[np.float64] | None
    design_codes: NDArray[np.uint8] | None
    """Places in `DESIGNS`; None if every question was uniform."""
    predicted: NDArray[np.int64] | None
    skipped: NDArray[np.bool_] | None
    known_yes: NDArray[np.float64] | None
    known_no: NDArray[np.float64] | None
    randomised: NDArray[np.float64] | None

    def __init__(
        self,
        subsets: ArrayLike | bitsets.Sets,
        responses: ArrayLike,
        items: ArrayLike | None = None,
        *,
        class_names: Sequence[str] | None = None,
        annotators: ArrayLike | None = None,
        flip_yes: ArrayLike | None = None,
        flip_no: ArrayLike | None = None,
        design: str | ArrayLike = "uniform",
        predicted: ArrayLike | None = None,
        skipped: ArrayLike | None = None,
        known_yes: ArrayLike | None = None,
        known_no: ArrayLike | None = None,
        randomised: ArrayLike | None = None,
        item_names: Sequence[str] | None = None,
        adaptive: ArrayLike | None = None,
    ) -> None:
        sets = subsets if isinstance(subsets, bitsets.Sets) else bitsets.Sets.of(as_bits(subsets, "subsets", ndim=2))
        n, k = len(sets.packed), sets.classes
        if k < 2:
            raise ValueError(f"subsets must have at least 2 classes (columns), not {k}")
        refuse_first(
            sets.trivial(), lambda i: f"subset has {bitsets.sizes(sets.packed[[i]])[0]} labels, expected 1..{k - 1}"
        )
        about = np.arange(n, dtype=np.int64) if items is None else np.asarray(items)
        if about.shape != (n,) or (n and about.dtype.kind not in "iu"):
            raise ValueError(f"items must be whole numbers of shape ({n},), not {about.dtype} {about.shape}")
        refuse_first(about < 0, lambda i: f"item {about[i]} is negative, expected a row number")
        yes, skips = as_responses(responses, skipped, n)
        columns = {
            "packed": sets.packed,
            "classes": k,
            "responses": yes,
            "items": about.astype(np.int64, copy=False),
            "class_names": as_names(class_names, k, "class"),
            "item_names": as_names(item_names, None, "item"),
            "annotators": None if annotators is None else as_column(np.asarray(annotators, dtype=str), n, "annotators"),
            "flip_yes": as_rates(flip_yes, n, "flip_yes"),
            "flip_no": as_rates(flip_no, n, "flip_no"),
            "design_codes": as_designs(_design(design, adaptive), n),
            "predicted": as_predicted(predicted, n, k),
            "skipped": skips,
            "known_yes": as_counts(known_yes, n, "known_yes"),
            "known_no": as_counts(known_no, n, "known_no"),
            "randomised": as_rates(randomised, n, "randomised"),
        }
        vars(self).update({name: _kept(column) for name, column in columns.items()})
        total = np.add(*self.flips(None, None))
        refuse_first(total >= 1, lambda i: f"flip_yes + flip_no is {total[i]:g}, expected less than 1")
        if self.item_names is not None and n and about.max() >= len(self.item_names):
            raise ValueError(f"item {about.max()} has no name: there are {len(self.item_names)} item names")
        self._check_predicted()

    def _check_predicted(self) -> None:
        decoys = self.has_design("prediction")
        if not decoys.any():
            return
        predicted = np.full(len(self), -1) if self.predicted is None else self.predicted
        message = 'a question of design "prediction" needs its class in predicted'
        refuse_first(decoys & (predicted < 0), lambda i: message)
        missing = decoys & ~bitsets.contains(self.packed, np.maximum(predicted, 0))
        refuse_first(missing, lambda i: f"the question does not contain {predicted[i]}, which it was made from")

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"answers cannot be changed: replace({name}=...) gives new ones")

    @classmethod
    def from_packed(
        cls,
        packed: bitsets.Packed,
        classes: int,
        responses: ArrayLike,
        items: ArrayLike | None = None,
        **columns: Any,
    ) -> Self:
        """From subsets with one bit for each label, uint8 (n, ceil(classes / 8)), as `np.packbits(subsets, axis=1)`.

        >>> Answers.from_packed(np.array([[160]], dtype=np.uint8), 3, [True]).subsets
        array([[ True, False,  True]])
        """
        return cls(bitsets.Sets(packed, classes), responses, items, **columns)

    def __len__(self) -> int:
        return len(self.packed)

    @property
    def subsets(self) -> NDArray[np.bool_]:
        """The labels asked about, bool (n, k)."""
        return _read_only(bitsets.unpack(self.packed, self.classes))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many labels each question has, int (n,)."""
        return bitsets.sizes(self.packed)

    def contains(self, labels: ArrayLike) -> NDArray[np.bool_]:
        """Whether the subset of answer i contains label i, (n,).

        >>> Answers([[True, False]] * 2, [True, True]).contains([0, 1])
        array([ True, False])
        """
        return bitsets.contains(self.packed, np.asarray(labels, dtype=np.int64))

    @property
    def yes(self) -> NDArray[np.bool_]:
        """Which answers are yes, bool (n,). The others are no or skips."""
        return self.responses

    @property
    def answered(self) -> "Answers":
        """The answers that are yes or no, without the skips."""
        return self if self.skipped is None else self[~self.skipped]

    @property
    def noisy(self) -> bool:
        """Whether any answer may be wrong, that is, has a flip rate above zero."""
        return self.flip_yes is not None or self.flip_no is not None

    @property
    def design(self) -> NDArray[np.str_]:
        """How each question was chosen, (n,): an entry of `DESIGNS`."""
        codes = np.zeros(len(self), np.uint8) if self.design_codes is None else self.design_codes
        return _read_only(np.array(DESIGNS)[codes])

    def has_design(self, *designs: str) -> NDArray[np.bool_]:
        """Which questions were chosen in one of these ways, bool (n,).

        >>> Answers([[True, False]] * 2, [True, True], design=["uniform", "given"]).has_design("uniform")
        array([ True, False])
        """
        wanted = [DESIGNS.index(name) for name in designs]
        if self.design_codes is None:
            return np.full(len(self), 0 in wanted)
        return np.isin(self.design_codes, wanted)

    @property
    def adaptive(self) -> NDArray[np.bool_]:
        """Which questions were chosen by looking at a model, bool (n,)."""
        return _read_only(self.has_design("adaptive"))

    @property
    def consistent(self) -> NDArray[np.bool_]:
        """The labels that each answer leaves possible, bool (n, k): the subset after a yes, its complement after a no.

        After a skip all labels are possible.
        """
        possible = bitsets.unpack(bitsets.consistent(self.packed, self.responses, self.classes), self.classes)
        return possible if self.skipped is None else possible | self.skipped[:, None]

    @property
    def signed(self) -> NDArray[np.int8]:
        """Subsets and responses in one array, int8 (n, k): +1 on the labels of L after a yes, -1 after a no, else 0.

        A warning names the columns that it does not hold, and `items` unless the answers go from item to item in order.
        """
        columns = ("flip_yes", "flip_no", "class_names", "item_names", "annotators", "randomised", "skipped")
        lost = [name for name in columns if getattr(self, name) is not None]
        lost += ["design"] * (self.design_codes is not None) + ["items"] * bool((np.diff(self.items) <= 0).any())
        if lost:
            warnings.warn(f"a signed array does not hold {', '.join(lost)}: pass the Answers themselves", stacklevel=2)
        signs = np.where(self.responses, 1, -1).astype(np.int8)
        if self.skipped is not None:
            signs[self.skipped] = 0
        return signs[:, None] * self.subsets

    def evidence(
        self, items: int | None = None, *, flip_yes: ArrayLike | None = None, flip_no: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """log P(all answers about an item | its class), for each item and class. (items, k).

        items: how many rows (default: up to the last item with answers); an item without answers gets zeros.
        Flip rates default to those of the answers.

        >>> Answers([[True, True, False], [False, True, True]], [True, True], items=[0, 0]).evidence()
        array([[-inf,   0., -inf]])
        """
        last = int(self.items.max(initial=-1))
        if items is not None and items <= last:
            raise ValueError(f"there are answers about item {last}, but only {items} items")
        inside, outside = evidence.log_probabilities(self.responses, *self.flips(flip_yes, flip_no))
        if self.skipped is not None:
            inside, outside = np.where(self.skipped, 0.0, inside), np.where(self.skipped, 0.0, outside)
        total = last + 1 if items is None else items
        found = evidence.collect(self.packed, self.classes, self.items, total, inside, outside)
        evidence.refuse_contradiction(np.flatnonzero(np.isneginf(found).all(axis=1)), self._item_name)
        return found

    def refuse_contradictions(self) -> None:
        """Raise if answers without flips about one item rule out every class: they cannot all be right."""
        known = self.answered
        bad = evidence.contradicted(known.packed, self.classes, known.items, known.responses, *known.flips(None, None))
        evidence.refuse_contradiction(bad, self._item_name)

    def _item_name(self, item: int) -> str:
        return str(item if self.item_names is None else self.item_names[item])

    def flips(
        self, flip_yes: ArrayLike | None, flip_no: ArrayLike | None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Both flip rates, (n,) each: the arguments if given, otherwise those of the answers, otherwise zeros."""
        rho1 = as_rates(self.flip_yes if flip_yes is None else flip_yes, len(self), "flip_yes")
        rho0 = as_rates(self.flip_no if flip_no is None else flip_no, len(self), "flip_no")
        zero = np.zeros(len(self))
        return (zero if rho1 is None else rho1), (zero if rho0 is None else rho0)

    def align(self, ids: Sequence[str] | Sequence[int] | NDArray[Any]) -> "Answers":
        """The same answers with `items` as row numbers of `ids`, where each item is looked up by its name.

        If items are known by row numbers only, pass range(n): then nothing has to be looked up.

        >>> Answers([[True, False]], [True], item_names=["b.png"]).align(["a.png", "b.png"]).items
        array([1])
        """
        if isinstance(ids, range) and ids == range(len(ids)) and self.item_names is None:
            message = f"is not among the {len(ids)} items"
            refuse_first(self.items >= len(ids), lambda i: f"item {self.items[i]} {message}", what="answer")
            return self
        return self.replace(items=joining.rows_of(ids, self), item_names=None)

    def named(self, *, class_names: Sequence[str] | None = None, item_names: Sequence[str] | None = None) -> "Answers":
        """The same answers with names for classes and items; item names that are whole numbers become row numbers.

        >>> Answers([[True, False]], [True]).named(class_names=["cat", "dog"]).class_names
        ('cat', 'dog')
        """
        if item_names is not None and whole_numbers(names := [str(name) for name in item_names]):
            numbers = np.array(names, dtype=np.int64)[self.items]
            return self.replace(class_names=class_names, item_names=None, items=numbers)
        return self.replace(class_names=class_names, item_names=item_names)

    def __getitem__(self, index: slice | ArrayLike) -> "Answers":
        rows = index if isinstance(index, slice) else np.atleast_1d(np.asarray(index))
        if isinstance(rows, np.ndarray):
            if rows.ndim != 1:
                raise ValueError(f"answers are indexed by row numbers (n,), not by an array of shape {rows.shape}")
            if rows.size == 0 and rows.dtype != np.bool_:
                rows = rows.astype(np.int64)
        columns = {name: getattr(self, name) for name in joining.COLUMNS}
        return self.replace(**{name: _read_only(c[rows]) for name, c in columns.items() if c is not None})

    def __add__(self, other: "Answers") -> "Answers":
        return Answers.concat([self, other])

    @staticmethod
    def concat(parts: Iterable["Answers"]) -> "Answers":
        """All answers of all parts, one after the other. A column that only some parts have is filled up.

        >>> a = Answers([[True, False]], [True])
        >>> len(Answers.concat([a, a]))
        2
        """
        return joining.join(list(parts))

    def replace(self, **changes: Any) -> "Answers":
        """The same answers with other values in some columns.

        >>> Answers([[True, False]], [True]).replace(flip_yes=0.1).flip_yes
        array([0.1])
        """
        columns = vars(self) | changes
        codes = columns.pop("design_codes")
        if "design" not in changes and codes is not None:
            columns["design"] = codes
        return Answers.from_packed(**columns)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Answers):
            return NotImplemented
        return all(_same(mine, vars(other)[name]) for name, mine in vars(self).items())

    __hash__ = None  # type: ignore[assignment]  # how Python says it; typeshed has a method there

    def __repr__(self) -> str:
        skips = "" if self.skipped is None else f"{int(self.skipped.sum())} skipped, "
        return f"Answers({len(self)} answers, {int(self.responses.sum())} yes, {skips}{self.classes} classes)"


def _design(design: str | ArrayLike, adaptive: ArrayLike | None) -> str | ArrayLike:
    if adaptive is None:
        return design
    if not (isinstance(design, str) and design == "uniform"):
        raise ValueError("design says which questions were adaptive: pass design or adaptive, not both")
    return np.where(as_bits(adaptive, "adaptive", ndim=1), "adaptive", "uniform")


def _kept(value: Any) -> Any:
    """An array that nobody can change: a copy, if the caller could still write to it."""
    if isinstance(value, np.ndarray) and value.flags.writeable:
        return _read_only(value.copy())
    return value


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return not isinstance(a, np.ndarray) and not isinstance(b, np.ndarray) and bool(a == b)
