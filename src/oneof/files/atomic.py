"""Files written whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp


@contextmanager
def replacing(path: str | Path, mode: int = 0o666) -> Iterator[Path]:
    """A temporary path in the same folder; when the block ends well it becomes `path`, otherwise it is removed.

    mode: who may read it, less the umask; 0o600 for a secret, which others cannot read at any moment.

    >>> from tempfile import mkdtemp
    >>> target = Path(mkdtemp()) / "note.txt"
    >>> with replacing(target) as part:
    ...     _ = part.write_text("whole")
    >>> target.read_text()
    'whole'
    """
    path = Path(path)
    refuse_missing_folder(path)
    # The suffix stays, in small letters: writers such as numpy.savez choose the format by it, or add one.
    handle, name = mkstemp(dir=path.parent, prefix=f".{path.stem}.", suffix=path.suffix.lower())
    os.close(handle)
    part = Path(name)
    try:
        yield part
        with part.open("rb+") as stream:
            os.fsync(stream.fileno())
        umask = os.umask(0)
        os.umask(umask)
        part.chmod(mode & ~umask)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def refuse_missing_folder(path: Path) -> None:
    """Raise if the folder is not there that the file would be written to."""
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: there is no folder {path.parent} to write it to")
