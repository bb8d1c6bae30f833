"""Small files in the official formats, made by the tests, and the real files where ONEOF_DATA has them."""

from __future__ import annotations

import gzip
import os
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from oneof.datasets import info


@pytest.fixture
def write_idx() -> Callable[[Path, NDArray[np.uint8]], Path]:
    def write(path: Path, array: NDArray[np.uint8]) -> Path:
        header = bytes([0, 0, 8, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(header + array.astype(np.uint8).tobytes()))
        return path

    return write


@pytest.fixture
def real_root() -> Callable[[str], Path]:
    """Return the folder of real files, or skip: the data sets are too large to come with the tests."""

    def find(name: str) -> Path:
        root = os.environ.get("ONEOF_DATA")
        if not root:
            pytest.skip("ONEOF_DATA is not set")
        entry = info(name)
        for file in entry.files:
            if not (Path(root) / entry.name / file.name).is_file():
                pytest.skip(f"ONEOF_DATA has no {entry.name}/{file.name}")
        return Path(root)

    return find


@pytest.fixture(autouse=True)
def strict_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ONEOF_ACCEPT_UNVERIFIED", raising=False)
