"""What is known of a data set, and the data sets by name.

`SourceFile` is a file that a loader reads, `Download` is what the publisher offers. They are the same file except
where the publisher offers an archive (CIFAR-10, EMNIST): then the archive has its checksum and so does each member.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from oneof.datasets.errors import DataError

Split = Literal["train", "test"]
Arrays = tuple[NDArray[np.uint8], NDArray[np.int64]]
"""Images uint8 (n, c, h, w) and labels int64 (n,)."""


@dataclass(frozen=True)
class SourceFile:
    """A file as loaders read it: its official name in the data set's folder, checksum as "md5:..." or "sha256:..."."""

    name: str
    checksum: str


@dataclass(frozen=True)
class Download:
    """A file as the publisher offers it. urls: tried in this order. members: name in an archive -> source file."""

    name: str
    urls: tuple[str, ...]
    checksum: str
    bytes: int
    members: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class DatasetInfo:
    """One data set.

    title: its name in the paper's tables. sizes, paper_sizes: how many items (train, test) have, and how many of them
    the paper used. shape: (channels, height, width). train, test: the files of each split, where it has files.
    """

    name: str
    title: str
    homepage: str
    sizes: tuple[int, int]
    paper_sizes: tuple[int, int]
    shape: tuple[int, int, int]
    class_names: tuple[str, ...]
    train: tuple[SourceFile, ...] = ()
    test: tuple[SourceFile, ...] = ()
    downloads: tuple[Download, ...] = ()
    read_files: Callable[..., Arrays] | None = None
    """From the paths of a split's files, in their order, to images and labels."""
    read: Callable[[Split], Arrays] | None = None
    """For a data set without files, in place of `read_files`: from the name of a split to images and labels."""

    @property
    def files(self) -> tuple[SourceFile, ...]:
        """All files that the loader reads, training files first."""
        return self.train + self.test


_REGISTRY: dict[str, DatasetInfo] = {}


def register(entry: DatasetInfo) -> None:
    """Make a data set known to `load`, to `oneof data` and to the experiments.

    A name that is taken, in any spelling, is an error.
    """
    if entry.read is None and (entry.read_files is None or not entry.files):
        raise DataError(
            f"the data set {entry.name!r} needs a function `read` from a split to images and labels, or files and "
            "`read_files` from their paths"
        )
    if any(_plain(entry.name) == _plain(known.name) for known in _REGISTRY.values()):
        raise DataError(f"there is a data set {entry.name!r} already")
    _REGISTRY[entry.name] = entry


def names() -> tuple[str, ...]:
    """The names that `load` knows.

    >>> names()[:4]
    ('mnist', 'fashionmnist', 'kmnist', 'usps')
    """
    return tuple(_REGISTRY)


def info(name: str) -> DatasetInfo:
    """The registry entry; the paper's spelling works too.

    >>> info("CIFAR-10").name
    'cifar10'
    """
    key = _plain(name)
    for entry in _REGISTRY.values():
        if key == _plain(entry.name):
            return entry
    raise DataError(f"unknown data set {name!r}; known: {', '.join(names())}")


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


def downloads_of(files: tuple[SourceFile, ...], sizes: tuple[int, ...], *bases: str) -> tuple[Download, ...]:
    """A download for each file, offered under its own name at each base address."""
    return tuple(
        Download(file.name, tuple(base + file.name for base in bases), file.checksum, size)
        for file, size in zip(files, sizes, strict=True)
    )
