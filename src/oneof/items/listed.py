"""Pictures that a table lists by their paths, which are relative to the table's own folder, or by file:// addresses."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from oneof.items.tables import read_table, refuse_repeated_ids

PATH_COLUMNS = (
    "path", "file", "filename", "file_name", "filepath", "file_path", "image", "image_path", "picture", "url",
)  # fmt: skip
"""Columns of a table that say where pictures are, the first one that is there."""


@dataclass(frozen=True)
class Listed:
    """Where the pictures are, and their ids (n,); a line for each row without a path, and the ids of these rows."""

    paths: list[Path]
    ids: NDArray[np.str_]
    left_out: tuple[str, ...]
    missing: tuple[str, ...]


def read_listed(path: Path, column: str) -> Listed:
    """The pictures of a table, by its column of paths. Without a column `id`, their ids are the paths as written.

    >>> from tempfile import mkdtemp
    >>> table = Path(mkdtemp()) / "birds.csv"
    >>> _ = table.write_text("id,path\\nwren,small/a.png\\nowl,\\n")
    >>> found = read_listed(table, "path")
    >>> found.ids.tolist(), found.missing
    (['wren'], ('owl',))
    """
    frame = read_table(path)
    empty = (frame[column].isna() | (frame[column].astype(str).str.strip() == "")).to_numpy(dtype=np.bool_)
    left_out = tuple(f"{path}, row {row}, column {column}: is empty" for row in np.flatnonzero(empty))
    if empty.all():
        raise ValueError(f"{path}: there are no paths in the column {column}")
    missing = tuple(frame["id"][empty].dropna().astype(str)) if "id" in frame else ()
    frame = frame[~empty]
    places = frame[column].astype(str).str.strip()
    remote = (places.str.contains("://", regex=False) & ~places.str.startswith("file://")).to_numpy(dtype=np.bool_)
    if remote.any():
        first = int(np.argmax(remote))
        row, place = frame.index[first], places.iloc[first]
        raise ValueError(f"{path}, row {row}, column {column}: {place!r} is not on this machine: fetch it first")
    ids = frame["id"].astype(str) if "id" in frame else places.str.removeprefix("file://")
    refuse_repeated_ids(path, ids)
    return Listed([path.parent / _local(place) for place in places], ids.to_numpy(dtype=str), left_out, missing)


def _local(place: str) -> str:
    """The path that is meant. In an address a space is %20; whoever only put file:// before a path did not write so.

    >>> _local("file:///a%20b.png"), _local("100%.png")
    ('/a b.png', '100%.png')
    """
    if not place.startswith("file://"):
        return place
    from urllib.request import url2pathname  # slow to import

    plain = place.removeprefix("file://")
    return plain if Path(plain).exists() else url2pathname(urlsplit(place).path)
