"""Take single members out of a tar.gz or zip archive, each written whole or not at all."""

import shutil
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from oneof.datasets.errors import FormatError
from oneof.files.atomic import replacing


def extract_members(archive: Path, members: Mapping[str, str], folder: Path) -> None:
    """Write members of a `.zip` or `.tar.gz` archive below a folder.

    members: name in the archive -> name below the folder. Only these are read, by exact name, so that an archive cannot
    write anywhere else.
    """
    for member, name in members.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with _open_member(archive, member) as stream, replacing(target) as part, part.open("wb") as output:
                shutil.copyfileobj(stream, output, length=1 << 20)
        except KeyError as error:
            raise FormatError(f"{archive}: {member} is not in the archive") from error
        except (tarfile.TarError, zipfile.BadZipFile, EOFError, zlib.error) as error:
            raise FormatError(f"{archive}: broken archive ({error}); fetch it again") from error


@contextmanager
def _open_member(archive: Path, member: str) -> Iterator[IO[bytes]]:
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as zipped, zipped.open(member) as stream:
            yield stream
        return
    with tarfile.open(archive, "r:*") as tarred:
        found = tarred.extractfile(member)
        if found is None:
            raise FormatError(f"{archive}: {member} is not a plain file")
        with found:
            yield found
