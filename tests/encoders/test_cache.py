"""Features on disk."""

import numpy as np
import pytest

from oneof.encoders.cache import FeatureCache, cache_folder


def test_rows_come_back_by_key(own_cache):
    assert cache_folder() == own_cache
    cache = FeatureCache("f")
    assert cache.get([b"a"]) == {}
    rows = {bytes([number, 1]): np.full(3, number, np.float32) for number in range(250)} | {
        b"x": np.zeros(3, np.float32)
    }
    cache.put(rows)
    found = FeatureCache("f").get([*rows, *(b"%d" % number for number in range(1000))])
    assert found.keys() == rows.keys()
    assert all((found[key] == rows[key]).all() for key in rows)
    assert FeatureCache("g").get([b"x"]) == {}


def test_a_damaged_cache_says_what_to_do():
    cache = FeatureCache("f")
    cache.put({b"a": np.zeros(3, np.float32)})
    cache.path.write_bytes(b"not a database, but long enough to look at" * 100)
    with pytest.raises(OSError, match=r"f\.sqlite: the cache of features cannot be used .*: delete it"):
        cache.get([b"a"])


def test_a_cache_folder_that_cannot_be_made_says_what_to_do(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("ONEOF_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(OSError, match=r"file/cache: nothing can be kept in this cache folder .* in ONEOF_CACHE"):
        FeatureCache("f")
    monkeypatch.setenv("ONEOF_CACHE", str(tmp_path))
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(OSError, match=r"\(not allowed\)"):
        cache_folder()
