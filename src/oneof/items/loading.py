"""Items from wherever they are: arrays, tables of numbers, texts, pictures, or a data set by name."""

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from oneof.answers import Answers
from oneof.files.spreadsheets import csv_format
from oneof.items import texts
from oneof.items.pictures import SUFFIXES, Pictures, find_pictures

if TYPE_CHECKING:
    import pandas as pd

PATH_COLUMNS = ("path", "file", "filename", "image", "picture", "url")
"""Columns of a table that say where pictures are."""

LABEL_COLUMNS = ("label", "labels", "class", "target", "y")


@dataclass(frozen=True)
class Items:
    """n items: `x` (n, ...), their `ids` (n,), and, where the source knows them, labels and class names.

    x: numbers; or, where kind says so, texts in an object array, or `Pictures`, which are decoded when needed.
    ids: texts, or range(n) where the items are known by their row numbers. left_out: what could not be taken, and why;
    missing: the ids of those, where they have any.
    """

    x: Any
    ids: NDArray[np.str_] | range
    labels: NDArray[np.int64] | None = None
    class_names: tuple[str, ...] | None = None
    kind: Literal["numbers", "texts", "pictures"] = "numbers"
    left_out: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    def keep(self, x: Any, rows: NDArray[np.int64], problems: dict[int, str]) -> "Items":
        """Some of the items as numbers x, and the others among those left out, for these reasons by row."""
        if not problems:
            return replace(self, x=x, kind="numbers")
        names = np.asarray(self.ids).astype(str)
        if not len(rows):
            row, why = next(iter(problems.items()))
            raise ValueError(f"none of the {len(self)} items can be read: {names[row]}: {why}")
        return Items(
            x,
            names[rows],
            None if self.labels is None else self.labels[rows],
            self.class_names,
            left_out=(*self.left_out, *(f"{names[row]}: {why}" for row, why in problems.items())),
            missing=(*self.missing, *names[list(problems)].tolist()),
        )

    def align(self, answers: Answers) -> Answers:
        """The answers with `items` pointing at rows of x; those about items that were left out are dropped.

        >>> items = Items(np.zeros((1, 2)), np.array(["a"]), missing=("b",))
        >>> items.align(Answers([[True, False]] * 2, [True] * 2, item_names=["b", "a"])).items
        array([0])
        """
        if not self.missing:
            return answers.align(self.ids)
        aligned = answers.align([*np.asarray(self.ids).astype(str).tolist(), *self.missing])
        return aligned[aligned.items < len(self)]


def load(source: str) -> Items:
    """Read items.

    source: `.npy` or `.npz` (array `x` or the only one; `y` for labels); a table with a column `id` and numbers, a
    column `text`, or a column `path` of pictures (`.csv`, `.tsv`, `.jsonl`, `.parquet`); `.txt` with a text per line;
    a folder of pictures or of .txt files; or `dataset:NAME/train` or `/test`. `.npy` stays on disk, and so does a
    large `.parquet`, see `oneof.items.tables`.

    >>> load("dataset:digits/test").x.shape
    (450, 1, 8, 8)
    """
    if source.startswith("dataset:"):
        return _dataset(source)
    path = Path(source)
    if path.is_dir():
        return _folder(path)
    if not path.exists():
        raise FileNotFoundError(f"{source}: no such file or folder of items")
    if path.stat().st_size == 0:
        raise ValueError(f"{source}: empty file")
    kind = path.suffix.lower()
    if kind in (".npy", ".npz"):
        return _npy(path) if kind == ".npy" else _npz(path)
    if kind not in texts.READERS:
        known = ", ".join((".npy", ".npz", *texts.READERS))
        raise ValueError(
            f"{source}: unknown kind of items, expected {known}, a folder of pictures or texts, or dataset:NAME/train"
        )
    header = ["id", "text"] if kind == ".txt" else texts.columns(path)
    if "text" in header:
        return _texts(path)
    where = next((name for name in PATH_COLUMNS if name in header), None)
    if where is not None:
        return _listed(path, where)
    label = next((name for name in header if name.strip().lower() in LABEL_COLUMNS), None)
    if label is not None:
        raise ValueError(
            f"{path}: column {label} looks like the answer, and a model that is given it would have nothing to learn: "
            "leave it out, or give it another name if it is a feature"
        )
    if kind == ".jsonl":
        raise ValueError(f"{path}: expected a column text or path, found {', '.join(header) or 'none'}")
    return _parquet(path) if kind == ".parquet" else _table(path)


def load_labels(path: Path, items: Items) -> tuple[NDArray[np.int64], tuple[str, ...] | None]:
    """Labels (n,) of the items from a file, and the class names where the file has names.

    path: `.npy` (one number per item, in their order), or `.csv`/`.parquet` with columns `id` and `label`.
    """
    if path.suffix.lower() == ".npy":
        try:
            numbers = np.load(path, allow_pickle=False)
        except (ValueError, EOFError) as error:
            raise ValueError(f"{path}: not an array of numbers: {error}") from None
        return _labels(path, numbers, len(items)), None
    import pandas as pd

    values = _by_item(path, items, "label")
    numbers = pd.to_numeric(values, errors="coerce")
    if numbers.notna().all() and (numbers == numbers.round()).all() and (numbers >= 0).all():
        return numbers.to_numpy(dtype=np.int64), None
    names = tuple(sorted(values.astype(str).unique()))
    return pd.Index(names).get_indexer(pd.Index(values.astype(str))).astype(np.int64), names


def load_predictions(path: Path, items: Items, names: Sequence[str]) -> NDArray[np.int64]:
    """The predicted class of each item, (n,), from a table of `oneof predict`: columns `id` and `prediction`."""
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
    frame = _read_table(path)
    missing = [name for name in ("id", column) if name not in frame]
    if missing:
        raise ValueError(f"{path}: column {missing[0]} is missing, expected id and {column}")
    _refuse_twice(path, frame["id"].astype(str))
    frame = frame.assign(id=frame["id"].astype(str)).set_index("id")
    ids = np.asarray(items.ids).astype(str)
    values: pd.Series[Any] = frame[column].reindex(ids)
    if values.isna().any():
        raise ValueError(f"{path}: no {column} for item {str(ids[values.isna()][0])!r}")
    return values


def _numbered(x: NDArray[Any], labels: NDArray[np.int64] | None = None, **facts: Any) -> Items:
    return Items(x, range(len(x)), labels, **facts)


def _dataset(source: str) -> Items:
    from oneof import datasets

    name, _, part = source.removeprefix("dataset:").partition("/")
    if part not in ("train", "test"):
        raise ValueError(f"{source}: expected dataset:NAME/train or dataset:NAME/test")
    found = datasets.load(name, "train" if part == "train" else "test")
    return _numbered(found.images, found.labels, class_names=found.class_names)


def _npy(path: Path) -> Items:
    try:
        return _numbered(np.load(path, mmap_mode="r", allow_pickle=False))
    except ValueError as error:
        raise ValueError(f"{path}: not an array of numbers: {error}") from None


def _npz(path: Path) -> Items:
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
            arrays = dict(stored)
    except (ValueError, zipfile.BadZipFile, OSError) as error:
        raise ValueError(f"{path}: not an npz file of arrays: {error}") from None
    if "x" not in arrays and len(arrays) != 1:
        raise ValueError(f"{path}: which array are the items? found {', '.join(arrays)}, expected one named x")
    x = arrays["x"] if "x" in arrays else next(iter(arrays.values()))
    return _numbered(x, _labels(path, arrays["y"], len(x)) if "y" in arrays else None)


def _labels(path: Path, labels: NDArray[Any], items: int) -> NDArray[np.int64]:
    if labels.shape != (items,) or labels.dtype.kind not in "iu" or (labels < 0).any():
        raise ValueError(f"{path}: expected {items} class numbers 0, 1, ..., found {labels.dtype} {labels.shape}")
    return labels.astype(np.int64)


def _read_table(path: Path) -> Any:
    import pandas as pd

    kind = path.suffix.lower()
    try:
        if kind == ".parquet":
            return pd.read_parquet(path)
        if kind == ".jsonl":
            return pd.read_json(path, lines=True, dtype=False)
        written = csv_format(path)
        table = pd.read_csv(path, dtype={"id": str}, sep=written.separator, encoding=written.encoding)
        return _without_decimal_commas(table) if written.separator == ";" else table
    except (ValueError, OSError) as error:
        raise ValueError(f"{path}: not a table: {error}") from None


def _without_decimal_commas(table: "pd.DataFrame") -> "pd.DataFrame":
    """Spreadsheets that separate by semicolons write 1,5 where others write 1.5."""
    import pandas as pd

    for name in table.columns.drop("id", errors="ignore"):
        if table[name].dtype.kind not in "biuf":
            numbers = pd.to_numeric(table[name].str.replace(",", ".", regex=False), errors="coerce")
            if numbers.notna().equals(table[name].notna()):
                table[name] = numbers
    return table


def _table(path: Path) -> Items:
    import pandas as pd

    frame = _read_table(path)
    if "id" not in frame:
        raise ValueError(f"{path}: column id is missing, found {', '.join(map(str, frame.columns))}")
    ids = frame["id"].astype(str)
    _refuse_twice(path, ids)
    features = frame.drop(columns="id")
    if not features.shape[1]:
        raise ValueError(f"{path}: there are no features beside the column id")
    for name in features:
        if features[name].dtype.kind not in "biuf":
            row = int(np.argmax(pd.to_numeric(features[name], errors="coerce").isna()))
            value = features[name].iloc[row]
            raise ValueError(f"{path}, line {row + 2}, column {name}: value {value!r}, expected a number")
        if features[name].isna().any():
            row = int(np.argmax(features[name].isna()))
            raise ValueError(f"{path}, line {row + 2}, column {name}: the value is missing, expected a number")
    return Items(features.to_numpy(dtype=np.float32), _or_numbers(ids.to_numpy(dtype=str)))


def _parquet(path: Path) -> Items:
    import pandas as pd

    from oneof.items.tables import read_parquet

    x, ids = read_parquet(path)
    repeated = pd.Series(ids).duplicated()
    if repeated.any():
        row = int(np.argmax(repeated))
        raise ValueError(f"{path}, row {row}, column id: {str(ids[row])!r} appears twice, expected unique ids")
    return Items(x, _or_numbers(ids))


def _or_numbers(ids: NDArray[Any]) -> NDArray[np.str_] | range:
    """The ids as text, unless they are the row numbers."""
    numbers = np.arange(len(ids))
    if np.array_equal(ids, numbers if ids.dtype.kind in "iu" else numbers.astype(str)):
        return range(len(ids))
    return ids.astype(str)


def _refuse_twice(path: Path, ids: Any) -> None:
    if ids.duplicated().any():
        row = int(np.argmax(ids.duplicated()))
        raise ValueError(f"{path}, line {row + 2}, column id: {ids.iloc[row]!r} appears twice, expected unique ids")


def _folder(folder: Path) -> Items:
    """The pictures of a folder; where there are none, its texts."""
    paths = find_pictures(folder)
    if paths:
        return Items(
            Pictures(paths), np.array([path.relative_to(folder).as_posix() for path in paths]), kind="pictures"
        )
    if texts.find_texts(folder):
        return _texts(folder)
    raise ValueError(f"{folder}: no pictures ({', '.join(SUFFIXES)}) and no .txt files in this folder")


def _texts(path: Path) -> Items:
    found: list[texts.Text] = []
    bad: list[texts.Text] = []
    for one in texts.read_texts(path):
        (found if one.problem is None else bad).append(one)
    left_out = tuple(f"{path}, {one.place}: {one.problem}" for one in bad)
    if not found:
        raise ValueError(f"{path}: there are no texts in it" + (f"; {left_out[0]}" if left_out else ""))
    seen: set[str] = set()
    for one in found:
        if one.name in seen:
            raise ValueError(f"{path}, {one.place}, column id: {one.name!r} appears twice, expected unique ids")
        seen.add(one.name)
    x = np.empty(len(found), dtype=object)
    x[:] = [one.text for one in found]
    missing = tuple(dict.fromkeys(one.name for one in bad if one.name and one.name not in seen))
    ids = np.array([one.name for one in found])
    return Items(x, ids if missing else _or_numbers(ids), kind="texts", left_out=left_out, missing=missing)


def _listed(path: Path, column: str) -> Items:
    """Pictures whose places a table gives, as seen from the table's own folder."""
    frame = _read_table(path)
    places = frame[column].astype(str).str.removeprefix("file://")
    far = places.str.contains("://")
    if far.any():
        row = int(np.argmax(far))
        raise ValueError(
            f"{path}, row {row}, column {column}: {places.iloc[row]!r} is not on this machine: fetch it first"
        )
    ids = frame["id"].astype(str) if "id" in frame else places
    _refuse_twice(path, ids)
    return Items(Pictures([path.parent / place for place in places]), ids.to_numpy(dtype=str), kind="pictures")
