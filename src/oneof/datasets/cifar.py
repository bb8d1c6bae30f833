"""CIFAR-10's binary version: records of one label byte and 3072 pixel bytes, the planes red, green, blue."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from oneof.datasets.errors import FormatError

CHANNELS, SIDE = 3, 32
RECORD = 1 + CHANNELS * SIDE * SIDE


def load_cifar10(*batches: Path) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Images uint8 (n, 3, 32, 32) and labels int64 (n,) of `data_batch_*.bin` or `test_batch.bin`, joined in order."""
    records = np.concatenate([_read_batch(path) for path in batches])
    pixels = records[:, 1:].reshape(-1, CHANNELS, SIDE, SIDE)
    return np.ascontiguousarray(pixels), records[:, 0].astype(np.int64)


def _read_batch(path: Path) -> NDArray[np.uint8]:
    content = np.fromfile(path, dtype=np.uint8)
    if content.size == 0 or content.size % RECORD:
        raise FormatError(f"{path}: expected whole records of {RECORD} bytes, the file holds {content.size} bytes")
    records = content.reshape(-1, RECORD)
    outside = records[:, 0] > 9
    if outside.any():
        item = int(outside.argmax())
        raise FormatError(f"{path}: record {item} has label {records[item, 0]}, expected 0..9")
    return records
