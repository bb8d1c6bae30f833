"""Room for many items at once, which may need more than there is memory."""

import os
from tempfile import TemporaryFile, gettempdir
from typing import Any

import numpy as np
from numpy.typing import NDArray

IN_MEMORY = 1 << 30
"""Bytes up to which an array is kept in memory."""


def allocate(shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """An array of this shape to be filled, in memory if it is small, else in a temporary file.

    The file is mapped into memory, and gone when nobody uses the array any more.

    >>> allocate((2, 3), np.dtype(np.uint8)).shape
    (2, 3)
    """
    size = int(np.prod(shape)) * dtype.itemsize
    if size <= IN_MEMORY:
        return np.empty(shape, dtype)
    with TemporaryFile(prefix="oneof-items-") as file:
        try:
            if hasattr(os, "posix_fallocate"):  # otherwise a full disk shows only later, and ends the process at once
                os.posix_fallocate(file.fileno(), 0, size)
        except OSError as error:
            missing = f"no room for {size / 1e9:.1f} GB in {gettempdir()}, choose another place with TMPDIR"
            raise RuntimeError(f"{missing} ({error})") from None
        return np.memmap(file, dtype=dtype, mode="r+", shape=shape)
