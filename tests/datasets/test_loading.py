import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.io import savemat

from oneof.datasets import ChecksumError, MissingDataError, UnverifiedDataWarning, check, info, load

Writer = Callable[[Path, NDArray[np.uint8]], Path]
Finder = Callable[[str], Path]


@pytest.fixture
def small_mnist(tmp_path: Path, write_idx: Writer) -> Path:
    rng = np.random.default_rng(0)
    write_idx(tmp_path / "mnist/t10k-images-idx3-ubyte.gz", rng.integers(0, 256, (6, 28, 28), dtype=np.uint8))
    write_idx(tmp_path / "mnist/t10k-labels-idx1-ubyte.gz", np.arange(6, dtype=np.uint8))
    return tmp_path


def test_an_unofficial_file_is_refused(small_mnist: Path) -> None:
    with pytest.raises(
        ChecksumError, match=r"t10k-images-idx3-ubyte\.gz is not the official file: expected md5 9fb629c"
    ):
        load("mnist", "test", root=small_mnist)


def test_an_accepted_file_loads_with_a_warning(small_mnist: Path) -> None:
    with pytest.warns(UnverifiedDataWarning, match="not the official file"):
        data = load("MNIST", "test", root=small_mnist, accept_unverified=True)
    assert data.name == "mnist"
    assert data.images.shape == (6, 1, 28, 28)
    assert data.labels.tolist() == [0, 1, 2, 3, 4, 5]


def test_the_environment_can_accept(small_mnist: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONEOF_ACCEPT_UNVERIFIED", "1")
    monkeypatch.setenv("ONEOF_DATA", str(small_mnist))
    with pytest.warns(UnverifiedDataWarning):
        assert len(load("mnist", "test")) == 6


def test_a_missing_file_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match=r"KMNIST: .*oneof data fetch kmnist.*ONEOF_DATA"):
        load("kmnist", root=tmp_path)


def test_check_reads_nothing_in(small_mnist: Path, tmp_path: Path) -> None:
    assert check("digits", tmp_path)
    with pytest.raises(MissingDataError, match=r"MNIST: .*train-images"):
        check("mnist", small_mnist, accept_unverified=True)


def test_an_unknown_split_is_refused() -> None:
    with pytest.raises(ValueError, match="split must be"):
        load("digits", "validation")


def test_digits_need_no_files(tmp_path: Path) -> None:
    assert len(load("digits", "train", root=tmp_path)) == 1347


def test_paper_sizes_are_a_fixed_subset_in_file_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "svhn").mkdir()
    pixels = np.zeros((32, 32, 3, 40), np.uint8)
    pixels[0, 0, 0] = np.arange(40)
    savemat(tmp_path / "svhn/test_32x32.mat", {"X": pixels, "y": np.full((40, 1), 10, np.uint8)})
    monkeypatch.setenv("ONEOF_ACCEPT_UNVERIFIED", "1")
    monkeypatch.setattr("oneof.datasets.loading.info", lambda name: _with_paper_sizes(name, (20, 15)))
    with pytest.warns(UnverifiedDataWarning):
        first = load("svhn", "test", root=tmp_path, paper_sizes=True)
    with pytest.warns(UnverifiedDataWarning):
        second = load("svhn", "test", root=tmp_path, paper_sizes=True)
    with pytest.warns(UnverifiedDataWarning):
        whole = load("svhn", "test", root=tmp_path)
    order = first.images[:, 0, 0, 0].astype(int)
    assert len(first) == 15
    assert (np.diff(order) > 0).all()
    assert order.tolist() != list(range(15))
    np.testing.assert_array_equal(first.images, second.images)
    assert len(whole) == 40
    assert not whole.labels.any()


def test_a_file_no_larger_than_the_papers_is_used_whole(small_mnist: Path) -> None:
    with pytest.warns(UnverifiedDataWarning):
        assert len(load("mnist", "test", root=small_mnist, accept_unverified=True, paper_sizes=True)) == 6


def _with_paper_sizes(name: str, sizes: tuple[int, int]) -> object:
    return replace(info(name), paper_sizes=sizes)


# The real files. First items and class counts are known facts of each data set.
@pytest.mark.parametrize(
    ("name", "first_train", "first_test"),
    [
        ("mnist", [5, 0, 4, 1, 9], [7, 2, 1, 0, 4]),
        ("fashionmnist", [9, 0, 0, 3, 0], [9, 2, 1, 1, 6]),
        ("kmnist", [8, 7, 0, 1, 4], [2, 9, 3, 8, 3]),
        ("usps", [6, 5, 4, 7, 3], [9, 6, 3, 6, 6]),
        ("cifar10", [6, 9, 9, 4, 1], [3, 8, 8, 0, 6]),
        ("emnist_letters", [22, 6, 15, 14, 22], [0, 0, 0, 0, 0]),
    ],
)
def test_real_files(real_root: Finder, name: str, first_train: list[int], first_test: list[int]) -> None:
    root, entry = real_root(name), info(name)
    for split, size, first in (("train", entry.sizes[0], first_train), ("test", entry.sizes[1], first_test)):
        data = load(name, split, root=root)
        assert data.images.shape == (size, *entry.shape)
        assert data.labels[:5].tolist() == first
        assert set(np.unique(data.labels)) == set(range(data.classes))


def test_real_usps_at_the_papers_sizes(real_root: Finder) -> None:
    root = real_root("usps")
    assert len(load("usps", "train", root=root, paper_sizes=True)) == 5000
    assert len(load("usps", "test", root=root, paper_sizes=True)) == 1000


def test_real_emnist_is_upright(real_root: Finder) -> None:
    data = load("emnist_letters", "test", root=real_root("emnist_letters"))
    # An I is tall: ink spreads over more rows than columns. An untransposed one would lie on its side.
    ink = (data.images[data.labels == 8, 0] > 127).mean(axis=0)
    rows, columns = (ink.sum(axis=1) > 1).sum(), (ink.sum(axis=0) > 1).sum()
    assert rows > columns
    # The bar of a T is at the top.
    letter_t = data.images[data.labels == 19, 0].mean(axis=0)
    assert letter_t[:14].sum() > letter_t[14:].sum()


def test_real_svhn(real_root: Finder) -> None:
    root = real_root("svhn")
    with warnings.catch_warnings():
        # The official file and a copy of its first items are both welcome here.
        warnings.simplefilter("ignore", UnverifiedDataWarning)
        data = load("svhn", "test", root=root, accept_unverified=True, paper_sizes=True)
    assert data.images.shape == (10000, 3, 32, 32)
    assert set(np.unique(data.labels)) == set(range(10))
    # The digit 1 is the most frequent in house numbers.
    assert np.bincount(data.labels).argmax() == 1
