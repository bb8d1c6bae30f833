"""Items as they come: pictures in a folder, texts in a CSV, JSONL or Parquet file; read as a stream."""

import csv
import hashlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from oneof.annotation.project.classes import IMAGE_TYPES, ProjectError

LONGEST_TEXT = 1_000_000
LONGEST_NAME = 500


@dataclass(frozen=True)
class Incoming:
    """One item on its way in. place: where it stands, for errors. problem: why it cannot be taken."""

    place: str
    name: str
    kind: str
    content_hash: str = ""
    text: str | None = None
    problem: str | None = None


def read_items(path: Path) -> Iterator[Incoming]:
    """The items of a folder of pictures or of a table of texts (columns `id` and `text`).

    >>> from tempfile import mkdtemp
    >>> table = Path(mkdtemp()) / "texts.csv"
    >>> _ = table.write_text("id,text\\na1,Good morning\\n")
    >>> [(item.name, item.text) for item in read_items(table)]
    [('a1', 'Good morning')]
    """
    if path.is_dir():
        yield from _read_folder(path)
        return
    readers: dict[str, Callable[[Path], Iterator[tuple[str, Any]]]] = {
        ".csv": _csv_rows,
        ".jsonl": _jsonl_rows,
        ".parquet": _parquet_rows,
    }
    if path.suffix.lower() not in readers:
        raise ProjectError(f"{path}: expected a folder of pictures, or a .csv, .jsonl or .parquet file")
    if not path.is_file():
        raise ProjectError(f"{path}: no such file")
    for place, row in readers[path.suffix.lower()](path):
        yield _text_item(place, row)


def _read_folder(root: Path) -> Iterator[Incoming]:
    real_root = root.resolve()
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for file in sorted(files):
            path = Path(folder, file)
            if path.suffix.lower() not in IMAGE_TYPES or file.startswith("."):
                continue
            name = path.relative_to(root).as_posix()
            yield _image_item(path, name, real_root)


def _image_item(path: Path, name: str, real_root: Path) -> Incoming:
    def refuse(problem: str) -> Incoming:
        return Incoming(f"file {name!r}", name, "image", problem=problem)

    problem = _bad_text(name, LONGEST_NAME)
    if problem:
        return refuse(f"file name {problem}")
    try:
        # A pipe, whose reader would wait for somebody to write into it; or a link to nothing, or round in a circle.
        if not path.is_file():
            return refuse("not a file")
        if not path.resolve().is_relative_to(real_root):
            return refuse("a link that leads outside the folder")
        # Opening reads the header alone, which tells a picture from something else with its name.
        with Image.open(path):
            pass
        with path.open("rb") as stream:
            content = hashlib.file_digest(stream, "sha256")
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        return refuse(f"not a picture that can be read ({type(error).__name__})")
    return Incoming(f"file {name!r}", name, "image", content.hexdigest())


def _text_item(place: str, row: Any) -> Incoming:
    def refuse(problem: str) -> Incoming:
        return Incoming(place, "", "text", problem=problem)

    if isinstance(row, str):
        return refuse(row)
    if not isinstance(row, dict):
        return refuse("expected an object with `id` and `text`")
    for column in ("id", "text"):
        if row.get(column) is None:
            return refuse(f"no `{column}`")
    if type(row["id"]) not in (str, int) or not isinstance(row["text"], str):
        return refuse("expected `id` as text or a whole number, and `text` as text")
    name, text = str(row["id"]), row["text"]
    if not name.strip() or not text.strip():
        return refuse("`id` or `text` is empty")
    for column, value, longest in (("id", name, LONGEST_NAME), ("text", text, LONGEST_TEXT)):
        problem = _bad_text(value, longest)
        if problem:
            return refuse(f"`{column}` {problem}")
    digest = hashlib.sha256(b"text\0" + text.encode()).hexdigest()
    return Incoming(place, name, "text", digest, text)


def _bad_text(value: str, longest: int) -> str | None:
    if len(value) > longest:
        return f"is longer than {longest} characters"
    if "\0" in value:
        return "holds a zero byte"
    try:
        value.encode()
    except UnicodeEncodeError:
        return "is not valid Unicode"
    return None


def _csv_rows(path: Path) -> Iterator[tuple[str, Any]]:
    csv.field_size_limit(16 * LONGEST_TEXT)
    with path.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.DictReader(stream, strict=True)
        try:
            header = [str(name).strip() for name in reader.fieldnames or []]
            _need_columns(path, header)
            reader.fieldnames = header
            for row in reader:
                extra = None in row
                place = f"line {reader.line_num}"
                yield place, "more cells than columns" if extra else row
        except csv.Error as error:
            yield f"line {reader.reader.line_num}", f"not proper CSV: {error}"
        except UnicodeDecodeError as error:
            yield f"after line {reader.reader.line_num}", f"not UTF-8: {error.reason}"


def _jsonl_rows(path: Path) -> Iterator[tuple[str, Any]]:
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip():
                continue
            place = f"line {number}"
            try:
                yield place, json.loads(line)
            except (ValueError, RecursionError) as error:  # ValueError: also a number of thousands of digits
                yield place, f"not proper JSON: {getattr(error, 'msg', type(error).__name__)}"


def _parquet_rows(path: Path) -> Iterator[tuple[str, Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
    except (pa.ArrowException, OSError) as error:
        raise ProjectError(f"{path}: not a Parquet file: {error}") from None
    with file:
        _need_columns(path, file.schema_arrow.names)
        number = 0
        for batch in file.iter_batches(batch_size=1000, columns=["id", "text"]):
            for row in batch.to_pylist():
                number += 1
                yield f"row {number}", row


def _need_columns(path: Path, header: list[str]) -> None:
    for column in ("id", "text"):
        if header.count(column) != 1:
            raise ProjectError(f"{path}: expected one column `{column}`, found columns {', '.join(header) or '(none)'}")
