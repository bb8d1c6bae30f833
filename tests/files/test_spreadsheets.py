"""Csv files as spreadsheets of several countries write them."""

from pathlib import Path

import pytest

from oneof.files.spreadsheets import Format, csv_format


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("id,text\n1,a;b\n", Format("utf-8-sig", ",")),
        ("id;text\n1;a,b\n", Format("utf-8-sig", ";")),
        ("\ufeffid;text\n1;a\n", Format("utf-8-sig", ";")),
        ("id\ttext\n1\ta,b;c\n", Format("utf-8-sig", "\t")),
        ('"id, of the item";text\n', Format("utf-8-sig", ";")),
        ("name\na;b\n", Format("utf-8-sig", ",")),
        ("", Format("utf-8-sig", ",")),
    ],
)
def test_the_first_line_tells(tmp_path: Path, content: str, expected: Format) -> None:
    path = tmp_path / "table.csv"
    path.write_text(content, encoding="utf-8")
    assert csv_format(path) == expected


def test_unicode_text_of_a_spreadsheet(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("id\ttext\n1\tZażółć\n", encoding="utf-16")
    assert csv_format(path) == Format("utf-16", "\t")


def test_what_cannot_be_read_is_left_to_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(b"id;\xe9t\xe9\n")
    assert csv_format(path) == Format("utf-8-sig", ",")


def test_tabs_by_the_name_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "table.TSV"
    path.write_text("a,b\n")
    assert csv_format(path).separator == "\t"
