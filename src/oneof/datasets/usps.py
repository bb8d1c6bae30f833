"""USPS as published with "The Elements of Statistical Learning": gzipped text, a 16 x 16 digit in each line.

A line is the label and 256 grey values in [-1, 1], -1 for the background, with three decimals.
"""

import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from oneof.datasets.errors import FormatError
from oneof.datasets.gzipped import read_gzip

SIDE = 16


def load_usps(path: Path) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Images uint8 (n, 1, 16, 16) and labels int64 (n,) of `zip.train.gz` or `zip.test.gz`.

    A value v becomes the nearest of 256 grey levels, round((v + 1) * 127.5): -1 is 0 and 1 is 255, and no value moves
    by more than half a level (0.004).
    """
    text = read_gzip(path)
    if not text.strip():
        raise FormatError(f"{path}: the file is empty")
    try:
        table = np.loadtxt(io.BytesIO(text), dtype=np.float64, ndmin=2)
    except ValueError as error:
        raise FormatError(f"{path}: not a table of numbers ({error})") from error
    if table.shape[1] != 1 + SIDE * SIDE:
        raise FormatError(f"{path}: a line holds a label and {SIDE * SIDE} values, the file is {table.shape}")
    labels, values = table[:, 0], table[:, 1:]
    _refuse_first(path, ~np.isin(labels, np.arange(10)), "a label in 0..9", labels)
    largest = np.abs(values).max(axis=1)
    _refuse_first(path, largest > 1, "values in [-1, 1]", largest)
    pixels = np.rint((values + 1) * 127.5).astype(np.uint8).reshape(-1, 1, SIDE, SIDE)
    return pixels, labels.astype(np.int64)


def _refuse_first(path: Path, bad: NDArray[np.bool_], expected: str, found: NDArray[np.float64]) -> None:
    if bad.any():
        line = int(bad.argmax())
        raise FormatError(f"{path}, line {line + 1}: expected {expected}, found {found[line]:g}")
