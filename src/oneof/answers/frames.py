"""Answers as data frames: one row for each answer, the subset as a list of labels or as text."""

import ast
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from oneof.answers.columns import Classes, Table, as_classes, read
from oneof.answers.table import Answers

REQUIRED = ("item", "subset", "answer")
EXTRAS = ("annotator", "flip_yes", "flip_no", "known_yes", "known_no", "randomised", "design", "predicted", "adaptive")


def to_frame(answers: Answers) -> pd.DataFrame:
    """See `Answers.to_frame`."""
    frame, lists = rows_of(answers)
    frame.insert(1, "subset", pd.Series(lists.to_pylist(), dtype=object))
    return frame


def from_frame(frame: pd.DataFrame, classes: int | Sequence[str] | None) -> Answers:
    """See `Answers.from_frame`."""
    require("frame", [str(name) for name in frame.columns])
    given = as_classes(classes)
    cells, index = frame["subset"].tolist(), frame.index.tolist()
    if all(isinstance(cell, str) for cell in cells):
        texts = frame["subset"].astype(str).reset_index(drop=True)
        labels, sizes = split_labels(texts, given, lambda row: f"frame, row {index[row]}")
    else:
        for place, cell in zip(index, cells, strict=True):
            if isinstance(cell, str) or not isinstance(cell, (Sequence, np.ndarray, set, frozenset)):
                raise ValueError(f"frame, row {place}, column subset: value {cell!r}, expected a list of labels")
        labels = pd.Series([_plain(label) for cell in cells for label in cell], dtype=object)
        sizes = np.array([len(cell) for cell in cells], dtype=np.int64)
    plain = frame.reset_index(drop=True)
    table = Table(
        "frame", lambda row: f"row {index[row]}", _objects(plain["item"]), labels, sizes, plain["answer"], extras(plain)
    )
    return read("frame", lambda: [table], given)


def rows_of(answers: Answers) -> tuple[pd.DataFrame, pa.ListArray]:
    """The plain columns, and the subsets as lists of labels. Takes much memory: pass some answers at a time."""
    rows, labels = np.nonzero(answers.subsets)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(answers)))])
    names = None if answers.class_names is None else np.array(answers.class_names, dtype=object)
    kind = pa.int64() if names is None else pa.string()
    lists = pa.ListArray.from_arrays(
        pa.array(offsets, pa.int32()), pa.array(labels if names is None else names[labels], kind)
    )
    items: Any = answers.items
    if answers.item_names is not None:
        items = [answers.item_names[item] for item in answers.items.tolist()]
    words = np.where(answers.responses, "yes", "no")
    if answers.skipped is not None:
        words = np.where(answers.skipped, "skip", words)
    frame = pd.DataFrame({"item": items, "answer": words})
    columns: dict[str, Any] = {
        "annotator": answers.annotators,
        "flip_yes": answers.flip_yes,
        "flip_no": answers.flip_no,
        "known_yes": answers.known_yes,
        "known_no": answers.known_no,
        "randomised": answers.randomised,
    }
    if answers.design_codes is not None:
        columns["design"] = answers.design
    if answers.predicted is not None:
        columns["predicted"] = pd.Series(
            [None if label < 0 else label if names is None else names[label] for label in answers.predicted.tolist()],
            dtype=pd.Int64Dtype() if names is None else object,
        )
    for name, column in columns.items():
        if column is not None:
            frame[name] = column
    return frame, lists


def split_labels(
    texts: "pd.Series[str]", classes: Classes | None, place: Callable[[int], str] = "row {}".format
) -> tuple["pd.Series[Any]", NDArray[np.int64]]:
    """The labels of all cells one after the other, and the number of labels in each cell.

    Labels are joined by |, by ; or by a comma, or written as a list, ["cat", "dog"]. A cell that is the name of a class
    means that class, even if the name contains such a mark. If the classes are not known, a cell that is split unlike
    the others is an error with its place: its text would become a class that nobody meant.

    >>> labels, sizes = split_labels(pd.Series(["cat; dog", "owl"]), None)
    >>> labels.tolist(), sizes.tolist()
    (['cat', 'dog', 'owl'], [2, 1])
    """
    if isinstance(classes, tuple):
        for mark in ("", "|", ";", ",", "["):
            labels, sizes = _split(texts, mark)
            if labels.astype(str).isin(classes).all():
                return labels, sizes
    stripped = texts.str.strip()
    listed = stripped.str.startswith("[").any() or (len(texts) and stripped.str.fullmatch(_TUPLE).all())
    found = [mark for mark in "|;," if texts.str.contains(mark, regex=False).any()]
    labels, sizes = _split(texts, "[" if listed else found[0] if found else "")
    if classes is None:
        known = set(labels.unique())
        unsplit = labels[labels.isin([label for label in known if _is_unsplit(label, known)])]
        if len(unsplit):
            row = int(np.searchsorted(np.cumsum(sizes), unsplit.index[0], side="right"))
            raise ValueError(
                f"{place(row)}, column subset: {texts.iloc[row][:80]!r}, expected labels joined by |, by ; or by a "
                'comma, the same in every row, or lists such as ["cat", "dog"]; names that hold such marks need the '
                "list of classes"
            )
    return labels, sizes


_TUPLE = r"[({]\s*['\"\d].*[)}]"
"""A tuple or a set, as Python writes them."""


def _is_unsplit(label: Any, known: set[Any]) -> bool:
    """Whether a label is rather several: a list that cannot be read, numbers with spaces, or known labels together."""
    if not isinstance(label, str):
        return False
    if "\t" in label or label.startswith("[") or re.fullmatch(r"\d+(\s+\d+)+", label):
        return True
    return any(mark in label and all(part.strip() in known for part in label.split(mark)) for mark in "|;,")


def _split(texts: "pd.Series[str]", mark: str) -> tuple["pd.Series[Any]", NDArray[np.int64]]:
    """Labels that are joined by the mark; written as lists, if the mark is [; one in each cell, if it is empty."""
    if mark == "[":
        parsed = [_parsed(text) for text in texts.str.strip()]
        flat = [_plain(label) for part in parsed for label in part]
        return pd.Series(flat, dtype=object), np.array([len(part) for part in parsed], dtype=np.int64)
    if not mark:
        return texts.astype(str).str.strip(), np.ones(len(texts), dtype=np.int64)
    lists = pc.split_pattern(pa.array(texts, pa.string()), mark)
    labels = pc.list_flatten(lists).to_pandas().astype(str).str.strip()
    return labels, np.asarray(pc.list_value_length(lists), dtype=np.int64)


def require(path: Path | str, columns: list[str]) -> None:
    """Refuse a table that lacks a column."""
    missing = [name for name in REQUIRED if name not in columns]
    if missing:
        raise ValueError(
            f"{path}: column {missing[0]} is missing, expected {', '.join(REQUIRED)}, found {', '.join(columns)}"
        )


def extras(frame: pd.DataFrame) -> dict[str, "pd.Series[Any]"]:
    """The optional columns that the frame has."""
    return {name: frame[name] for name in EXTRAS if name in frame}


def _parsed(text: str) -> list[Any]:
    """The list that a cell holds, written as in JSON or in Python (also a tuple or a set); else the text itself."""
    # numpy writes lists without commas, and Python joins texts that have none between them.
    glued = re.search(r"(['\"])\s*\1\w", text) is not None
    for parse in (json.loads,) if glued else (json.loads, ast.literal_eval):
        try:
            value = parse(text)
        except (ValueError, SyntaxError, TypeError):
            continue
        if isinstance(value, (list, tuple, set)):
            return list(value)
    return [text]


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _objects(column: "pd.Series[Any]") -> "pd.Series[Any]":
    return pd.Series([_plain(value) for value in column], dtype=object)
