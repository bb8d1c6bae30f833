"""Hashes of what items contain, by which a model recognises those it was trained on, even under another name."""

import hashlib
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from oneof.items.pictures import Pictures, Unreadable, array_hash
from oneof.items.texts import text_hash

BYTES = 16


def content_hashes(x: Any) -> NDArray[np.uint8]:
    """The first 16 bytes of the SHA-256 of each item, uint8 (n, 16): texts, `Pictures`, arrays or a sparse matrix.

    A picture that cannot be read has zeros. Sparse matrices are csr.

    >>> first, second = content_hashes(np.array([[1.0, 2.0], [1.0, 3.0]]))
    >>> bool((first == second).all())
    False
    """
    hashes = np.zeros((x.shape[0] if hasattr(x, "shape") else len(x), BYTES), dtype=np.uint8)
    for row in range(len(hashes)):
        hashes[row] = np.frombuffer(_hash(x, row)[:BYTES], dtype=np.uint8)
    return hashes


def _hash(x: Any, row: int) -> bytes:
    if isinstance(x, Pictures):
        try:
            return x.content_hash(row)
        except Unreadable:
            return bytes(BYTES)
    if isinstance(x, (sp.csr_matrix, sp.csr_array)):
        part = x[row]
        return hashlib.sha256(part.indices.tobytes() + part.data.tobytes()).digest()
    item = x[row]
    return text_hash(item) if isinstance(item, str) else array_hash(item)


def among(hashes: NDArray[np.uint8], known: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Which of the hashes (n, 16) are among the known ones, bool (n,).

    >>> some = content_hashes(np.arange(6).reshape(3, 2))
    >>> among(some, some[1:2]).tolist()
    [False, True, False]
    """
    return np.isin(_keys(hashes), _keys(known))


def _keys(hashes: NDArray[np.uint8]) -> NDArray[Any]:
    return np.ascontiguousarray(hashes).view(f"V{BYTES}").ravel()
