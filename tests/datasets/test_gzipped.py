import gzip
from pathlib import Path

import pytest

from oneof.datasets import FormatError
from oneof.datasets.gzipped import read_gzip


def test_content_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"hello"))
    assert read_gzip(path) == b"hello"


def test_altered_content_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    content = bytearray(gzip.compress(bytes(range(256)) * 8))
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(bytes(content))
    with pytest.raises(FormatError, match=r"a\.gz: not a whole gzip file"):
        read_gzip(path)
