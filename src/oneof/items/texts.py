"""The one reader of texts: tables (.csv .tsv .jsonl .parquet) with columns `id` and `text`, a .txt file with a text in
each line, or a folder of .txt files. Read as a stream; each text knows its place, and a bad one its problem."""

import csv
import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oneof.files.finding import find_files
from oneof.files.spreadsheets import csv_format, encoding

LONGEST_TEXT = 1_000_000
LONGEST_NAME = 500


@dataclass(frozen=True)
class Text:
    """A text and its id (name). place: the line or file it stands in, for errors. problem: why there is no text."""

    place: str
    name: str
    text: str
    problem: str | None = None


def read_texts(path: Path) -> Iterator[Text]:
    """Every text of a file or folder, in order; where one cannot be taken, its problem.

    Their names are the column `id`, in a .txt file the number of the line, from 1, in a folder the name of the file.

    >>> from tempfile import mkdtemp
    >>> table = Path(mkdtemp()) / "texts.csv"
    >>> _ = table.write_text("id,text\\na1,Good morning\\na2,\\n")
    >>> [(one.name, one.text, one.problem) for one in read_texts(table)]
    [('a1', 'Good morning', None), ('a2', '', '`text` is empty')]
    """
    if path.is_dir():
        rows: Iterator[tuple[str, Any]] = _folder(path)
    elif not path.is_file():
        raise FileNotFoundError(f"{path}: no such file")
    elif path.suffix.lower() not in READERS:
        raise ValueError(f"{path}: expected texts in {', '.join(READERS)}, or a folder of .txt files")
    else:
        rows = READERS[path.suffix.lower()](path)
    yield from (_checked(place, row) for place, row in rows)


def columns(path: Path) -> list[str]:
    """The names of a table's columns; of .jsonl those of the first row that can be read.

    >>> from tempfile import mkdtemp
    >>> table = Path(mkdtemp()) / "texts.tsv"
    >>> _ = table.write_text("id\\ttext\\n")
    >>> columns(table)
    ['id', 'text']
    """
    kind = path.suffix.lower()
    if kind == ".parquet":
        return [str(name) for name in _parquet_schema(path).names]
    if kind == ".jsonl":
        problem = ""
        for _, row in _jsonl_rows(path):
            if isinstance(row, dict):
                return list(row)
            problem = problem or (row if isinstance(row, str) else "expected an object in each line")
        if problem:
            raise ValueError(f"{path}: not a table: {problem}")
        return []
    written = csv_format(path)
    with path.open(encoding=written.encoding, newline="") as stream:
        try:
            return [name.strip() for name in next(_csv_reader(stream, written.separator), [])]
        except UnicodeError as error:
            raise ValueError(f"{path}: not a table: {_not_utf8(error)}") from None
        except (csv.Error, ValueError) as error:
            raise ValueError(f"{path}: not a table: {error}") from None


def text_hash(text: str) -> bytes:
    """The SHA-256 of a text, by which it is recognised."""
    return hashlib.sha256(b"text\0" + text.encode()).digest()


def _checked(place: str, row: Any) -> Text:
    """The text in a row {id, text}; a row that is a string is the problem with what could not be read."""
    if isinstance(row, str):
        return Text(place, "", "", row)
    if not isinstance(row, dict):
        return Text(place, "", "", "expected an object with `id` and `text`")
    name, text = row.get("id"), row.get("text")
    known = str(name) if type(name) in (str, int) else ""
    for column, value in (("id", name), ("text", text)):
        if value is None:
            return Text(place, known, "", f"no `{column}`")
    if (not known and not isinstance(name, str)) or not isinstance(text, str):
        return Text(place, known, "", "expected `id` as text or a whole number, and `text` as text")
    for column, value, longest in (("id", known, LONGEST_NAME), ("text", text, LONGEST_TEXT)):
        problem = bad_text(value, longest)
        if problem:
            return Text(place, known, "", f"`{column}` {problem}")
    return Text(place, known, text)


def bad_text(value: str, longest: int) -> str | None:
    """What is wrong with a text that is to be stored and shown, or None.

    >>> bad_text("a\\0b", longest=10)
    'holds a zero byte'
    """
    if not value.strip():
        return "is empty"
    if len(value) > longest:
        return f"is longer than {longest} characters"
    if "\0" in value:
        return "holds a zero byte"
    try:
        value.encode()
    except UnicodeEncodeError:
        return "is not valid Unicode"
    return None


def _csv_reader(stream: Any, separator: str) -> Any:
    csv.field_size_limit(16 * LONGEST_TEXT)
    return csv.reader(stream, delimiter=separator, strict=True)


def _csv_rows(path: Path) -> Iterator[tuple[str, Any]]:
    written = csv_format(path)
    with path.open(encoding=written.encoding, newline="") as stream:
        reader = _csv_reader(stream, written.separator)
        try:
            header = [name.strip() for name in next(reader, [])]
            _need_columns(path, header)
            for cells in reader:
                if not cells:
                    continue
                place = f"line {reader.line_num}"
                if len(cells) > len(header):
                    yield place, "more cells than columns"
                else:
                    yield place, dict(zip(header, cells, strict=False))
        except csv.Error as error:
            yield f"line {reader.line_num}", f"not proper CSV: {error}"
        except UnicodeDecodeError as error:
            yield f"after line {reader.line_num}", f"{_not_utf8(error)}; nothing after it was read"


def _jsonl_rows(path: Path) -> Iterator[tuple[str, Any]]:
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip():
                continue
            place = f"line {number}"
            try:
                yield place, json.loads(line.decode("utf-8-sig"))
            except UnicodeDecodeError as error:
                yield place, f"not UTF-8: {error.reason}"
            except (ValueError, RecursionError) as error:  # ValueError: also a number of thousands of digits
                yield place, f"not proper JSON: {getattr(error, 'msg', type(error).__name__)}"


def _parquet_schema(path: Path) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.read_schema(path)
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"{path}: not a table: {error}") from None


def _parquet_rows(path: Path) -> Iterator[tuple[str, Any]]:
    import pyarrow.parquet as pq

    _need_columns(path, _parquet_schema(path).names)
    with pq.ParquetFile(path) as file:
        number = 0
        for batch in file.iter_batches(batch_size=1000, columns=["id", "text"]):
            for row in batch.to_pylist():
                number += 1
                yield f"row {number}", row


def _lines(path: Path) -> Iterator[tuple[str, Any]]:
    number = 0
    try:
        with path.open(encoding=encoding(path)) as stream:
            for number, line in enumerate(stream, 1):
                if line.strip():
                    yield f"line {number}", {"id": number, "text": line.rstrip("\r\n")}
    except UnicodeDecodeError as error:
        yield f"after line {number}", f"{_not_utf8(error)}; nothing after it was read"


def _folder(folder: Path) -> Iterator[tuple[str, Any]]:
    for path in sorted(find_files(folder, {".txt"})):
        name = path.relative_to(folder).as_posix()
        place = f"file {name!r}"
        try:
            if not path.is_file():
                yield place, "not a file"
            elif path.stat().st_size > 4 * LONGEST_TEXT:
                yield place, f"is longer than {LONGEST_TEXT} characters"
            else:
                yield place, {"id": name, "text": path.read_text(encoding=encoding(path))}
        except (OSError, UnicodeDecodeError) as error:
            yield place, f"not UTF-8: {error.reason}" if isinstance(error, UnicodeDecodeError) else str(error.strerror)


def _not_utf8(error: UnicodeError) -> str:
    return f"not UTF-8: {getattr(error, 'reason', error)}: save it in that encoding, in a spreadsheet as CSV UTF-8"


def _need_columns(path: Path, header: list[str]) -> None:
    for column in ("id", "text"):
        if header.count(column) != 1:
            raise ValueError(f"{path}: expected one column `{column}`, found columns {', '.join(header) or '(none)'}")


READERS: dict[str, Callable[[Path], Iterator[tuple[str, Any]]]] = {
    ".csv": _csv_rows,
    ".tsv": _csv_rows,
    ".jsonl": _jsonl_rows,
    ".parquet": _parquet_rows,
    ".txt": _lines,
}
