"""Room for arrays, in memory or on disk."""

import numpy as np
import pytest

from oneof.items import allocating


def test_a_large_array_is_on_disk(monkeypatch):
    monkeypatch.setattr(allocating, "IN_MEMORY", 5)
    small, large = (allocating.allocate((size,), np.dtype(np.uint8)) for size in (5, 6))
    assert not isinstance(small, np.memmap)
    assert isinstance(large, np.memmap)
    large[:] = np.arange(6)
    assert large.sum() == 15


def test_a_disk_without_room_is_told_before_anything_is_written(monkeypatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(allocating, "IN_MEMORY", 0)
    monkeypatch.setattr(allocating.os, "posix_fallocate", full)
    with pytest.raises(RuntimeError, match="choose another place with TMPDIR"):
        allocating.allocate((3,), np.dtype(np.float32))
