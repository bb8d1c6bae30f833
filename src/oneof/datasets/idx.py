"""IDX, the format of MNIST and its relatives: a big-endian header, then unsigned bytes.

Header: two zero bytes, a type code (8 = unsigned byte), the number of dimensions, then a 32-bit size for each
dimension.
"""

import math
import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from oneof.datasets.errors import FormatError
from oneof.datasets.gzipped import read_gzip

UNSIGNED_BYTE = 8


def read_idx(path: Path, dimensions: int) -> NDArray[np.uint8]:
    """A gzipped IDX file of unsigned bytes, such as `train-images-idx3-ubyte.gz`: a read-only array of its shape.

    dimensions: how many the file must have, 3 for images, 1 for labels.
    """
    content = read_gzip(path)
    header_bytes = 4 + 4 * dimensions
    magic = bytes([0, 0, UNSIGNED_BYTE, dimensions])
    if content[:4] != magic:
        raise FormatError(
            f"{path}: an IDX file with {dimensions} dimensions starts with {magic!r}, not {content[:4]!r}"
        )
    if len(content) < header_bytes:
        raise FormatError(f"{path}: the IDX header needs {header_bytes} bytes, the file holds {len(content)}")
    shape = struct.unpack(f">{dimensions}I", content[4:header_bytes])
    expected = math.prod(shape)
    if len(content) - header_bytes != expected:
        raise FormatError(
            f"{path}: the header promises {' x '.join(map(str, shape))} = {expected} bytes, "
            f"{len(content) - header_bytes} follow"
        )
    return np.frombuffer(content, dtype=np.uint8, offset=header_bytes).reshape(shape)


def load_idx(
    images: Path, labels: Path, *, first_label: int = 0, transposed: bool = False
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Images uint8 (n, 1, h, w) and labels int64 (n,) from an IDX file with 3 dimensions and one with 1.

    first_label: the label of the first class in the file; it becomes 0 (EMNIST-Letters counts from 1). transposed:
    the file stores columns as rows, as EMNIST does; the images come out upright.
    """
    pixels = read_idx(images, dimensions=3)
    classes = read_idx(labels, dimensions=1).astype(np.int64) - first_label
    if len(pixels) != len(classes):
        raise FormatError(f"{images} holds {len(pixels)} images, but {labels} holds {len(classes)} labels")
    if transposed:
        pixels = pixels.transpose(0, 2, 1)
    return np.ascontiguousarray(pixels)[:, None], classes
