"""The encoding of a csv file and the separator of its cells, which differ between spreadsheets and countries."""

import csv
from dataclasses import dataclass
from pathlib import Path

SEPARATORS = ",;\t"


@dataclass(frozen=True)
class Format:
    """How a csv file is written. separator: one of `SEPARATORS`."""

    encoding: str
    separator: str


def encoding(path: Path) -> str:
    """The encoding of a text file: UTF-16 if it begins with its byte order mark, else UTF-8, with or without one."""
    with path.open("rb") as stream:
        return "utf-16" if stream.read(2) in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"


def csv_format(path: Path) -> Format:
    """How the file is written, by its first line: the first of `SEPARATORS` that splits it, else a comma.

    A `.tsv` file has tabs.

    >>> from tempfile import mkdtemp
    >>> table = Path(mkdtemp()) / "texts.csv"
    >>> _ = table.write_text("id;text\\n1;One, two\\n")
    >>> csv_format(table)
    Format(encoding='utf-8-sig', separator=';')
    """
    known = encoding(path)
    if path.suffix.lower() == ".tsv":
        return Format(known, "\t")
    try:
        with path.open(encoding=known, newline="") as stream:
            line = stream.readline(1_000_000)
        found = [mark for mark in SEPARATORS if len(next(csv.reader([line], delimiter=mark), [])) > 1]
    except (UnicodeDecodeError, csv.Error):
        # Reading the whole file will show where it is broken.
        found = []
    return Format(known, (found or [","])[0])
