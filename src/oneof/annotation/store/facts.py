"""Single values of a project, and the versions of its guidelines."""

import json
import secrets
import time

from sqlalchemy import Connection, insert, select, update

from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.folder import Project
from oneof.annotation.store.database import Database
from oneof.annotation.store.schema import draws, facts, guidelines


def get(connection: Connection, name: str, default: str) -> str:
    """One value."""
    found = connection.execute(select(facts.c.value).where(facts.c.name == name)).scalar()
    return default if found is None else str(found)


def put(connection: Connection, name: str, value: str) -> None:
    """Set one value."""
    if not connection.execute(update(facts).where(facts.c.name == name).values(value=value)).rowcount:
        connection.execute(insert(facts).values(name=name, value=value))


def add(connection: Connection, name: str, amount: int) -> None:
    """Add to a whole number; the row's lock keeps two importers from losing one another's sum."""
    current = connection.execute(select(facts.c.value).where(facts.c.name == name).with_for_update()).scalar()
    put(connection, name, str(int(current or 0) + amount))


def project_id(database: Database) -> str:
    """A random name for this project, made once."""

    def work(connection: Connection) -> str:
        known = get(connection, "project_id", "")
        if not known:
            known = secrets.token_hex(8)
            put(connection, "project_id", known)
        return known

    return database.write(work)


def class_names(project: Project) -> str:
    """The names by number, as they are kept to notice a list that was edited by hand."""
    return json.dumps([one.name for one in project.classes], ensure_ascii=False)


def check_classes(database: Database, project: Project, *, remember: bool = True) -> None:
    """Refuse classes that were edited by hand so that questions asked already mean something else.

    Questions hold the numbers of classes, and what answers to expect follows from how many there are. New names and
    definitions are fine; another number of classes, or another order, is not. remember: keep new names, to compare
    with the next time; not within a transaction that writes, which would wait for itself.
    """
    names = [one.name for one in project.classes]
    lineage = project.lineage
    place = project.folder / "classes.json"

    with database.read() as connection:
        last = select(draws.c.classes, draws.c.edition).order_by(draws.c.id.desc()).limit(1)
        drawn = connection.execute(last).first()
        there = 0 if drawn is None else len(lineage.active(drawn.edition))
        if drawn is not None and (drawn.classes != there or drawn.edition > lineage.edition):
            raise ProjectError(
                f"{place}: {there} classes, but questions were drawn from {drawn.classes}; put them back"
            )
        before = json.loads(get(connection, "class_names", "[]"))
        if before != names and sorted(before) == sorted(names):
            moved = next(index for index, name in enumerate(names) if name != before[index])
            raise ProjectError(
                f"{place}: class {moved + 1} was {before[moved]!r} and is {names[moved]!r}; questions hold the numbers "
                "of classes, so put them back in their order"
            )
    if before != names and remember:
        database.write(lambda connection: put(connection, "class_names", class_names(project)))


def current_guidelines(database: Database, project: Project) -> tuple[int, str]:
    """The guidelines and their version; a changed file becomes the next version."""
    try:
        text = project.guidelines_file.read_text(encoding="utf-8", errors="replace").replace("\0", "")
    except FileNotFoundError:
        text = ""
    latest = select(guidelines).order_by(guidelines.c.version.desc()).limit(1)
    with database.read() as connection:
        row = connection.execute(latest).first()
    if row is not None and row.text == text:
        return row.version, text

    def work(connection: Connection) -> int:
        row = connection.execute(latest.with_for_update()).first()
        if row is not None and row.text == text:
            return int(row.version)
        version = 1 if row is None else int(row.version) + 1
        connection.execute(insert(guidelines).values(version=version, text=text, created_at=time.time()))
        return version

    return database.write(work), text
