"""The columns of a file of answers, checked and turned into `Answers`: no Python loop over the rows.

Whatever is wrong is told with its place (line or row), column and value, and what was expected.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from oneof.answers import bitsets
from oneof.answers.checks import DESIGNS, SKIP, WORDS
from oneof.answers.table import Answers

MOST_CLASSES = 1 << 20
"""A label number beyond this is taken as a mistake, unless the number of classes was given."""

Classes = int | tuple[str, ...]


@dataclass
class Table:
    """Rows of a file as read, before they are checked; `place` turns a row of the file into words for an error."""

    path: Path | str
    place: Callable[[int], str]
    item: "pd.Series[Any]"
    labels: "pd.Series[Any]"
    """Every label of every subset, one after the other."""
    sizes: NDArray[np.int64]
    answer: "pd.Series[Any]"
    extra: dict[str, "pd.Series[Any]"]
    first: int = 0
    """Which row of the file the first one is."""

    def columns(self, classes: Classes) -> dict[str, NDArray[Any]]:
        """The columns of `Answers`, all but `items`, checked."""
        self.refuse_odd_values()
        columns: dict[str, NDArray[Any]] = {"packed": self._packed(classes)}
        said = self._words("answer", self.answer, "yes or no (or y/n, true/false, 1/0), or skip")
        columns["responses"], columns["skipped"] = said == 1, said == SKIP
        columns |= {name: self._rates(name) for name in ("flip_yes", "flip_no") if name in self.extra}
        columns |= {name: self._counts(name) for name in ("known_yes", "known_no") if name in self.extra}
        if "randomised" in self.extra:
            columns["randomised"] = self._rates("randomised")
        if "annotator" in self.extra:
            columns["annotators"] = self.extra["annotator"].fillna("").to_numpy(dtype=str)
        if "design" in self.extra:
            columns["design"] = self._designs()
        elif "adaptive" in self.extra:  # as older files tell it
            chosen = self._words("adaptive", self.extra["adaptive"], "yes or no (or true/false, 1/0)") == 1
            columns["design"] = np.where(chosen, np.uint8(DESIGNS.index("adaptive")), np.uint8(0))
        if "predicted" in self.extra:
            columns["predicted"] = self._predicted(classes)
        return columns

    def _packed(self, classes: Classes) -> bitsets.Packed:
        """The subsets with one bit per label; only some rows at a time have a byte per label."""
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
        self._refuse(found != self.sizes, "subset", "names a label twice")
        self._refuse((found == 0) | (found == k), "subset", f"has {{}} labels, expected 1..{k - 1}", found)
        return packed

    def refuse_odd_values(self) -> None:
        """Labels and items are names or whole numbers; anything else (nothing, 1.5, a list) is a mistake."""
        row = _first_odd(self.item)
        if row is not None:
            raise self._error(row, "item", f"value {_shown(self.item, row)}, expected a name or a whole number")
        label = _first_odd(self.labels)
        if label is not None:
            row = int(np.searchsorted(np.cumsum(self.sizes), label, side="right"))
            raise self._error(row, "subset", f"label {_shown(self.labels, label)}, expected a name or a whole number")

    def _codes(self, classes: Classes) -> NDArray[np.int64]:
        """The number of each label in `labels`."""
        codes, expected = numbers_of(self.labels, classes)
        if (codes < 0).any():
            first = int(np.argmax(codes < 0))
            row = int(np.searchsorted(np.cumsum(self.sizes), first, side="right"))
            raise self._error(row, "subset", f"label {_shown(self.labels, first)}, {expected}")
        return codes

    def _predicted(self, classes: Classes) -> NDArray[np.int64]:
        """The class that each question was made from; -1 where the cell is empty."""
        values = self.extra["predicted"]
        empty = (values.isna() | (values.astype(str) == "")).to_numpy(dtype=np.bool_)
        labels = values.where(~empty, "0" if isinstance(classes, int) else classes[0])
        if pd.api.types.is_float_dtype(labels.dtype):  # whole numbers beside empty cells
            labels = labels.astype(np.int64)
        codes, expected = numbers_of(labels, classes)
        if (codes < 0).any():
            row = int(np.argmax(codes < 0))
            raise self._error(row, "predicted", f"value {_shown(values, row)}, {expected}")
        return np.where(empty, -1, codes)

    def _designs(self) -> NDArray[np.uint8]:
        values = self.extra["design"].fillna("").astype(str).str.strip().replace("", "uniform")
        codes = pd.Index(DESIGNS).get_indexer(pd.Index(values))
        if (codes < 0).any():
            row = int(np.argmax(codes < 0))
            raise self._error(row, "design", f"value {_shown(values, row)}, expected one of {', '.join(DESIGNS)}")
        return codes.astype(np.uint8)

    def _words(self, column: str, values: "pd.Series[Any]", expected: str) -> NDArray[np.int64]:
        """1 for yes, 0 for no, SKIP where people could not tell."""
        codes, unique = pd.factorize(values, use_na_sentinel=False)
        known = np.array([WORDS.get(_word(value), -2) for value in unique], dtype=np.int64)
        bits = known[codes] if len(unique) else np.zeros(0, np.int64)
        if (bits < SKIP).any():
            row = int(np.argmax(bits < SKIP))
            raise self._error(row, column, f"value {_shown(values, row)}, expected {expected}")
        return bits

    def _rates(self, column: str) -> NDArray[np.float64]:
        rates = _numbers(self.extra[column])
        if not ((rates >= 0) & (rates < 1)).all():
            row = int(np.flatnonzero(~((rates >= 0) & (rates < 1)))[0])
            raise self._error(row, column, f"value {_shown(self.extra[column], row)}, expected a rate in [0, 1)")
        return rates

    def _counts(self, column: str) -> NDArray[np.float64]:
        """How many answers a flip rate rests on; an empty cell is a rate that is known."""
        values = self.extra[column]
        empty = (values.isna() | (values.astype(str).str.strip() == "")).to_numpy(dtype=np.bool_)
        counts = np.where(empty, np.inf, _numbers(values))
        self._refuse(~(counts >= 0), column, "value {}, expected a number of answers", values.to_numpy())
        return counts

    def _refuse(self, bad: NDArray[np.bool_], column: str, message: str, values: Any = None) -> None:
        if bad.any():
            row = int(np.flatnonzero(bad)[0])
            raise self._error(row, column, message.format(None if values is None else values[row]))

    def _error(self, row: int, column: str, message: str) -> ValueError:
        return ValueError(f"{self.path}, {self.place(self.first + row)}, column {column}: {message}")


def numbers_of(labels: "pd.Series[Any]", classes: Classes) -> tuple[NDArray[np.int64], str]:
    """The class number of each label, -1 where it is none of the classes; and what was expected, in words."""
    if isinstance(classes, int):
        codes = _whole_numbers(labels)
        beyond = "; class numbers start at 0" if (codes == classes).any() else ""
        return np.where(codes < classes, codes, -1), f"expected a class number in 0..{classes - 1}{beyond}"
    codes = pd.Index(classes).get_indexer(pd.Index(labels.astype(str))).astype(np.int64)
    return codes, f"expected one of {', '.join(classes[:8])}{', ...' if len(classes) > 8 else ''}"


def _items(column: "pd.Series[Any]") -> tuple[NDArray[np.int64], "pd.Index[Any] | None"]:
    """Row numbers where all values are; or else places among the names, and those in the order of their appearance."""
    numbers = _whole_numbers(column)
    if (numbers >= 0).all():
        return numbers, None
    codes, names = pd.factorize(column.astype(str))
    return codes.astype(np.int64), names


def _join_items(
    parts: "list[tuple[NDArray[np.int64], pd.Index[Any] | None]]",
) -> tuple[NDArray[np.int64], tuple[str, ...] | None]:
    """The same for the parts of a column together: where one of them has names, the numbers of others are names too."""
    if all(names is None for _, names in parts):
        return np.concatenate([numbers for numbers, _ in parts]), None
    pairs = [pd.factorize(items) if names is None else (items, names) for items, names in parts]
    places, union = pd.factorize(np.concatenate([np.asarray(names).astype(str).astype(object) for _, names in pairs]))
    starts = np.cumsum([0, *(len(names) for _, names in pairs)])
    found = [places[start:][codes] for start, (codes, _) in zip(starts, pairs, strict=False)]
    return np.concatenate(found).astype(np.int64), tuple(union.tolist())


def read(path: Path | str, tables: Callable[[], Iterable[Table]], classes: Classes | None) -> Answers:
    """The answers of a file, read a table at a time: beside one table only what is kept of the others is in memory.

    tables: one at least, called for anew in each pass over the file; there are two where the classes are not known.
    """
    if classes is None:
        classes = _told_by_labels(path, tables())
    if not isinstance(classes, int) and len(set(classes)) < len(classes):
        raise ValueError(f"{path}: a class is named twice: {', '.join(sorted(classes))}")
    parts, items = [], []
    for table in tables():
        parts.append(table.columns(classes))
        items.append(_items(table.item))
    columns: dict[str, Any] = {}
    for name in list(parts[0]):
        columns[name] = np.concatenate([part.pop(name) for part in parts])
        columns[name].flags.writeable = False  # nobody else has it, so it need not be copied
    k, names = (classes, None) if isinstance(classes, int) else (len(classes), classes)
    about, item_names = _join_items(items)
    try:
        return Answers.from_packed(**columns, classes=k, items=about, class_names=names, item_names=item_names)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _told_by_labels(path: Path | str, tables: Iterable[Table]) -> Classes:
    found = []
    for table in tables:
        table.refuse_odd_values()
        found.append(pd.Series(table.labels.unique(), dtype=table.labels.dtype))
    if not any(map(len, found)):
        raise ValueError(f"{path}: no answers in it, and nothing that tells the classes: pass classes")
    labels = pd.concat(found, ignore_index=True)
    classes = seen(labels)
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


def seen(labels: "pd.Series[Any]") -> Classes:
    """The classes that the labels themselves tell: 0..max for whole numbers, else the names in sorted order."""
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


def _numbers(values: "pd.Series[Any]") -> NDArray[np.float64]:
    """Numbers to the last digit, as numpy reads them; not a number where one cannot be read."""
    try:
        return values.to_numpy(dtype=np.float64)
    except (TypeError, ValueError):  # older versions of pandas lose the last digit here
        return pd.to_numeric(values, errors="coerce").to_numpy(dtype=np.float64)
