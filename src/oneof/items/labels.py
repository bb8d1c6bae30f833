"""What files say about the class of each item: true labels, and predictions of a model."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oneof.items.loading import Items, checked_labels, load_array
from oneof.items.tables import read_table, refuse_repeated_ids

if TYPE_CHECKING:
    import pandas as pd


def load_labels(path: Path, items: Items) -> tuple[NDArray[np.int64], tuple[str, ...] | None]:
    """Labels (n,) of the items from a file, and the class names where the file has names.

    path: `.npy` (one number per item, in their order), or `.csv`/`.parquet` with columns `id` and `label`.

    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "labels.csv"
    >>> _ = path.write_text("id,label\\n1,dog\\n0,cat\\n")
    >>> load_labels(path, Items(np.zeros((2, 3)), range(2)))
    (array([0, 1]), ('cat', 'dog'))
    """
    if path.suffix.lower() == ".npy":
        return checked_labels(path, load_array(path), len(items)), None
    import pandas as pd

    values = _by_item(path, items, "label")
    numbers = pd.to_numeric(values, errors="coerce")
    if numbers.notna().all() and (numbers == numbers.round()).all() and (numbers >= 0).all():
        return numbers.to_numpy(dtype=np.int64), None
    names = tuple(sorted(values.astype(str).unique()))
    return pd.Index(names).get_indexer(pd.Index(values.astype(str))).astype(np.int64), names


def load_predictions(path: Path, items: Items, names: Sequence[str]) -> NDArray[np.int64]:
    """The predicted class of each item, (n,), from a table that `oneof predict` wrote: columns `id` and `prediction`.

    names: of the classes, in their order.
    """
    values = _by_item(path, items, "prediction").astype(str)
    place = {name: number for number, name in enumerate(names)}
    for item, value in values.items():
        if value not in place:
            raise ValueError(
                f"{path}: prediction {value!r} of item {item!r} is not among the classes {', '.join(names)}"
            )
    return np.array([place[value] for value in values], dtype=np.int64)


def _by_item(path: Path, items: Items, column: str) -> "pd.Series[Any]":
    """A column of a table in the order of the items."""
    frame = read_table(path)
    missing = [name for name in ("id", column) if name not in frame]
    if missing:
        raise ValueError(f"{path}: column {missing[0]} is missing, expected id and {column}")
    frame["id"] = frame["id"].astype(str)
    refuse_repeated_ids(path, frame["id"])
    ids = np.asarray(items.ids).astype(str)
    values: pd.Series[Any] = frame.set_index("id")[column].reindex(ids)
    if values.isna().any():
        raise ValueError(f"{path}: no {column} for item {str(ids[values.isna()][0])!r}")
    return values
