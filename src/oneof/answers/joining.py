"""Several sets of answers as one."""

from typing import Any

import numpy as np

from oneof.answers.table import COLUMNS, Answers


def join(parts: list[Answers]) -> Answers:
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
    columns: dict[str, Any] = {}
    for name, missing in COLUMNS.items():
        if name != "items" and any(getattr(part, name) is not None for part in parts):
            columns[name] = np.concatenate(
                [np.full(len(part), missing) if getattr(part, name) is None else getattr(part, name) for part in parts]
            )
    named = [part.item_names is not None for part in parts]
    if any(named) and not all(named):
        raise ValueError("some answers name their items and some give row numbers: align them first")
    if all(named):
        union = tuple(dict.fromkeys(name for part in parts for name in part.item_names or ()))
        place = {name: row for row, name in enumerate(union)}
        columns["items"] = np.concatenate(
            [np.array([place[name] for name in part.item_names or ()], dtype=np.int64)[part.items] for part in parts]
        )
        return first.replace(**columns, item_names=union)
    columns["items"] = np.concatenate([part.items for part in parts])
    return first.replace(**columns)


def _shown(names: tuple[str, ...] | None) -> str:
    return "not named" if names is None else ", ".join(names[:8]) + ", ..." * (len(names) > 8)
