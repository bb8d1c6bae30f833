"""Features on disk, by the content of the item: training again on the same pictures does not encode them again.

One SQLite file for each encoder, in the user's cache folder or where ONEOF_CACHE says. It may be deleted at any time.
"""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

KEYS_AT_ONCE = 500
"""Keys in one statement; SQLite takes a thousand at most."""


def cache_folder() -> Path:
    """The folder for what can be computed again; it is made now if it is not there yet."""
    import pooch

    folder = Path(os.environ.get("ONEOF_CACHE") or pooch.os_cache("oneof"))
    why = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror
    if why is None and not os.access(folder, os.W_OK):
        why = "not allowed"
    if why is not None:
        # A service without a home, for instance, has none by itself.
        raise OSError(f"{folder}: nothing can be kept in this cache folder ({why}); name another one in ONEOF_CACHE")
    return folder


class FeatureCache:
    """Rows of numbers by key. fingerprint: of the encoder that made them.

    >>> from tempfile import mkdtemp
    >>> cache = FeatureCache("an encoder", Path(mkdtemp()))
    >>> cache.put({b"first": np.ones(3, np.float32)})
    >>> sorted(cache.get([b"first", b"second"]))
    [b'first']
    """

    def __init__(self, fingerprint: str, folder: Path | None = None) -> None:
        self.path = (folder or cache_folder() / "features") / f"{fingerprint}.sqlite"

    def get(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float32]]:
        """The rows that are known, by key."""
        found: dict[bytes, NDArray[np.float32]] = {}
        if not self.path.is_file():
            return found
        with self._opened() as database:
            remaining = iter(keys)
            while some := list(islice(remaining, KEYS_AT_ONCE)):
                select = f"SELECT key, row FROM features WHERE key IN ({','.join('?' * len(some))})"
                found |= {key: np.frombuffer(row, np.float32) for key, row in database.execute(select, some)}
        return found

    def put(self, rows: dict[bytes, NDArray[np.float32]]) -> None:
        """Keep these rows."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._opened() as database, database:
            database.execute("CREATE TABLE IF NOT EXISTS features (key BLOB PRIMARY KEY, row BLOB) WITHOUT ROWID")
            values = [(key, row.astype(np.float32).tobytes()) for key, row in rows.items()]
            database.executemany("INSERT OR REPLACE INTO features VALUES (?, ?)", values)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self.path, timeout=60)) as database:
                yield database
        except sqlite3.DatabaseError as error:
            raise OSError(f"{self.path}: the cache of features cannot be used ({error}): delete it") from None
