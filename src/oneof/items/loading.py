"""Items from wherever they are: arrays, tables, a folder of images, or a data set by name."""

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

IMAGES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".tif", ".tiff")


@dataclass(frozen=True)
class Items:
    """n items: `x` (n, ...), their `ids` (n,), and, where the source knows them, labels and class names.

    ids: texts, or range(n) where the items are known by their row numbers.
    """

    x: NDArray[Any]
    ids: NDArray[np.str_] | range
    labels: NDArray[np.int64] | None = None
    class_names: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return len(self.x)


def load(source: str, *, shape: tuple[int, ...] | None = None) -> Items:
    """Read items.

    source: `.npy` or `.npz` (array `x` or the only one; `y` for labels), `.csv` or `.parquet` (an `id` column and
    numeric features, or in parquet one column of lists), a folder of images, or `dataset:NAME/train` or `/test`.
    shape: (channels, height, width) to bring images of a folder to; by default the size of the first one, and grey
    where all of them are. `.npy` stays on disk, and so does a large `.parquet`, see `oneof.items.tables`.

    >>> load("dataset:digits/test").x.shape
    (450, 1, 8, 8)
    """
    if source.startswith("dataset:"):
        return _dataset(source)
    path = Path(source)
    if path.is_dir():
        return _folder(path, shape)
    if not path.exists():
        raise FileNotFoundError(f"{source}: no such file or folder of items")
    if path.stat().st_size == 0:
        raise ValueError(f"{source}: empty file")
    readers = {".npy": _npy, ".npz": _npz, ".csv": _table, ".parquet": _parquet}
    if path.suffix.lower() not in readers:
        known = ", ".join(readers)
        raise ValueError(
            f"{source}: unknown kind of items, expected {known}, a folder of images, or dataset:NAME/train"
        )
    return readers[path.suffix.lower()](path)


def load_labels(path: Path, items: Items) -> tuple[NDArray[np.int64], tuple[str, ...] | None]:
    """Labels (n,) of the items from a file, and the class names where the file has names.

    path: `.npy` (one number an item, in their order), or `.csv`/`.parquet` with columns `id` and `label`.
    """
    if path.suffix.lower() == ".npy":
        try:
            numbers = np.load(path, allow_pickle=False)
        except (ValueError, EOFError) as error:
            raise ValueError(f"{path}: not an array of numbers: {error}") from None
        return _labels(path, numbers, len(items)), None
    frame = _read_table(path)
    missing = [name for name in ("id", "label") if name not in frame]
    if missing:
        raise ValueError(f"{path}: column {missing[0]} is missing, expected id and label")
    import pandas as pd

    _refuse_twice(path, frame["id"].astype(str))
    frame = frame.assign(id=frame["id"].astype(str)).set_index("id")
    ids = np.asarray(items.ids).astype(str)
    values = frame["label"].reindex(ids)
    if values.isna().any():
        raise ValueError(f"{path}: no label for item {str(ids[values.isna()][0])!r}")
    numbers = pd.to_numeric(values, errors="coerce")
    if numbers.notna().all() and (numbers == numbers.round()).all() and (numbers >= 0).all():
        return numbers.to_numpy(dtype=np.int64), None
    names = tuple(sorted(values.astype(str).unique()))
    return pd.Index(names).get_indexer(pd.Index(values.astype(str))).astype(np.int64), names


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

    try:
        return pd.read_parquet(path) if path.suffix.lower() == ".parquet" else pd.read_csv(path, dtype={"id": str})
    except (ValueError, OSError) as error:
        raise ValueError(f"{path}: not a table: {error}") from None


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


def _folder(folder: Path, shape: tuple[int, ...] | None) -> Items:
    from PIL import Image, ImageOps, UnidentifiedImageError

    paths = sorted(path for path in folder.rglob("*") if path.suffix.lower() in IMAGES and path.is_file())
    if not paths:
        raise ValueError(f"{folder}: no images in this folder (looked for {', '.join(IMAGES)})")
    arrays = []
    grey = True
    size = None if shape is None else shape[1:]
    for path in paths:
        try:
            with Image.open(path) as image:
                upright = ImageOps.exif_transpose(image)
                grey = grey and upright.mode in ("L", "1", "I", "I;16", "LA")
                if upright.mode.startswith("I"):  # 16 bits a pixel, which convert() would cut off at 255
                    upright = Image.fromarray((np.asarray(upright).clip(0, 65535) >> 8).astype(np.uint8))
                pixels = upright.convert("RGB")
        except (UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError, ValueError) as error:
            raise ValueError(f"{path}: this image does not decode: {error}") from None
        size = size or (pixels.height, pixels.width)
        arrays.append(
            np.asarray(pixels.resize((size[1], size[0])) if (pixels.height, pixels.width) != size else pixels)
        )
    x = np.stack(arrays).transpose(0, 3, 1, 2)
    ids = np.array([path.relative_to(folder).as_posix() for path in paths])
    return Items(np.ascontiguousarray(x[:, :1] if (grey if shape is None else shape[0] == 1) else x), ids)
