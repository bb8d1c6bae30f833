import re

import pytest

from oneof.datasets import DataError, info, names


def test_all_eight_are_there() -> None:
    assert names() == ("mnist", "fashionmnist", "kmnist", "usps", "svhn", "cifar10", "emnist_letters", "digits")


@pytest.mark.parametrize(
    ("spelling", "name"),
    [("CIFAR-10", "cifar10"), ("EMNIST-Letters", "emnist_letters"), ("FashionMNIST", "fashionmnist")],
)
def test_the_papers_spelling_works(spelling: str, name: str) -> None:
    assert info(spelling).name == name
    assert info(name).title == spelling


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(DataError, match=r"unknown data set 'imagenet'; known: mnist, .*digits"):
        info("imagenet")


@pytest.mark.parametrize("name", names())
def test_entries_are_consistent(name: str) -> None:
    entry = info(name)
    assert len(entry.class_names) == len(set(entry.class_names)) == (26 if name == "emnist_letters" else 10)
    assert all(paper <= official for paper, official in zip(entry.paper_sizes, entry.sizes, strict=True))
    for thing in (*entry.files, *entry.downloads):
        assert re.fullmatch("md5:[0-9a-f]{32}|sha256:[0-9a-f]{64}", thing.checksum)
    offered = [target for download in entry.downloads for target in (download.members.values() or [download.name])]
    assert sorted(offered) == sorted(file.name for file in entry.files)
    assert len({file.checksum for file in entry.files}) == len(entry.files)
