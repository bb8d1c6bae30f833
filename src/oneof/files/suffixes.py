"""The kind of a file, which its suffix tells; capitals mean the same."""

from collections.abc import Sequence
from pathlib import Path

from oneof.files.atomic import refuse_missing_folder


def checked_suffix(path: Path, suffixes: Sequence[str]) -> str:
    """The suffix in small letters; an error if it is none of these.

    >>> checked_suffix(Path("answers.CSV"), (".csv", ".parquet"))
    '.csv'
    """
    suffix = path.suffix.lower()
    if suffix not in suffixes:
        expected = " or ".join(filter(None, (", ".join(suffixes[:-1]), suffixes[-1])))
        raise ValueError(f"{path}: unknown kind of file {path.suffix!r}, expected {expected}")
    return suffix


def suffix_to_write(path: Path, suffixes: Sequence[str]) -> str:
    """The same for a file that will be written; an error also if its folder is missing, before anything is computed."""
    refuse_missing_folder(path)
    return checked_suffix(path, suffixes)
