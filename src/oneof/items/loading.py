"""Items from wherever they are: arrays, tables of numbers, texts, pictures, or a data set by name."""

import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from oneof.answers import Answers
from oneof.files.finding import find_files
from oneof.items import texts
from oneof.items.listed import PATH_COLUMNS, read_listed
from oneof.items.pictures import SUFFIXES, Pictures
from oneof.items.tables import read_table, refuse_repeated_ids

LABEL_COLUMNS = ("label", "labels", "class", "target", "y")


@dataclass(frozen=True)
class Items:
    """n items: `x` (n, ...), their `ids` (n,), and, where the source knows them, labels and class names.

    x: numbers; or, where kind says so, texts in an object array, or `Pictures`, which are decoded when needed.
    ids: texts, or range(n) where the items are known by their row numbers. left_out: a line for each item that could
    not be read, with the reason; missing: the ids of these items, where they have any.
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
        """The items of these rows (m,), with numbers x (m, ...) in place of raw items; the other items are left out.

        problems: by the row of each other item, why it could not be read.
        """
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
        try:
            if not self.missing:
                return answers.align(self.ids)
            aligned = answers.align([*np.asarray(self.ids).astype(str).tolist(), *self.missing])
            return aligned[aligned.items < len(self)]
        except ValueError as error:
            if not self.left_out:
                raise
            # A row that cannot be read may have an id that nobody knows.
            raise ValueError(f"{error}; {len(self.left_out)} could not be read: {self.left_out[0]}") from None


def load(source: str) -> Items:
    """The items of a file, a folder or a data set.

    source: `.npy` or `.npz` (array `x` or the only one; `y` for labels); a table with a column `id` and numbers, a
    column `text`, or a column `path` of pictures (`.csv`, `.tsv`, `.jsonl`, `.parquet`); `.txt` with a text per line;
    a folder of pictures or of .txt files; or `dataset:NAME/train` or `/test`. `.npy` stays on disk, and so does a
    large `.parquet`, see `oneof.items.allocating`.

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
    column = next((name for name in PATH_COLUMNS if name in header), None)
    if column is not None:
        listed = read_listed(path, column)
        pictures = Pictures(listed.paths)
        return Items(pictures, listed.ids, kind="pictures", left_out=listed.left_out, missing=listed.missing)
    label = next((name for name in header if name.strip().lower() in LABEL_COLUMNS), None)
    if label is not None:
        raise ValueError(
            f"{path}: column {label} looks like the answer, and a model that is given it would have nothing to learn: "
            "leave it out, or give it another name if it is a feature"
        )
    if kind == ".jsonl":
        raise ValueError(f"{path}: expected a column text or path, found {', '.join(header) or 'none'}")
    return _parquet(path) if kind == ".parquet" else _table(path)


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
    return _numbered(load_array(path, mmap_mode="r"))


def load_array(path: Path, mmap_mode: Literal["r"] | None = None) -> NDArray[Any]:
    """The array in an .npy file. What numpy says of another file, "load it unsafely", is no advice to give."""
    try:
        return np.asanyarray(np.load(path, mmap_mode=mmap_mode, allow_pickle=False))
    except (ValueError, EOFError):
        raise ValueError(f"{path}: not an array of numbers as numpy.save writes it") from None


def _npz(path: Path) -> Items:
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
            arrays = dict(stored)
    except (ValueError, zipfile.BadZipFile, OSError) as error:
        raise ValueError(f"{path}: not an npz file of arrays: {error}") from None
    if "x" not in arrays and len(arrays) != 1:
        raise ValueError(f"{path}: which array are the items? found {', '.join(arrays)}, expected one named x")
    x = arrays["x"] if "x" in arrays else next(iter(arrays.values()))
    return _numbered(x, checked_labels(path, arrays["y"], len(x)) if "y" in arrays else None)


def checked_labels(path: Path, labels: NDArray[Any], items: int) -> NDArray[np.int64]:
    """Labels (n,) as class numbers; refused where there is not one for each item."""
    if labels.shape != (items,) or labels.dtype.kind not in "iu" or (labels < 0).any():
        raise ValueError(f"{path}: expected {items} class numbers 0, 1, ..., found {labels.dtype} {labels.shape}")
    return labels.astype(np.int64)


def _table(path: Path) -> Items:
    import pandas as pd

    frame = read_table(path)
    if "id" not in frame:
        raise ValueError(f"{path}: column id is missing, found {', '.join(map(str, frame.columns))}")
    ids = frame["id"].astype(str)
    refuse_repeated_ids(path, ids)
    features = frame.drop(columns="id")
    if not features.shape[1]:
        raise ValueError(f"{path}: there are no features beside the column id")
    for name in features:
        if features[name].dtype.kind not in "biuf":
            row = int(np.argmax(pd.to_numeric(features[name], errors="coerce").isna()))
            value = features[name].iloc[row]
            raise ValueError(
                f"{path}, line {row + 2}, column {name}: value {value!r}, expected a number "
                "(a column of texts is called text, one of pictures path)"
            )
    with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused below
        x = features.to_numpy(dtype=np.float32)
    bad = np.argwhere(~np.isfinite(x))
    if len(bad):
        row, column = bad[0]
        value = features.iloc[row, column]
        found = "the value is missing" if pd.isna(value) else f"value {float(value)}"
        raise ValueError(
            f"{path}, line {row + 2}, column {features.columns[column]}: {found}, expected a number below 3.4e38"
        )
    return Items(x, _or_numbers(ids.to_numpy(dtype=str)))


def _parquet(path: Path) -> Items:
    import pandas as pd

    from oneof.items.parquet import read_parquet

    x, ids = read_parquet(path)
    refuse_repeated_ids(path, pd.Series(ids), "row", 0)
    return Items(x, _or_numbers(ids))


def _or_numbers(ids: NDArray[Any]) -> NDArray[np.str_] | range:
    """The ids as text, unless they are the row numbers."""
    numbers = np.arange(len(ids))
    if np.array_equal(ids, numbers if ids.dtype.kind in "iu" else numbers.astype(str)):
        return range(len(ids))
    return ids.astype(str)


def _folder(folder: Path) -> Items:
    """The pictures of a folder; where there are none, its texts."""
    found = {path.relative_to(folder).as_posix(): path for path in sorted(find_files(folder, SUFFIXES))}
    # A name in another encoding than UTF-8 can be written to no file of answers or predictions.
    unwritable = [name for name in found if any("\ud800" <= character <= "\udfff" for character in name)]
    left_out = tuple(f"{found.pop(name).name!r}: its name is not valid Unicode: rename it" for name in unwritable)
    if found:
        pictures = Pictures(list(found.values()))
        return Items(pictures, np.array(list(found)), kind="pictures", left_out=left_out)
    if any(find_files(folder, {".txt"})):
        return _texts(folder)
    raise ValueError(f"{folder}: no pictures ({', '.join(SUFFIXES)}) and no .txt files in this folder")


def _texts(path: Path) -> Items:
    found: list[texts.Text] = []
    bad: list[texts.Text] = []
    for text in texts.read_texts(path):
        (found if text.problem is None else bad).append(text)
    left_out = tuple(f"{path}, {text.place}: {text.problem}" for text in bad)
    if not found:
        raise ValueError(f"{path}: there are no texts in it" + (f"; {left_out[0]}" if left_out else ""))
    seen: set[str] = set()
    for text in found:
        if text.name in seen:
            raise ValueError(f"{path}, {text.place}, column id: {text.name!r} appears twice, expected unique ids")
        seen.add(text.name)
    x = np.array([text.text for text in found], dtype=object)
    missing = tuple(dict.fromkeys(text.name for text in bad if text.name and text.name not in seen))
    ids = np.array([text.name for text in found])
    return Items(x, ids if missing else _or_numbers(ids), kind="texts", left_out=left_out, missing=missing)
