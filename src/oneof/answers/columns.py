"""The columns of a file of answers, checked and turned into `Answers`, without a Python loop over the rows.

An error names the place (line or row), the column, the value, and what was expected.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from oneof.answers import bitsets
from oneof.answers.checks import DESIGNS, SKIP, WORDS, listed
from oneof.answers.table import Answers

MOST_CLASSES = 1 << 20
"""A label number beyond this is taken as a mistake, unless the number of classes was given."""

Classes = int | tuple[str, ...]
"""How many classes there are, or their names in order."""


@dataclass
class Table:
    """Rows of a file as read, before they are checked; `place` gives the words for a row of the file in an error."""

    path: Path | str
    place: Callable[[int], str]
    item: "pd.Series[Any]"
    labels: "pd.Series[Any]"
    """The labels of all subsets, one after the other."""
    sizes: NDArray[np.int64]
    answer: "pd.Series[Any]"
    extra: dict[str, "pd.Series[Any]"]
    first: int = 0
    """The number of the first of these rows in the file."""

    def columns(self, classes: Classes) -> dict[str, NDArray[Any]]:
        """The columns of `Answers` except `items`, checked."""
        self.refuse_bad_values()
        columns: dict[str, NDArray[Any]] = {"packed": self._packed(classes)}
        codes = self._words("answer", self.answer, "yes or no (or y/n, true/false, 1/0), or skip")
        columns["responses"], columns["skipped"] = codes == 1, codes == SKIP
        columns |= {name: self._rates(name) for name in ("flip_yes", "flip_no") if name in self.extra}
        columns |= {name: self._counts(name) for name in ("known_yes", "known_no") if name in self.extra}
        if "randomised" in self.extra:
            columns["randomised"] = self._rates("randomised")
        if "annotator" in self.extra:
            columns["annotators"] = self.extra["annotator"].fillna("").to_numpy(dtype=str)
        if "design" in self.extra:
            columns["design"] = self._designs()
        elif "adaptive" in self.extra:  # in older files, instead of the design
            adaptive = self._words("adaptive", self.extra["adaptive"], "yes or no (or true/false, 1/0)") == 1
            columns["design"] = np.where(adaptive, np.uint8(DESIGNS.index("adaptive")), np.uint8(0))
        if "predicted" in self.extra:
            columns["predicted"] = self._predicted(classes)
        return columns

    def _packed(self, classes: Classes) -> bitsets.Packed:
        """The subsets with one bit per label; only some rows at a time take one byte per label."""
        codes, k = self._codes(classes), classes if isinstance(classes, int) else len(classes)
        n, step = len(self.sizes), bitsets.rows_at_once(k)
        ends = np.concatenate([[0], np.cumsum(self.sizes)])
        packed = np.zeros((n, -(-k // 8)), dtype=np.uint8)
        for start in range(0, n, step):
            stop = min(n, start + step)
            subsets = np.zeros((stop - start, k), dtype=np.bool_)
            rows = np.repeat(np.arange(stop - start), self.sizes[start:stop])
            subsets[rows, codes[ends[start] : ends[stop]]] = True
            packed[start:stop] = bitsets.pack(subsets)
        found = bitsets.sizes(packed)
        if (found != self.sizes).any():
            raise self._error(int(np.argmax(found != self.sizes)), "subset", "names a label twice")
        trivial = (found == 0) | (found == k)
        if trivial.any():
            row = int(np.argmax(trivial))
            expected = f"has {found[row]} labels, expected 1..{k - 1}" if k > 1 else "shows the only class there is"
            more = "; are there more classes than occur here? list them in a column `classes`, or pass classes"
            raise self._error(row, "subset", expected + more * bool(found[row] == k))
        return packed

    def refuse_bad_values(self) -> None:
        """Raise for a label or an item that is not a name or a whole number, such as an empty cell, 1.5 or a list."""
        expected = "expected a name or a whole number"
        self._refuse(_bad_values(self.item), "item", self.item, expected)
        self._refuse_labels(_bad_values(self.labels), expected)

    def _codes(self, classes: Classes) -> NDArray[np.int64]:
        """The class number of each label in `labels`."""
        codes, expected = numbers_of(self.labels, classes)
        self._refuse_labels(codes < 0, expected)
        return codes

    def _predicted(self, classes: Classes) -> NDArray[np.int64]:
        """The class that each question was made from; -1 where the cell is empty."""
        values = self.extra["predicted"]
        # A blank is not empty: it may be the name of a class.
        empty = (values.isna() | (values.astype(str) == "")).to_numpy(dtype=np.bool_)
        labels = values[~empty]
        if pd.api.types.is_float_dtype(labels.dtype):  # pandas makes whole numbers fractions where cells are empty
            whole = labels % 1 == 0
            labels = labels.where(whole, 0).astype(np.int64).astype(str).where(whole, labels.astype(str))
        codes = np.full(len(values), -1, dtype=np.int64)
        codes[~empty], expected = numbers_of(labels, classes)
        self._refuse((codes < 0) & ~empty, "predicted", values, expected)
        return codes

    def _designs(self) -> NDArray[np.uint8]:
        values = self.extra["design"].fillna("").astype(str).str.strip().replace("", "uniform")
        codes = pd.Index(DESIGNS).get_indexer(pd.Index(values))
        self._refuse(codes < 0, "design", values, f"expected one of {', '.join(DESIGNS)}")
        return codes.astype(np.uint8)

    def _words(self, column: str, values: "pd.Series[Any]", expected: str) -> NDArray[np.int64]:
        """1 for yes, 0 for no, SKIP for a skip."""
        codes, unique = pd.factorize(values, use_na_sentinel=False)
        known = np.array([WORDS.get(_word(value), -2) for value in unique], dtype=np.int64)
        found = known[codes] if len(unique) else np.zeros(0, np.int64)
        self._refuse(found < SKIP, column, values, f"expected {expected}")
        return found

    def _rates(self, column: str) -> NDArray[np.float64]:
        rates = _numbers(self.extra[column])
        self._refuse(~((rates >= 0) & (rates < 1)), column, self.extra[column], "expected a rate in [0, 1)")
        return rates

    def _counts(self, column: str) -> NDArray[np.float64]:
        """From how many answers a flip rate was estimated; an empty cell is a rate that is known."""
        values = self.extra[column]
        empty = (values.isna() | (values.astype(str).str.strip() == "")).to_numpy(dtype=np.bool_)
        counts = np.where(empty, np.inf, _numbers(values))
        self._refuse(~(counts >= 0), column, values, "expected a number of answers")
        return counts

    def _refuse(self, bad: NDArray[np.bool_], column: str, values: "pd.Series[Any]", expected: str) -> None:
        """Raise for the first bad row, with its value."""
        if bad.any():
            row = int(np.argmax(bad))
            raise self._error(row, column, f"value {_shown(values, row)}, {expected}")

    def _refuse_labels(self, bad: NDArray[np.bool_], expected: str) -> None:
        """Raise for the first bad label of a subset."""
        if bad.any():
            first = int(np.argmax(bad))
            row = int(np.searchsorted(np.cumsum(self.sizes), first, side="right"))
            raise self._error(row, "subset", f"label {_shown(self.labels, first)}, {expected}")

    def _error(self, row: int, column: str, message: str) -> ValueError:
        return ValueError(f"{self.path}, {self.place(self.first + row)}, column {column}: {message}")


def as_classes(classes: int | Sequence[str] | None) -> Classes | None:
    """The classes as a user gives them, a number or names; None if the file has to say which there are.

    >>> as_classes(["cat", "dog"])
    ('cat', 'dog')
    """
    if classes is None:
        return None
    return int(classes) if isinstance(classes, (int, np.integer)) else tuple(map(str, classes))


def numbers_of(labels: "pd.Series[Any]", classes: Classes) -> tuple[NDArray[np.int64], str]:
    """The class number of each label, -1 where it is none of the classes; and what was expected, for an error."""
    if isinstance(classes, int):
        codes = _whole_numbers(labels)
        beyond = "; class numbers start at 0" if (codes == classes).any() else ""
        return np.where(codes < classes, codes, -1), f"expected a class number in 0..{classes - 1}{beyond}"
    codes = pd.Index(classes).get_indexer(pd.Index(labels.astype(str))).astype(np.int64)
    return codes, f"expected one of {listed(classes)}"


def _items(column: "pd.Series[Any]") -> tuple[NDArray[np.int64], "pd.Index[Any] | None"]:
    """The items: row numbers, if all values are; otherwise places in a list of names, and the names as they appear."""
    numbers = _whole_numbers(column)
    if (numbers >= 0).all():
        return numbers, None
    codes, names = pd.factorize(column.astype(str))
    return codes.astype(np.int64), names


def _join_items(
    parts: "list[tuple[NDArray[np.int64], pd.Index[Any] | None]]",
) -> tuple[NDArray[np.int64], tuple[str, ...] | None]:
    """The items of all parts of a column. If one part has names, the numbers in other parts are names too."""
    if all(names is None for _, names in parts):
        return np.concatenate([numbers for numbers, _ in parts]), None
    pairs = [pd.factorize(items) if names is None else (items, names) for items, names in parts]
    places, union = pd.factorize(np.concatenate([np.asarray(names).astype(str).astype(object) for _, names in pairs]))
    starts = np.cumsum([0, *(len(names) for _, names in pairs)])
    found = [places[start:][codes] for start, (codes, _) in zip(starts, pairs, strict=False)]
    return np.concatenate(found).astype(np.int64), tuple(union.tolist())


def read(path: Path | str, tables: Callable[[], Iterable[Table]], classes: Classes | None) -> Answers:
    """The answers of a file, read one table at a time, so that only one table as read is in memory.

    tables: gives the tables of the file, at least one. It is called twice if the classes are not known: then the first
    pass finds them.
    """
    if classes is None:
        classes = _classes_of_tables(path, tables())
    if not isinstance(classes, int) and len(set(classes)) < len(classes):
        raise ValueError(f"{path}: a class is named twice: {', '.join(sorted(classes))}")
    parts, items = [], []
    for table in tables():
        parts.append(table.columns(classes))
        items.append(_items(table.item))
    columns: dict[str, Any] = {}
    for name in list(parts[0]):
        columns[name] = np.concatenate([part.pop(name) for part in parts])
        columns[name].flags.writeable = False  # so that `Answers` need not copy it
    k, names = (classes, None) if isinstance(classes, int) else (len(classes), classes)
    about, item_names = _join_items(items)
    try:
        return Answers.from_packed(**columns, classes=k, items=about, class_names=names, item_names=item_names)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _classes_of_tables(path: Path | str, tables: Iterable[Table]) -> Classes:
    found = []
    for table in tables:
        table.refuse_bad_values()
        found.append(pd.Series(table.labels.unique(), dtype=table.labels.dtype))
    if not any(map(len, found)):
        raise ValueError(
            f"{path}: there are no answers, so the classes are not known: pass classes, or list them in a column "
            "`classes`"
        )
    labels = pd.concat(found, ignore_index=True)
    classes = classes_of_labels(labels)
    if isinstance(classes, int) and starts_at_one(labels):
        raise ValueError(
            f"{path}, column subset: the labels are 1 to {classes - 1} and 0 never occurs, but class numbers start at "
            f"0: subtract one, write names, or pass classes={classes} if class 0 was never asked about"
        )
    if isinstance(classes, int) and classes > MOST_CLASSES:
        raise ValueError(
            f"{path}, column subset: label {classes - 1} would mean {classes} classes, "
            "pass classes if there are that many"
        )
    return classes


def classes_of_labels(labels: "pd.Series[Any]") -> Classes:
    """The classes that the labels suggest: 0..max if they are whole numbers, otherwise the names in sorted order."""
    unique = pd.Series(labels.unique())
    numbers = _whole_numbers(unique)
    if (numbers >= 0).all():
        return max(2, int(numbers.max(initial=0)) + 1)
    return tuple(sorted(unique.astype(str)))


def starts_at_one(labels: "pd.Series[Any]") -> bool:
    """Whether the labels look like class numbers counted from 1."""
    numbers = _whole_numbers(pd.Series(labels.unique()))
    return bool(len(numbers)) and int(numbers.min()) == 1


def _whole_numbers(values: "pd.Series[Any]") -> NDArray[np.int64]:
    """Each value as a whole number, or -1 where it is not written as one ("7" is, "07" and "7.0" are not)."""
    if pd.api.types.is_integer_dtype(values.dtype):
        return values.to_numpy(dtype=np.int64)
    texts = pa.array(values.astype(str), pa.string())
    whole = pc.match_substring_regex(texts, r"\A(0|[1-9][0-9]{0,17})\z")
    return np.asarray(pc.if_else(whole, texts, "-1").cast(pa.int64()), dtype=np.int64)


def _bad_values(values: "pd.Series[Any]") -> NDArray[np.bool_]:
    """Which values are neither text nor whole numbers from 0 on, bool (n,)."""
    kind = pd.api.types.infer_dtype(values, skipna=False)
    if kind == "integer":
        return np.asarray(values.to_numpy() < 0)
    if kind == "string":
        return np.asarray(values.to_numpy(dtype=object) == "")
    fine = [isinstance(value, (str, int)) and not isinstance(value, bool) and value != "" for value in values]
    return ~np.array(fine, dtype=np.bool_)


def _shown(values: "pd.Series[Any]", row: int) -> str:
    value = values.iloc[row]
    return repr(value.item() if isinstance(value, np.generic) else value)


def _word(value: Any) -> str:
    return str(int(value)) if isinstance(value, (bool, np.bool_, int, np.integer)) else str(value).strip().lower()


def _numbers(values: "pd.Series[Any]") -> NDArray[np.float64]:
    """The values as numbers, exact to the last digit; NaN where a value is no number."""
    try:
        return values.to_numpy(dtype=np.float64)
    except (TypeError, ValueError):  # older versions of pandas lose the last digit here
        return pd.to_numeric(values, errors="coerce").to_numpy(dtype=np.float64)
