"""Import items, while people go on answering.

Everything is read twice: first to check every row, so that a bad one is reported before anything is stored; then to
store, a thousand items in each transaction, with a pause between them for answers that wait. Items whose content is
there already, by its hash, are left alone, so that an import can be run again, for instance after a crash.
"""

import csv
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from sqlalchemy import Connection, insert, select

from oneof.annotation.asking import questions
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.fetching import fetch_items, has_addresses
from oneof.annotation.project.folder import Project
from oneof.annotation.project.reading import Incoming, decoded, read_items
from oneof.annotation.store import history
from oneof.annotation.store.database import Database
from oneof.annotation.store.schema import items, sources
from oneof.files.spreadsheets import csv_format

BATCH = 1000
SHOWN_PROBLEMS = 20
NOTED_PROBLEMS = 1000


@dataclass
class Imported:
    """How many items an import added, and how many were there already. left_out: files it could not take, and why."""

    added: int = 0
    known: int = 0
    left_out: list[str] = field(default_factory=list)


def import_items(
    database: Database,
    project: Project,
    path: Path,
    gold: dict[str, int] | None = None,
    *,
    report: Callable[[int], None] | None = None,
    alone: bool = False,
    person_id: int | None = None,
) -> Imported:
    """Add the items at `path` and draw their questions. gold: the class numbers of known items, by name.

    report: called with the number of items so far. alone: nobody else uses the database yet, so do not pause.
    person_id: the manager who imports; None for the command line.
    """
    gold = gold or {}
    table, fetched = path, None
    if has_addresses(path):
        fetched = fetch_items(project.folder / "uploads", path, report=report)
        path, gold = fetched.folder, {fetched.names.get(name, name): label for name, label in gold.items()}
    _check(database, path, gold)
    source = database.write(_source, path) if path.is_dir() else None
    done = Imported(left_out=[] if fetched is None else fetched.left_out)
    for batch in _batches(read_items(path)):
        with ThreadPoolExecutor() as pool:
            batch = list(pool.map(decoded, batch))
        started = time.monotonic()
        good = [item for item in batch if item.problem is None]
        done.left_out += [f"{item.place}: {item.problem}" for item in batch if item.problem is not None]
        added = database.write(_store, project, good, source, gold)
        done.added += added
        done.known += len(good) - added
        if report is not None:
            report(done.added + done.known)
        if not alone:
            # Others who wait for the database get as much time as this batch took.
            time.sleep(min(0.1, time.monotonic() - started))
    if done.left_out and not done.added + done.known:
        more = [f"({len(done.left_out) - SHOWN_PROBLEMS} more)"] if len(done.left_out) > SHOWN_PROBLEMS else []
        raise ProjectError("\n".join([f"{path}: nothing here can be taken", *done.left_out[:SHOWN_PROBLEMS], *more]))
    detail = {"path": str(table), "added": done.added, "known": done.known, "left_out": done.left_out[:NOTED_PROBLEMS]}
    database.write(history.note, "import", time.time(), person_id, **detail)
    return done


def read_gold(path: Path, class_names: list[str]) -> dict[str, int]:
    """The class numbers of known items, by name, from a csv file with the columns `item` and `label`."""
    numbers = {name: index for index, name in enumerate(class_names)}
    gold: dict[str, int] = {}
    try:
        written = csv_format(path)
        with path.open(encoding=written.encoding, newline="") as stream:
            reader = csv.DictReader(stream, delimiter=written.separator, strict=True)
            if set(reader.fieldnames or ()) != {"item", "label"}:
                raise ProjectError(f"{path}: expected the columns item,label")
            for row in reader:
                place = f"{path}, line {reader.line_num}"
                if row["label"] not in numbers:
                    raise ProjectError(f"{place}: {row['label']!r} is not one of the classes")
                number = numbers[row["label"]]
                if gold.setdefault(row["item"], number) != number:
                    raise ProjectError(f"{place}: item {row['item']!r} is there twice, with different labels")
    except FileNotFoundError:
        raise ProjectError(f"{path}: no such file") from None
    except (csv.Error, UnicodeDecodeError) as error:
        raise ProjectError(f"{path}: cannot be read: {error}") from None
    return gold


def _check(database: Database, path: Path, gold: dict[str, int]) -> None:
    """Read everything once; an error tells the bad rows, before anything is stored."""
    problems: list[str] = []
    seen: dict[str, str] = {}
    count = 0
    for batch in _batches(read_items(path)):
        if path.is_dir():
            bad: list[str] = []
        else:
            bad = [f"{item.place}: {item.problem}" for item in batch if item.problem is not None]
        good = [item for item in batch if item.problem is None]
        with database.read() as connection:
            names = [item.name for item in good]
            stored = connection.execute(select(items.c.name, items.c.content_hash).where(items.c.name.in_(names)))
            known = {row.name: row.content_hash for row in stored}
        for item in good:
            before = known.get(item.name) or seen.get(item.name)
            if before is not None and before != item.content_hash:
                bad.append(f"{item.place}: {item.name!r} is already here with other content; give it a new name")
            seen[item.name] = item.content_hash
        problems += bad
        count += len(batch)
        if len(problems) >= SHOWN_PROBLEMS:
            break
    else:
        missing = [name for name in gold if name not in seen]
        if missing:
            problems.append(f"gold item {missing[0]!r} is not among the items")
        if not count and not problems:
            files = "pictures (png, jpg, gif, webp, bmp), sounds (wav, mp3, ogg, flac, m4a)"
            problems.append(f"no items here: expected {files} or rows with id and text")
    if problems:
        more = "" if len(problems) < SHOWN_PROBLEMS else "\n(there may be more)"
        raise ProjectError("\n".join(f"{path}, {problem}" for problem in problems[:SHOWN_PROBLEMS]) + more)


def _store(
    connection: Connection, project: Project, batch: list[Incoming], source: int | None, gold: dict[str, int]
) -> int:
    """Store those items of a batch that are new, with their questions; returns how many."""
    hashes = [item.content_hash for item in batch]
    known = set(connection.scalars(select(items.c.content_hash).where(items.c.content_hash.in_(hashes))))
    new: list[Incoming] = []
    for item in batch:
        if item.content_hash not in known:
            known.add(item.content_hash)
            new.append(item)
    if not new:
        return 0
    rows = [
        {
            "key": secrets.token_hex(12),
            "name": item.name,
            "kind": item.kind,
            "content_hash": item.content_hash,
            "source_id": source,
            "text": item.text,
            "gold": gold.get(item.name),
        }
        for item in new
    ]
    connection.execute(insert(items), rows)
    # One statement for all ids; with the insertion of each row they would take a thousand.
    new_hashes = [item.content_hash for item in new]
    numbered = select(items.c.content_hash, items.c.id).where(items.c.content_hash.in_(new_hashes))
    ids = {row.content_hash: row.id for row in connection.execute(numbered)}
    order = [ids[item.content_hash] for item in new]
    questions.ask(connection, project, order, [item.name in gold for item in new], time.time())
    return len(new)


def _source(connection: Connection, folder: Path) -> int:
    """The id of a folder of files, which is stored if it is new."""
    root = str(folder.resolve())
    known = connection.execute(select(sources.c.id).where(sources.c.root == root)).scalar()
    if known is not None:
        return int(known)
    return int(connection.execute(insert(sources).values(root=root).returning(sources.c.id)).scalar_one())


def _batches(stream: Iterable[Incoming]) -> Iterator[list[Incoming]]:
    iterator = iter(stream)
    while batch := list(islice(iterator, BATCH)):
        yield batch
