"""Files of some kinds in a folder and the folders in it."""

import os
from collections.abc import Container, Iterator
from pathlib import Path


def find_files(folder: Path, suffixes: Container[str]) -> Iterator[Path]:
    """The files whose suffix, in small letters, is among these; in a fixed order, without hidden files and folders.

    Links to files are followed, links to folders are not: they may lead round in a circle.

    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> for name in ("b.TXT", "a.txt", ".hidden.txt", "c.png"):
    ...     (folder / name).touch()
    >>> [path.name for path in find_files(folder, {".txt"})]
    ['a.txt', 'b.TXT']
    """
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(parent, name)
            if not name.startswith(".") and path.suffix.lower() in suffixes:
                yield path
