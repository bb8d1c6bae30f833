import gzip
import struct
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from oneof.datasets import FormatError
from oneof.datasets.idx import load_idx, read_idx

Writer = Callable[[Path, NDArray[np.uint8]], Path]


def pictures(n: int) -> NDArray[np.uint8]:
    return np.random.default_rng(0).integers(0, 256, (n, 4, 3), dtype=np.uint8)


def test_a_file_reads_back_as_it_was_written(tmp_path: Path, write_idx: Writer) -> None:
    array = pictures(5)
    np.testing.assert_array_equal(read_idx(write_idx(tmp_path / "x.gz", array), 3), array)


def test_images_get_a_channel_and_labels_start_at_zero(tmp_path: Path, write_idx: Writer) -> None:
    array = pictures(3)
    labels = np.array([1, 26, 2], dtype=np.uint8)
    images, classes = load_idx(
        write_idx(tmp_path / "x.gz", array), write_idx(tmp_path / "y.gz", labels), first_label=1, transposed=True
    )
    assert images.shape == (3, 1, 3, 4)
    assert images.flags.c_contiguous
    np.testing.assert_array_equal(images[:, 0], array.transpose(0, 2, 1))
    assert classes.tolist() == [0, 25, 1]
    assert classes.dtype == np.int64


def test_as_many_labels_as_images_are_required(tmp_path: Path, write_idx: Writer) -> None:
    images = write_idx(tmp_path / "x.gz", pictures(3))
    labels = write_idx(tmp_path / "y.gz", np.zeros(2, np.uint8))
    with pytest.raises(FormatError, match=r"x\.gz holds 3 images, but .*y\.gz holds 2 labels"):
        load_idx(images, labels)


squeezed = partial(gzip.compress, mtime=0)
"""Without the time of day, which would name the tests below anew in every worker."""


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (squeezed(b"\0\0\x08\x01\0\0\0\x02ab"), "3 dimensions starts with"),
        (squeezed(b"\0\0\x0d\x03" + struct.pack(">3I", 1, 1, 1) + b"a"), "3 dimensions starts with"),
        (squeezed(b"\0\0\x08\x03\0\0"), "header needs 16 bytes, the file holds 6"),
        (
            squeezed(b"\0\0\x08\x03" + struct.pack(">3I", 2, 1, 2) + b"abc"),
            "promises 2 x 1 x 2 = 4 bytes, 3 follow",
        ),
        (
            squeezed(b"\0\0\x08\x03" + struct.pack(">3I", 2, 1, 1) + b"abc"),
            "promises 2 x 1 x 1 = 2 bytes, 3 follow",
        ),
        (squeezed(b"\0\0\x08\x03" + struct.pack(">3I", 2, 1, 1) + b"ab")[:-9], "not a whole gzip file"),
        (b"no gzip at all", "not a whole gzip file"),
        (b"", "3 dimensions starts with"),
    ],
)
def test_damage_is_named(tmp_path: Path, content: bytes, complaint: str) -> None:
    path = tmp_path / "images.gz"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=complaint) as caught:
        read_idx(path, 3)
    assert str(path) in str(caught.value)
