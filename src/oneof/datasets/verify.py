"""Checksums: is a file byte for byte the official one? Each file is read at most once in a process."""

import hashlib
import os
import warnings
from functools import lru_cache
from pathlib import Path

from oneof.datasets.errors import ChecksumError, UnverifiedDataWarning

ACCEPT_VARIABLE = "ONEOF_ACCEPT_UNVERIFIED"


def digest(path: Path, algorithm: str) -> str:
    """The file's hexadecimal checksum; a file that has not changed is not read again."""
    state = path.stat()
    return _digest(str(path.resolve()), state.st_size, state.st_mtime_ns, algorithm)


# Size and time of change are part of the key, so that an edited file is read again.
@lru_cache(maxsize=1024)
def _digest(path: str, size: int, changed: int, algorithm: str) -> str:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, algorithm).hexdigest()


def is_official(path: Path, checksum: str) -> bool:
    """Whether the file has the published checksum, written "md5:..." or "sha256:..."."""
    algorithm, expected = checksum.split(":")
    return digest(path, algorithm) == expected


def accepts_unverified() -> bool:
    """Whether the environment accepts files that differ from the official ones."""
    return os.environ.get(ACCEPT_VARIABLE, "").strip().lower() in {"1", "true", "yes"}


def require_official(path: Path, checksum: str, *, accept_unverified: bool) -> None:
    """Refuse a file that differs from the official one; with `accept_unverified` warn instead."""
    if is_official(path, checksum):
        return
    algorithm, expected = checksum.split(":")
    difference = f"{path} is not the official file: expected {algorithm} {expected}, found {digest(path, algorithm)}"
    if not accept_unverified:
        raise ChecksumError(
            f"{difference}. Fetch it again, or accept it as it is with accept_unverified=True, "
            f"--accept-unverified or {ACCEPT_VARIABLE}=1"
        )
    warnings.warn(f"{difference}; used because unverified files are accepted", UnverifiedDataWarning, stacklevel=4)
