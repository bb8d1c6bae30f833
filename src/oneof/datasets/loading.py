"""From the name of a data set to images and labels, whatever the source format."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from oneof.datasets.dataset import Dataset
from oneof.datasets.download import data_root, unpack
from oneof.datasets.errors import MissingDataError
from oneof.datasets.registry import Arrays, DatasetInfo, Split, info
from oneof.datasets.verify import accepts_unverified, is_official, require_official

PAPER_SUBSET_SEED = 0


def load(
    name: str,
    split: Split = "train",
    *,
    root: str | Path | None = None,
    accept_unverified: bool = False,
    paper_sizes: bool = False,
) -> Dataset:
    """One split of a data set, "train" or "test", from its official files.

    name: one of `names()`; the paper's spelling works too. root: the folder that holds one folder per data set, by
    default ONEOF_DATA, else the user's cache folder. accept_unverified: take a file that is not byte for byte the
    official one, with a warning; otherwise it is refused, unless the environment says ONEOF_ACCEPT_UNVERIFIED=1.
    paper_sizes: as many items as the paper used (USPS 5000/1000, SVHN 50000/10000), a random subset with a fixed seed,
    in the file's order; a file with no more items than that is used whole.

    >>> digits = load("digits", "test")
    >>> digits.images.shape, digits.classes
    ((450, 1, 8, 8), 10)
    """
    if split not in ("train", "test"):
        raise ValueError(f'split must be "train" or "test", not {split!r}')
    entry = info(name)
    images, labels = _read(entry, split, _checked_paths(entry, split, root, accept_unverified))
    if paper_sizes:
        images, labels = _subset(images, labels, entry.paper_sizes[split == "test"])
    return Dataset(images, labels, entry.class_names, entry.name)


def check(name: str, root: str | Path | None = None, *, accept_unverified: bool = False) -> bool:
    """Whether every file of a data set is the official one; a file that is missing or differs is refused.

    False is given only where unverified files are accepted, with a warning for each. Only checksums are computed.

    >>> check("digits")
    True
    """
    entry = info(name)
    splits: tuple[Split, Split] = ("train", "test")
    paths = [path for split in splits for path in _checked_paths(entry, split, root, accept_unverified)]
    return all(is_official(path, file.checksum) for path, file in zip(paths, entry.files, strict=True))


def _checked_paths(entry: DatasetInfo, split: Split, root: str | Path | None, accept_unverified: bool) -> list[Path]:
    if not entry.files:
        return []
    folder = data_root(root) / entry.name
    files = entry.train if split == "train" else entry.test
    if not all((folder / file.name).is_file() for file in files):
        for download in entry.downloads:
            if download.members and (folder / download.name).is_file():
                unpack(entry, download, folder)
    paths = [folder / file.name for file in files]
    absent = [str(path) for path in paths if not path.is_file()]
    if absent:
        raise MissingDataError(
            f"{entry.title}: {absent[0]} is not there. Fetch it with `oneof data fetch {entry.name}`, "
            f"or point ONEOF_DATA to a folder that holds {entry.name}/{files[0].name}"
        )
    for path, file in zip(paths, files, strict=True):
        require_official(path, file.checksum, accept_unverified=accept_unverified or accepts_unverified())
    return paths


def _read(entry: DatasetInfo, split: Split, paths: Sequence[Path]) -> Arrays:
    if entry.read is not None:
        return entry.read(split)
    assert entry.read_files is not None, entry.name  # `register` asks for one of the two
    return entry.read_files(*paths)


def _subset(images: NDArray[np.uint8], labels: NDArray[np.int64], size: int) -> Arrays:
    if len(labels) <= size:
        return images, labels
    chosen = np.sort(np.random.default_rng(PAPER_SUBSET_SEED).permutation(len(labels))[:size])
    return images[chosen], labels[chosen]
