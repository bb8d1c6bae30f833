import pytest

from oneof.datasets import DataError, DatasetInfo, info, register
from oneof.datasets.registry import Download, SourceFile, downloads_of


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


def test_a_name_that_is_taken_and_an_entry_without_a_reader_are_refused() -> None:
    entry = info("digits")
    with pytest.raises(DataError, match="there is a data set 'digits' already"):
        register(entry)
    with pytest.raises(DataError, match="the data set 'lamps' needs a function `read`"):
        register(DatasetInfo("lamps", "Lamps", "", (1, 1), (1, 1), (1, 8, 8), ("off", "on")))


def test_every_file_is_offered_at_every_address() -> None:
    (download,) = downloads_of((SourceFile("a.gz", "md5:0"),), (7,), "http://one/", "http://two/")
    assert download == Download("a.gz", ("http://one/a.gz", "http://two/a.gz"), "md5:0", 7)
