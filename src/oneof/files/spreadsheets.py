"""How a csv file is written: its encoding, and what separates its cells. Spreadsheets differ by country and version."""

import csv
from dataclasses import dataclass
from pathlib import Path

SEPARATORS = ",;\t"


@dataclass(frozen=True)
class Format:
    """encoding: UTF-8, or UTF-16, which begins with a mark. separator: one of `SEPARATORS`."""

    encoding: str
    separator: str


def encoding(path: Path) -> str:
    """UTF-8, with or without the mark that spreadsheets write first, or UTF-16, which has to have one."""
    with path.open("rb") as stream:
        return "utf-16" if stream.read(2) in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"


def csv_format(path: Path) -> Format:
    """How the file is written, by its first line. Where that has a comma outside quotes, commas separate.

    A `.tsv` file has tabs. A line of one cell, or one that cannot be read, tells nothing: then a comma is expected.

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
        found = [one for one in SEPARATORS if len(next(csv.reader([line], delimiter=one), [])) > 1]
    except (UnicodeDecodeError, csv.Error):
        # Whoever reads the whole file says where it is broken.
        found = []
    return Format(known, (found or [","])[0])
