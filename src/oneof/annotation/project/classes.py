"""The classes of a project: their names and, where that helps, definitions, example pictures and groups."""

import csv
import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from shutil import copyfile
from typing import Any, Literal

from oneof.files.spreadsheets import csv_format

FIELDS = ("name", "definition", "example", "parent")
NAMES = ("name", "label", "class")
"""What the column of names may be called."""
IMAGE_TYPES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".bmp": "image/bmp",
}
"""What every browser shows. svg is left out on purpose: it can carry a script."""


class ProjectError(ValueError):
    """A project, or a file or a value given to it, is wrong; the message says what to change."""


@dataclass(frozen=True)
class Class:
    """One class. example: the file name of a picture in the project's `examples` folder. parent: the group that it
    belongs to, a path such as "animal/bird" for groups within groups (`oneof.queries.groups`).

    The others are the history of the class, by editions of the list (see `lineage`). added, ended: the edition from
    which on it is there, and no longer there. into: the number of the class that it was merged into. before: which
    class its items belonged to before it was added: a class number, "none", or None if nobody knows. away: retirements
    and merges that were taken back, as (edition of the change, edition that took it back, class merged into). undone:
    whether the addition of this class was taken back.
    """

    name: str
    definition: str | None = None
    example: str | None = None
    parent: str | None = None
    added: int = field(default=0, repr=False)
    ended: int | None = field(default=None, repr=False)
    into: int | None = field(default=None, repr=False)
    before: int | Literal["none"] | None = field(default=None, repr=False)
    away: tuple[tuple[int, int, int | None], ...] = field(default=(), repr=False)
    undone: bool = field(default=False, repr=False)


def read_classes(path: Path) -> list[Class]:
    """The classes in a .txt (a name per line), .csv (name[, definition][, example][, parent]) or .json file.

    >>> from tempfile import mkdtemp
    >>> file = Path(mkdtemp()) / "classes.csv"
    >>> _ = file.write_text("name,definition\\ncat,a small feline\\ndog,\\n")
    >>> read_classes(file)[0]
    Class(name='cat', definition='a small feline', example=None, parent=None)
    """
    readers = {".txt": _read_txt, ".csv": _read_csv, ".json": _read_json}
    if path.suffix.lower() not in readers:
        raise ProjectError(f"{path}: expected a .txt, .csv or .json file of classes")
    try:
        rows = readers[path.suffix.lower()](path)
    except FileNotFoundError:
        raise ProjectError(f"{path}: no such file of classes") from None
    except (UnicodeDecodeError, csv.Error, json.JSONDecodeError) as error:
        raise ProjectError(f"{path}: cannot be read: {error}") from None
    found: dict[str, str] = {}
    classes = []
    for place, row in rows:
        one = _check(path, place, row)
        if one.name in found:
            raise ProjectError(f"{path}, {place}: class {one.name!r} stands already at {found[one.name]}")
        found[one.name] = place
        classes.append(one)
    if len(classes) < 2:
        raise ProjectError(f"{path}: {len(classes)} classes, expected at least 2")
    return classes


def adopt_examples(classes: list[Class], beside: Path, folder: Path) -> list[Class]:
    """The classes with their example pictures copied into `folder`, so that no file from elsewhere is ever served.

    beside: the folder that the names of the examples are relative to.
    """
    adopted = []
    for index, one in enumerate(classes):
        name = None
        if one.example is not None:
            name = f"{index}{Path(one.example).suffix.lower()}"
            folder.mkdir(exist_ok=True)
            copyfile(beside / one.example, folder / name)
        adopted.append(replace(one, example=name))
    return adopted


def dump_classes(classes: list[Class]) -> str:
    """The classes as JSON, for the project folder."""
    usual = asdict(Class(""))
    rows = [{k: v for k, v in asdict(one).items() if k in FIELDS or v != usual[k]} for one in classes]
    return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"


def load_classes(text: str) -> list[Class]:
    """The inverse of `dump_classes`."""
    rows = json.loads(text)
    return [
        Class(**row | {"away": tuple((since, until, into) for since, until, into in row.get("away", []))})
        for row in rows
    ]


def bad_name(name: str) -> str | None:
    """Why this cannot be the name of a class; None if it can."""
    if not name:
        return "a class without a name"
    if "|" in name or any(ord(letter) < 32 for letter in name):
        return f"class {name!r} may not hold | or a control character"
    return None


def _check(path: Path, place: str, row: dict[str, Any]) -> Class:
    unknown = set(row) - set(FIELDS)
    if unknown:
        raise ProjectError(f"{path}, {place}: unknown field {min(unknown, key=str)!r}, expected {', '.join(FIELDS)}")
    values = {field: str(row.get(field) or "").strip() for field in FIELDS}
    problem = bad_name(values["name"])
    if problem is not None:
        raise ProjectError(f"{path}, {place}: {problem}")
    if values["example"]:
        example = path.parent / values["example"]
        if example.suffix.lower() not in IMAGE_TYPES or not example.is_file():
            raise ProjectError(f"{path}, {place}: example {values['example']!r} is not a picture beside this file")
    definition, example_name, parent = (values[name] or None for name in FIELDS[1:])
    return Class(values["name"], definition, example_name, parent)


def _read_txt(path: Path) -> list[tuple[str, dict[str, Any]]]:
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    return [(f"line {number}", {"name": line}) for number, line in enumerate(lines, 1) if line.strip()]


def _read_csv(path: Path) -> list[tuple[str, dict[str, Any]]]:
    written = csv_format(path)
    with path.open(encoding=written.encoding, newline="") as stream:
        reader = csv.reader(stream, delimiter=written.separator, strict=True)
        rows = [(f"line {reader.line_num}", row) for row in reader if any(cell.strip() for cell in row)]
    header = [cell.strip().lower() for cell in rows[0][1]] if rows else []
    if set(NAMES) & set(header):
        header = ["name" if field in NAMES else field for field in header]
        if header.count("name") > 1:
            raise ProjectError(f"{path}, {rows[0][0]}: two columns of names; expected {', '.join(FIELDS)}")
        rows = rows[1:]
    else:
        # A file without a header holds the fields in their order.
        header = list(FIELDS)
    too_long = next((place for place, row in rows if len(row) > len(header)), None)
    if too_long is not None:
        raise ProjectError(f"{path}, {too_long}: more than {len(header)} columns")
    return [(place, dict(zip(header, row, strict=False))) for place, row in rows]


def _read_json(path: Path) -> list[tuple[str, dict[str, Any]]]:
    rows = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(rows, list) or not all(isinstance(row, (str, dict)) for row in rows):
        raise ProjectError(f'{path}: expected a list of names or of {{"name": ..., "definition": ...}}')
    return [(f"entry {number}", {"name": row} if isinstance(row, str) else row) for number, row in enumerate(rows, 1)]
