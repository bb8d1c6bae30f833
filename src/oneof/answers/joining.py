"""Several tables of answers joined into one, and item names looked up in a list of items."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oneof.answers.checks import listed, refuse_first

if TYPE_CHECKING:
    from oneof.answers.table import Answers


COLUMNS: dict[str, Any] = {
    "packed": None,
    "responses": None,
    "items": None,
    "annotators": "",
    "flip_yes": 0.0,
    "flip_no": 0.0,
    "design_codes": np.uint8(0),
    "predicted": -1,
    "skipped": False,
    "known_yes": np.inf,
    "known_no": np.inf,
    "randomised": 0.0,
}
"""The columns with one entry for each answer, and the value for parts that do not have the column."""


def join(parts: "list[Answers]") -> "Answers":
    """All answers of all parts, one after the other. A column that only some parts have is filled in."""
    if not parts:
        raise ValueError("nothing to concatenate")
    first = parts[0]
    for part in parts[1:]:
        if (part.classes, part.class_names) != (first.classes, first.class_names):
            raise ValueError(
                f"answers over {part.classes} classes ({_shown(part.class_names)}) cannot join answers over "
                f"{first.classes} classes ({_shown(first.class_names)})"
            )
    joined: dict[str, Any] = {}
    for name, missing in COLUMNS.items():
        if name != "items" and any(getattr(part, name) is not None for part in parts):
            joined[name] = np.concatenate(
                [np.full(len(part), missing) if getattr(part, name) is None else getattr(part, name) for part in parts]
            )
    named = [part.item_names is not None for part in parts]
    if any(named) and not all(named):
        raise ValueError("some answers name their items and some give row numbers: align them first")
    if not any(named):
        return first.replace(**joined, items=np.concatenate([part.items for part in parts]))
    union = tuple(dict.fromkeys(name for part in parts for name in part.item_names or ()))
    place = {name: row for row, name in enumerate(union)}
    items = [np.array([place[name] for name in part.item_names or ()], dtype=np.int64)[part.items] for part in parts]
    return first.replace(**joined, items=np.concatenate(items), item_names=union)


def rows_of(ids: Sequence[Any] | NDArray[Any], answers: "Answers") -> NDArray[np.int64]:
    """The row of `ids` that holds the item of each answer, int (n,); an error for an item that is not there."""
    import pandas as pd  # slow to import, and not needed where items are rows

    index = pd.Index(np.asarray(ids).astype(str))
    if not index.is_unique:
        raise ValueError(f"item {index[index.duplicated()][0]!r} appears twice among the items, expected unique ids")
    names: NDArray[Any]
    if answers.item_names is None:
        names, place = np.unique(answers.items, return_inverse=True)
    else:
        names, place = np.array(answers.item_names, dtype=str), answers.items
    rows = np.asarray(index.get_indexer(pd.Index(names.astype(str)))[place] if len(answers) else answers.items)
    known = f"{len(index)} items" + (f", such as {index[0]}" if len(index) else "")
    refuse_first(rows < 0, lambda i: f"item {names[place[i]]!s} is not among the {known}", what="answer")
    return rows.astype(np.int64)


def _shown(names: tuple[str, ...] | None) -> str:
    return "not named" if names is None else listed(names)
