"""Gzip files as bytes."""

import gzip
import zlib
from pathlib import Path

from oneof.datasets.errors import FormatError


def read_gzip(path: Path) -> bytes:
    """The decompressed content of a gzip file; a broken stream is a FormatError that names the file."""
    try:
        with gzip.open(path, "rb") as stream:
            return stream.read()
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FormatError(f"{path}: not a whole gzip file ({error}); fetch it again") from error
