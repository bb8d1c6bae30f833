import gzip
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from oneof.datasets import FormatError
from oneof.datasets.usps import load_usps


def write(path: Path, rows: NDArray[np.float64]) -> Path:
    lines = [f"{row[0]:.4f} " + " ".join(f"{value:.4f}" for value in row[1:]) + " \n" for row in rows]
    path.write_bytes(gzip.compress("".join(lines).encode()))
    return path


def rows(n: int = 4) -> NDArray[np.float64]:
    rng = np.random.default_rng(0)
    return np.column_stack([np.arange(n), np.round(rng.uniform(-1, 1, (n, 256)), 3)])


def test_values_become_the_nearest_grey_level(tmp_path: Path) -> None:
    table = rows()
    table[0, 1:4] = [-1, 0, 1]
    images, labels = load_usps(write(tmp_path / "zip.train.gz", table))
    assert images.shape == (4, 1, 16, 16)
    assert labels.tolist() == [0, 1, 2, 3]
    assert images[0, 0, 0, :3].tolist() == [0, 128, 255]
    recovered = images.reshape(4, 256) / 127.5 - 1
    assert np.abs(recovered - table[:, 1:]).max() <= 0.5 / 127.5 + 1e-12


def test_one_line_is_a_table_too(tmp_path: Path) -> None:
    images, labels = load_usps(write(tmp_path / "zip.test.gz", rows(1)))
    assert images.shape == (1, 1, 16, 16)
    assert labels.tolist() == [0]


@pytest.mark.parametrize(
    ("line", "column", "value", "complaint"),
    [
        (2, 0, 10, r"line 3: expected a label in 0\.\.9, found 10"),
        (1, 7, -1.5, r"line 2: expected values in \[-1, 1\], found 1.5"),
    ],
)
def test_a_bad_value_names_its_line(tmp_path: Path, line: int, column: int, value: float, complaint: str) -> None:
    table = rows()
    table[line, column] = value
    with pytest.raises(FormatError, match=complaint):
        load_usps(write(tmp_path / "zip.train.gz", table))


@pytest.mark.parametrize("text", [b"1.0 0.5 0.5\n", b"1.0 0.5\n1.0\n", b"one two\n"])
def test_another_table_is_refused(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "zip.train.gz"
    path.write_bytes(gzip.compress(text))
    with pytest.raises(FormatError, match=r"zip\.train\.gz"):
        load_usps(path)


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "zip.train.gz"
    path.write_bytes(gzip.compress(b""))
    with pytest.raises(FormatError, match=r"zip\.train\.gz: the file is empty"):
        load_usps(path)
