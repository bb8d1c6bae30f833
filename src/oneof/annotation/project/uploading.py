"""Files that a manager sends from the browser: they are stored inside the project, as a folder of pictures or a table.

Each upload gets a folder of its own in `uploads/`. It stays there, because the page shows pictures from it.
"""

import secrets
import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from lzma import LZMAError
from pathlib import Path, PurePosixPath
from shutil import disk_usage, rmtree
from typing import IO
from zipfile import BadZipFile, ZipFile

from oneof.annotation.project.classes import IMAGE_TYPES, ProjectError
from oneof.annotation.project.folder import Project
from oneof.annotation.project.reading import NOT_SHOWN
from oneof.items.sounds import SOUND_TYPES

TABLES = (".csv", ".jsonl", ".parquet")
FILES = {*IMAGE_TYPES, *SOUND_TYPES}
KEPT = FILES | NOT_SHOWN.keys()
"""Pictures that browsers do not show are stored too: the import then names them among what it left out."""
MOST_FILES = 100_000
LARGEST_UNPACKED = 8 * 2**30
LEFT_FREE = 64 * 2**20
"""Bytes of the disk that every upload leaves free: answers are stored there too."""


@dataclass(frozen=True)
class Sent:
    """One file as the browser sent it: its name there, and its bytes."""

    name: str
    stream: IO[bytes]


@dataclass(frozen=True)
class Uploaded:
    """What to import: a folder of pictures or sounds, or a table. count: how many files; 0 for a table."""

    path: Path
    count: int
    gold: Path | None = None


def keep(project: Project, sent: Sequence[Sent], gold: Sent | None = None) -> Uploaded:
    """Store what was sent: pictures or sounds, zip files of them, or one table. After an error nothing is left."""
    if not sent:
        raise ProjectError("no file was chosen")
    home = project.folder / "uploads" / f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3)}"
    home.mkdir(parents=True)
    try:
        is_table = Path(sent[0].name).suffix.lower() in TABLES
        if is_table and len(sent) > 1:
            raise ProjectError(f"{sent[0].name}: send a table alone, without other files")
        found = _table(home, sent[0]) if is_table else _pictures(home, sent)
        if gold is None:
            return found
        gold_file = home / "known.csv"
        _write(gold.stream, gold_file)
        return Uploaded(found.path, found.count, gold_file)
    except BaseException:
        rmtree(home, ignore_errors=True)
        raise


def safe_name(name: str) -> str | None:
    """The name under which a sent file is stored, inside the folder; None if it is hidden or leads outside.

    >>> safe_name("birds/robin 1.JPG"), safe_name("../../etc/passwd.png"), safe_name(".hidden.png")
    ('birds/robin 1.JPG', None, None)
    """
    path = PurePosixPath(name.replace("\\", "/"))
    parts = path.parts
    if path.is_absolute() or not parts or ":" in parts[0] or "\0" in name:
        return None
    return None if any(part == ".." or part.startswith(".") or part == "__MACOSX" for part in parts) else str(path)


def _table(home: Path, sent: Sent) -> Uploaded:
    target = home / f"items{Path(sent.name).suffix.lower()}"
    _write(sent.stream, target)
    return Uploaded(target, 0)


def _pictures(home: Path, sent: Sequence[Sent]) -> Uploaded:
    folder = home / "pictures"
    folder.mkdir()
    count = 0
    for file in sent:
        suffix = Path(file.name).suffix.lower()
        if suffix == ".zip":
            count += _unpack(file, folder)
        elif suffix in KEPT:
            count += _place(file.stream, folder, file.name) is not None
        else:
            kinds = ", ".join(sorted(kind.lstrip(".") for kind in FILES))
            raise ProjectError(
                f"{file.name}: expected pictures or sounds ({kinds}), a zip file of them, or a .csv, .jsonl or .parquet"
            )
    if not count:
        raise ProjectError(f"{sent[0].name}: no pictures or sounds in it")
    return Uploaded(folder, count)


def _unpack(sent: Sent, folder: Path) -> int:
    """Store the pictures and sounds of a zip file; returns how many.

    Sizes are counted while unpacking: those that the file claims may be wrong.
    """
    count, left = 0, LARGEST_UNPACKED
    try:
        with ZipFile(sent.stream) as archive:
            for entry in archive.infolist():
                if entry.is_dir() or Path(entry.filename).suffix.lower() not in KEPT:
                    continue
                with archive.open(entry) as stream:
                    size = _place(stream, folder, entry.filename, left)
                if size is not None:
                    left -= size
                    count += 1
                if count > MOST_FILES:
                    raise ProjectError(f"{sent.name}: more than {MOST_FILES} files")
    except (BadZipFile, NotImplementedError, RuntimeError, EOFError, LZMAError, zlib.error) as error:
        raise ProjectError(f"{sent.name}: cannot be unpacked: {error}") from None
    return count


def _place(stream: IO[bytes], folder: Path, name: str, most: int = LARGEST_UNPACKED) -> int | None:
    """Store a file of at most so many bytes under its name; returns its size, or None if it is not to be stored."""
    inside = safe_name(name)
    if inside is None:
        return None
    target = folder / inside
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists():
            raise ProjectError(f"{name}: there are two files of this name")
        return _write(stream, target, most)
    except OSError as error:
        # The name is too long, or stands for a file and for a folder, or the disk is full.
        raise ProjectError(f"{name[:200]}: cannot be stored: {error.strerror}") from None


def _write(stream: IO[bytes], target: Path, most: int = LARGEST_UNPACKED) -> int:
    with target.open("wb") as out:
        written = 0
        while piece := stream.read(1 << 20):
            written += len(piece)
            if written > most:
                raise ProjectError(f"{target.name}: more than {LARGEST_UNPACKED} bytes in all")
            if disk_usage(target.parent).free < LEFT_FREE + len(piece):
                raise ProjectError(f"{target.name}: the disk of the server has no room for it; nothing was kept")
            out.write(piece)
    return written
