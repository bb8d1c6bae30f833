"""SVHN's cropped digits: MATLAB 5 files with X, uint8 (32, 32, 3, n), and y, (n, 1) with 10 for the digit 0."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from oneof.datasets.errors import FormatError


def load_svhn(path: Path) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Images uint8 (n, 3, 32, 32) and labels int64 (n,) of `train_32x32.mat` or `test_32x32.mat`; 0 is the digit 0."""
    from scipy.io import loadmat

    try:
        content = loadmat(path, variable_names=["X", "y"])
    # A damaged file raises anything from zlib.error to struct.error.
    except Exception as error:
        raise FormatError(f"{path}: not a whole MATLAB 5 file ({type(error).__name__}: {error})") from error
    missing = {"X", "y"} - content.keys()
    if missing:
        raise FormatError(f"{path}: expected the variables X and y, {' and '.join(sorted(missing))} not found")
    pixels, labels = content["X"], content["y"]
    if pixels.ndim != 4 or pixels.shape[:3] != (32, 32, 3) or pixels.dtype != np.uint8:
        raise FormatError(f"{path}: X must be uint8 (32, 32, 3, n), not {pixels.dtype} {pixels.shape}")
    if labels.size != pixels.shape[3]:
        raise FormatError(f"{path}: X holds {pixels.shape[3]} images, but y holds {labels.size} labels")
    digits = labels.ravel().astype(np.int64)
    outside = (digits < 1) | (digits > 10)
    if outside.any():
        item = int(outside.argmax())
        raise FormatError(f"{path}: y must be in 1..10, item {item} has {digits[item]}")
    return np.ascontiguousarray(pixels.transpose(3, 2, 0, 1)), digits % 10
