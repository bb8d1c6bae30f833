import re

import pytest

from oneof.datasets import info, names


def test_all_eight_are_there() -> None:
    eight = ("mnist", "fashionmnist", "kmnist", "usps", "svhn", "cifar10", "emnist_letters", "digits")
    assert set(eight) <= set(names())
    assert [len(info(name).class_names) for name in eight] == [10, 10, 10, 10, 10, 10, 26, 10]


@pytest.mark.parametrize("name", names())
def test_entries_are_consistent(name: str) -> None:
    entry = info(name)
    assert len(entry.class_names) == len(set(entry.class_names))
    assert all(paper <= official for paper, official in zip(entry.paper_sizes, entry.sizes, strict=True))
    for thing in (*entry.files, *entry.downloads):
        assert re.fullmatch("md5:[0-9a-f]{32}|sha256:[0-9a-f]{64}", thing.checksum)
    offered = [target for download in entry.downloads for target in (download.members.values() or [download.name])]
    assert sorted(offered) == sorted(file.name for file in entry.files)
    assert len({file.checksum for file in entry.files}) == len(entry.files)
