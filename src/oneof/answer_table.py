"""The columns of a file of answers, checked and turned into `Answers`: no Python loop over the rows.

Whatever is wrong is told with its place (line or row), column and value, and what was expected.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from oneof.answers import Answers

WORDS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
MOST_CLASSES = 1 << 20
"""A label number beyond this is taken as a mistake, unless the number of classes was given."""

Classes = int | tuple[str, ...]


@dataclass
class Table:
    """The columns of a file as read, before they are checked; `place` turns a row into words for an error."""

    path: Path
    place: Callable[[int], str]
    item: "pd.Series[Any]"
    labels: "pd.Series[Any]"
    """Every label of every subset, one after the other."""
    sizes: NDArray[np.int64]
    answer: "pd.Series[Any]"
    extra: dict[str, "pd.Series[Any]"]
    classes: Classes | None

    def answers(self, wanted: Classes | None) -> Answers:
        """The answers; `wanted` classes come before those that the file tells, and those before the labels seen."""
        n = len(self.sizes)
        self._refuse_odd_values()
        classes = wanted if wanted is not None else self.classes
        if classes is None:
            if not n:
                raise ValueError(f"{self.path}: no answers in it, and nothing that tells the classes: pass classes")
            classes = seen(self.labels)
            if isinstance(classes, int) and classes > MOST_CLASSES:
                raise ValueError(
                    f"{self.path}, column subset: label {classes - 1} would mean {classes} classes, "
                    "pass classes if there are that many"
                )
        codes, k, names = self._codes(classes)
        subsets = np.zeros((n, k), dtype=np.bool_)
        rows = np.repeat(np.arange(n), self.sizes)
        subsets[rows, codes] = True
        found = subsets.sum(axis=1)
        self._refuse(found != self.sizes, "subset", "names a label twice")
        self._refuse((found == 0) | (found == k), "subset", f"has {{}} labels, expected 1..{k - 1}", found)
        items, item_names = self._items()
        said = self._bits("answer", self.answer)
        optional: dict[str, Any] = {name: self._rates(name) for name in ("flip_yes", "flip_no") if name in self.extra}
        if "annotator" in self.extra:
            optional["annotators"] = self.extra["annotator"].fillna("").to_numpy(dtype=str)
        if "adaptive" in self.extra:
            optional["adaptive"] = self._bits("adaptive", self.extra["adaptive"])
        try:
            return Answers(subsets, said, items, class_names=names, item_names=item_names, **optional)
        except ValueError as error:
            raise ValueError(f"{self.path}: {error}") from None

    def _refuse_odd_values(self) -> None:
        """Labels and items are names or whole numbers; anything else (nothing, 1.5, a list) is a mistake."""
        row = _first_odd(self.item)
        if row is not None:
            raise self._error(row, "item", f"value {_shown(self.item, row)}, expected a name or a whole number")
        label = _first_odd(self.labels)
        if label is not None:
            row = int(np.searchsorted(np.cumsum(self.sizes), label, side="right"))
            raise self._error(row, "subset", f"label {_shown(self.labels, label)}, expected a name or a whole number")

    def _codes(self, classes: Classes) -> tuple[NDArray[np.int64], int, tuple[str, ...] | None]:
        """The number of each label in `labels`."""
        if isinstance(classes, int):
            codes = _whole_numbers(self.labels)
            bad = (codes < 0) | (codes >= classes)
            expected = f"expected a class number in 0..{classes - 1}"
        else:
            if len(set(classes)) < len(classes):
                raise ValueError(f"{self.path}: a class is named twice: {', '.join(sorted(classes))}")
            codes = pd.Index(classes).get_indexer(pd.Index(self.labels.astype(str))).astype(np.int64)
            bad = codes < 0
            expected = f"expected one of {', '.join(classes[:8])}{', ...' if len(classes) > 8 else ''}"
        if bad.any():
            first = int(np.flatnonzero(bad)[0])
            row = int(np.searchsorted(np.cumsum(self.sizes), first, side="right"))
            raise self._error(row, "subset", f"label {_shown(self.labels, first)}, {expected}")
        return (
            codes,
            classes if isinstance(classes, int) else len(classes),
            None if isinstance(classes, int) else classes,
        )

    def _items(self) -> tuple[NDArray[np.int64], tuple[str, ...] | None]:
        numbers = _whole_numbers(self.item)
        if (numbers >= 0).all():
            return numbers, None
        codes, unique = pd.factorize(self.item.astype(str))
        return codes.astype(np.int64), tuple(unique.to_numpy(dtype=object).tolist())

    def _bits(self, column: str, values: "pd.Series[Any]") -> NDArray[np.bool_]:
        codes, unique = pd.factorize(values, use_na_sentinel=False)
        known = np.array([WORDS.get(_word(value), -1) for value in unique], dtype=np.int64)
        bits = known[codes] if len(unique) else np.zeros(0, np.int64)
        if (bits < 0).any():
            row = int(np.flatnonzero(bits < 0)[0])
            raise self._error(row, column, f"value {_shown(values, row)}, expected yes or no (or true/false, 1/0)")
        return bits.astype(np.bool_)

    def _rates(self, column: str) -> NDArray[np.float64]:
        rates = pd.to_numeric(self.extra[column], errors="coerce").to_numpy(dtype=np.float64)
        if not ((rates >= 0) & (rates < 1)).all():
            row = int(np.flatnonzero(~((rates >= 0) & (rates < 1)))[0])
            raise self._error(row, column, f"value {_shown(self.extra[column], row)}, expected a rate in [0, 1)")
        return rates

    def _refuse(self, bad: NDArray[np.bool_], column: str, message: str, values: Any = None) -> None:
        if bad.any():
            row = int(np.flatnonzero(bad)[0])
            raise self._error(row, column, message.format(None if values is None else values[row]))

    def _error(self, row: int, column: str, message: str) -> ValueError:
        return ValueError(f"{self.path}, {self.place(row)}, column {column}: {message}")


def seen(labels: "pd.Series[Any]") -> Classes:
    """The classes that the labels themselves tell: 0..max for whole numbers, else the names in sorted order."""
    unique = pd.Series(labels.unique())
    numbers = _whole_numbers(unique)
    if (numbers >= 0).all():
        return max(2, int(numbers.max(initial=0)) + 1)
    return tuple(sorted(unique.astype(str)))


def _whole_numbers(values: "pd.Series[Any]") -> NDArray[np.int64]:
    """Each value as a whole number, or -1 where it is not one, written the ordinary way ("7", not "07" or "7.0")."""
    if pd.api.types.is_integer_dtype(values.dtype):
        return values.to_numpy(dtype=np.int64)
    texts = pa.array(values.astype(str), pa.string())
    whole = pc.match_substring_regex(texts, r"\A(0|[1-9][0-9]{0,17})\z")
    return np.asarray(pc.if_else(whole, texts, "-1").cast(pa.int64()), dtype=np.int64)


def _first_odd(values: "pd.Series[Any]") -> int | None:
    """Where the first value is that is neither text nor a whole number (from 0 on), or None."""
    kind = pd.api.types.infer_dtype(values, skipna=False)
    if kind == "integer":
        odd = values.to_numpy() < 0
    elif kind == "string":
        odd = values.to_numpy(dtype=object) == ""
    else:
        fine = [isinstance(value, (str, int)) and not isinstance(value, bool) and value != "" for value in values]
        odd = ~np.array(fine, dtype=np.bool_)
    return int(np.argmax(odd)) if odd.any() else None


def _shown(values: "pd.Series[Any]", row: int) -> str:
    value = values.iloc[row]
    return repr(value.item() if isinstance(value, np.generic) else value)


def _word(value: Any) -> str:
    return str(int(value)) if isinstance(value, (bool, np.bool_, int, np.integer)) else str(value).strip().lower()
