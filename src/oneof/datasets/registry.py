"""Where each data set comes from: official addresses, published checksums, sizes and class names.

`SourceFile` is a file that a loader reads, `Download` is what the publisher offers. They are the same file except
where the publisher offers an archive (CIFAR-10, EMNIST): then the archive has its checksum and so does each member.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from string import ascii_uppercase
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from oneof.datasets.cifar import load_cifar10
from oneof.datasets.digits import load_digits
from oneof.datasets.errors import DataError
from oneof.datasets.idx import load_idx
from oneof.datasets.matlab import load_svhn
from oneof.datasets.usps import load_usps

DIGITS = tuple("0123456789")
Split = Literal["train", "test"]
Arrays = tuple[NDArray[np.uint8], NDArray[np.int64]]


@dataclass(frozen=True)
class SourceFile:
    """A file as loaders read it: its official name in the data set's folder, checksum as "md5:..." or "sha256:..."."""

    name: str
    checksum: str


@dataclass(frozen=True)
class Download:
    """A file as the publisher offers it. `urls` are tried in order; `members`: archive name -> source file."""

    name: str
    urls: tuple[str, ...]
    checksum: str
    bytes: int
    members: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class DatasetInfo:
    """One data set.

    `sizes` and `paper_sizes` are (train, test) counts; `title` is the name in the paper's tables; `shape` is
    (channels, height, width).
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
    """From the paths of a split's files, in their order, to images uint8 (n, c, h, w) and labels int64 (n,)."""
    read: Callable[[Split], Arrays] | None = None
    """In place of it, from a split to images and labels: for a data set that has no files of its own."""

    @property
    def files(self) -> tuple[SourceFile, ...]:
        """All files that the loader reads, training files first."""
        return self.train + self.test


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

    >>> names()
    ('mnist', 'fashionmnist', 'kmnist', 'usps', 'svhn', 'cifar10', 'emnist_letters', 'digits')
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


def _files(*named: str) -> tuple[SourceFile, ...]:
    """Files by "name checksum"."""
    return tuple(SourceFile(*one.split()) for one in named)


def downloads_of(files: tuple[SourceFile, ...], sizes: tuple[int, ...], *bases: str) -> tuple[Download, ...]:
    """A download for each file, offered under its own name at each base address."""
    return tuple(
        Download(file.name, tuple(base + file.name for base in bases), file.checksum, size)
        for file, size in zip(files, sizes, strict=True)
    )


def _idx_files(*sums: str) -> tuple[SourceFile, ...]:
    """The four files of the MNIST family, given their MD5 sums."""
    names = (f"{part}-{what}-ubyte.gz" for part in ("train", "t10k") for what in ("images-idx3", "labels-idx1"))
    return tuple(SourceFile(name, f"md5:{md5}") for name, md5 in zip(names, sums, strict=True))


_MNIST = _idx_files(
    "f68b3c2dcbeaaa9fbdd348bbdeb94873",
    "d53e105ee54ea40749a09fcbcd1e9432",
    "9fb629c4189551a2d022fa330f9573f3",
    "ec29112dd5afa0611ce80d1b7f02629c",
)
_FASHIONMNIST = _idx_files(
    "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
    "25c81989df183df01b3e8a0aad5dffbe",
    "bef4ecab320f06d8554ea6380940ec79",
    "bb300cfdad3c16e7a12a480ee83cd310",
)
_KMNIST = _idx_files(
    "bdb82020997e1d708af4cf47b453dcf7",
    "e144d726b3acfaa3e44228e80efcd344",
    "5c965bf0a639b31b8f53240b1b52f4d7",
    "7320c461ea6c1c855c0b718fb2a4b134",
)
_USPS = _files(
    "zip.train.gz sha256:66ebf231ab51f2cf6ac1a892d0f98ccffee1079d7a5db638c1f11f366046ca16",
    "zip.test.gz sha256:8dacc3c6e136af6c3488de9e5113a7daf140c8c2f1f0b61c54ee02f03f1a962f",
)
_SVHN = _files(
    "train_32x32.mat md5:e26dedcc434d2e4c54c9b2d4a06d8373",
    "test_32x32.mat md5:eb5a983be6a315427106f1b164d9cef3",
)
_CIFAR10 = _files(
    "cifar-10-batches-bin/data_batch_1.bin md5:5dd7e06a14cb22eb9f671a540d1b7c25",
    "cifar-10-batches-bin/data_batch_2.bin md5:5ea93a67294ea407fff1d09f752e9692",
    "cifar-10-batches-bin/data_batch_3.bin md5:942cd6a4bcdd0dd3c604fbe906cb4421",
    "cifar-10-batches-bin/data_batch_4.bin md5:ae636b3ba5c66a11e91e8cb52e771fcb",
    "cifar-10-batches-bin/data_batch_5.bin md5:53f37980c15c3d472c316c40844f3f0d",
    "cifar-10-batches-bin/test_batch.bin md5:803d5f7f4d78ea53de84dbe85f74fb6d",
)
_EMNIST_LETTERS = _files(
    "emnist-letters-train-images-idx3-ubyte.gz sha256:6288f418a917e007bf5fddb823a2dc7a5c6a35031401b93292a539cb12bd881f",
    "emnist-letters-train-labels-idx1-ubyte.gz sha256:9759af91ea6bccdf07a6040fd085861f2ec88e37f7c3f5760f6feb57106fbe5c",
    "emnist-letters-test-images-idx3-ubyte.gz sha256:50f0e93d75b99b463e9760b8345866f22587fa2c2fba472730a5ba09c693412d",
    "emnist-letters-test-labels-idx1-ubyte.gz sha256:924955c31fe7fd809b7303b5c0141282955f4b8390c74cdfd5d80435e0f4b4cb",
)

_ENTRIES = (
    DatasetInfo(
        name="mnist",
        title="MNIST",
        homepage="http://yann.lecun.com/exdb/mnist/",
        sizes=(60000, 10000),
        paper_sizes=(60000, 10000),
        shape=(1, 28, 28),
        class_names=DIGITS,
        train=_MNIST[:2],
        test=_MNIST[2:],
        read_files=load_idx,
        downloads=downloads_of(
            _MNIST,
            (9912422, 28881, 1648877, 4542),
            "https://ossci-datasets.s3.amazonaws.com/mnist/",
            "http://yann.lecun.com/exdb/mnist/",
        ),
    ),
    DatasetInfo(
        name="fashionmnist",
        title="FashionMNIST",
        homepage="https://github.com/zalandoresearch/fashion-mnist",
        sizes=(60000, 10000),
        paper_sizes=(60000, 10000),
        shape=(1, 28, 28),
        class_names=(
            "T-shirt/top",
            "Trouser",
            "Pullover",
            "Dress",
            "Coat",
            "Sandal",
            "Shirt",
            "Sneaker",
            "Bag",
            "Ankle boot",
        ),
        train=_FASHIONMNIST[:2],
        test=_FASHIONMNIST[2:],
        read_files=load_idx,
        downloads=downloads_of(
            _FASHIONMNIST,
            (26421880, 29515, 4422102, 5148),
            "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
        ),
    ),
    DatasetInfo(
        name="kmnist",
        title="KMNIST",
        homepage="http://codh.rois.ac.jp/kmnist/",
        sizes=(60000, 10000),
        paper_sizes=(60000, 10000),
        shape=(1, 28, 28),
        class_names=("o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo"),
        train=_KMNIST[:2],
        test=_KMNIST[2:],
        read_files=load_idx,
        downloads=downloads_of(
            _KMNIST, (18165135, 29497, 3041136, 5120), "http://codh.rois.ac.jp/kmnist/dataset/kmnist/"
        ),
    ),
    DatasetInfo(
        name="usps",
        title="USPS",
        homepage="https://hastie.su.domains/ElemStatLearn/data.html",
        sizes=(7291, 2007),
        paper_sizes=(5000, 1000),
        shape=(1, 16, 16),
        class_names=DIGITS,
        train=_USPS[:1],
        test=_USPS[1:],
        read_files=load_usps,
        downloads=downloads_of(_USPS, (1829071, 439208), "https://hastie.su.domains/ElemStatLearn/datasets/"),
    ),
    DatasetInfo(
        name="svhn",
        title="SVHN",
        homepage="http://ufldl.stanford.edu/housenumbers/",
        sizes=(73257, 26032),
        paper_sizes=(50000, 10000),
        shape=(3, 32, 32),
        class_names=DIGITS,
        train=_SVHN[:1],
        test=_SVHN[1:],
        read_files=load_svhn,
        downloads=downloads_of(_SVHN, (182040794, 64275384), "http://ufldl.stanford.edu/housenumbers/"),
    ),
    DatasetInfo(
        name="cifar10",
        title="CIFAR-10",
        homepage="https://www.cs.toronto.edu/~kriz/cifar.html",
        sizes=(50000, 10000),
        paper_sizes=(50000, 10000),
        shape=(3, 32, 32),
        class_names=("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"),
        train=_CIFAR10[:5],
        test=_CIFAR10[5:],
        read_files=load_cifar10,
        downloads=(
            Download(
                "cifar-10-binary.tar.gz",
                ("https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",),
                "md5:c32a1d4ab5d03f1284b67883e8d87530",
                170052171,
                {file.name: file.name for file in _CIFAR10},
            ),
        ),
    ),
    DatasetInfo(
        name="emnist_letters",
        title="EMNIST-Letters",
        homepage="https://www.nist.gov/itl/products-and-services/emnist-dataset",
        sizes=(124800, 20800),
        paper_sizes=(124800, 20800),
        shape=(1, 28, 28),
        class_names=tuple(ascii_uppercase),
        train=_EMNIST_LETTERS[:2],
        test=_EMNIST_LETTERS[2:],
        read_files=partial(load_idx, first_label=1, transposed=True),
        downloads=(
            Download(
                "gzip.zip",
                ("https://biometrics.nist.gov/cs_links/EMNIST/gzip.zip",),
                "md5:58c8d27c78d21e728a6bc7b3cc06412e",
                561753746,
                {f"gzip/{file.name}": file.name for file in _EMNIST_LETTERS},
            ),
        ),
    ),
    DatasetInfo(
        name="digits",
        title="digits",
        homepage="https://scikit-learn.org/stable/modules/generated/sklearn.datasets.load_digits.html",
        sizes=(1347, 450),
        paper_sizes=(1347, 450),
        shape=(1, 8, 8),
        class_names=DIGITS,
        read=load_digits,
    ),
)

_REGISTRY = {entry.name: entry for entry in _ENTRIES}
