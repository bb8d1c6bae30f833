from pathlib import Path

import numpy as np
import pytest

from oneof.datasets import FormatError
from oneof.datasets.cifar import RECORD, load_cifar10


def records(n: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.integers(0, 10, n), rng.integers(0, 256, (n, RECORD - 1))]).astype(np.uint8)


def test_batches_are_joined_in_order(tmp_path: Path) -> None:
    first, second = records(2, 1), records(3, 2)
    (tmp_path / "1.bin").write_bytes(first.tobytes())
    (tmp_path / "2.bin").write_bytes(second.tobytes())
    images, labels = load_cifar10(tmp_path / "1.bin", tmp_path / "2.bin")
    assert images.shape == (5, 3, 32, 32)
    assert labels.tolist() == [*first[:, 0], *second[:, 0]]
    # The green plane is the second run of 1024 bytes, row by row.
    assert images[3, 1, 2, 5] == second[1, 1 + 1024 + 2 * 32 + 5]


@pytest.mark.parametrize("cut", [0, 1, RECORD - 1, RECORD + 1])
def test_partial_records_are_refused(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "data_batch_1.bin"
    path.write_bytes(records(3).tobytes()[:cut])
    with pytest.raises(FormatError, match=rf"data_batch_1\.bin: expected whole records of 3073 bytes, .* {cut} bytes"):
        load_cifar10(path)


def test_a_label_outside_is_named(tmp_path: Path) -> None:
    path = tmp_path / "data_batch_1.bin"
    content = records(3)
    content[1, 0] = 200
    path.write_bytes(content.tobytes())
    with pytest.raises(FormatError, match=r"record 1 has label 200, expected 0\.\.9"):
        load_cifar10(path)
