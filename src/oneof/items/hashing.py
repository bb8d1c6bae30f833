"""Items by their content, so that a model knows again what it was trained on, whatever it is called by then."""

import hashlib
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from oneof.items.pictures import Pictures, Unreadable
from oneof.items.texts import content

BYTES = 16


def content_hashes(x: Any) -> NDArray[np.uint8]:
    """The first 16 bytes of the SHA-256 of each item, uint8 (n, 16): texts, `Pictures`, arrays or a sparse matrix.

    A picture that cannot be read has zeros. Sparse matrices are csr.

    >>> first, second = content_hashes(np.array([[1.0, 2.0], [1.0, 3.0]]))
    >>> bool((first == second).all())
    False
    """
    rows: Any = x
    out = np.zeros((rows.shape[0] if hasattr(rows, "shape") else len(rows), BYTES), dtype=np.uint8)
    for number in range(len(out)):
        out[number] = np.frombuffer(_one(rows, number)[:BYTES], dtype=np.uint8)
    return out


def _one(x: Any, row: int) -> bytes:
    if isinstance(x, Pictures):
        try:
            return x.content(row)
        except Unreadable:
            return bytes(BYTES)
    if isinstance(x, (sp.csr_matrix, sp.csr_array)):
        part = x[row]
        return hashlib.sha256(part.indices.tobytes() + part.data.tobytes()).digest()
    item = x[row]
    if isinstance(item, str):
        return content(item)
    numbers = np.ascontiguousarray(item)
    return hashlib.sha256(f"{numbers.dtype}{numbers.shape}".encode() + numbers.tobytes()).digest()


def among(hashes: NDArray[np.uint8], known: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Which of the hashes (n, 16) are among the known ones, bool (n,).

    >>> some = content_hashes(np.arange(6).reshape(3, 2))
    >>> among(some, some[1:2]).tolist()
    [False, True, False]
    """
    return np.isin(_keys(hashes), _keys(known))


def _keys(hashes: NDArray[np.uint8]) -> NDArray[Any]:
    return np.ascontiguousarray(hashes).view(f"V{BYTES}").ravel()
