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
    """The value of this name, or `default`."""
    found = connection.execute(select(facts.c.value).where(facts.c.name == name)).scalar()
    return default if found is None else str(found)


def put(connection: Connection, name: str, value: str) -> None:
    """Set the value of this name."""
    if not connection.execute(update(facts).where(facts.c.name == name).values(value=value)).rowcount:
        connection.execute(insert(facts).values(name=name, value=value))


def add(connection: Connection, name: str, amount: int) -> None:
    """Add to a value that is a whole number. The row is locked, so that no sum of two writers gets lost."""
    current = connection.execute(select(facts.c.value).where(facts.c.name == name).with_for_update()).scalar()
    put(connection, name, str(int(current or 0) + amount))


def project_id(database: Database) -> str:
    """A random name for this project, which is made once and then stays."""

    def work(connection: Connection) -> str:
        known = get(connection, "project_id", "")
        if not known:
            known = secrets.token_hex(8)
            put(connection, "project_id", known)
        return known

    return database.write(work)


def class_names(project: Project) -> str:
    """The names of the classes by number, as JSON; stored to notice when somebody edits the list by hand."""
    return json.dumps([one.name for one in project.classes], ensure_ascii=False)


def check_classes(database: Database, project: Project, *, remember: bool = True) -> None:
    """An error if somebody edited the classes by hand so that stored questions now mean something else.

    Questions hold the numbers of classes, and the expected share of yes follows from how many classes there are. New
    names and definitions are fine; another number of classes, or another order, is not. remember: store the new names
    for the next comparison; False within a write transaction, which would wait for itself.
    """
    names = [one.name for one in project.classes]
    lineage = project.lineage
    file = project.folder / "classes.json"
    with database.read() as connection:
        last = select(draws.c.classes, draws.c.edition).order_by(draws.c.id.desc()).limit(1)
        drawn = connection.execute(last).first()
        count = 0 if drawn is None else len(lineage.active(drawn.edition))
        if drawn is not None and (drawn.classes != count or drawn.edition > lineage.edition):
            raise ProjectError(f"{file}: {count} classes, but questions were drawn from {drawn.classes}; put them back")
        before = json.loads(get(connection, "class_names", "[]"))
        if before != names and sorted(before) == sorted(names):
            moved = next(index for index, name in enumerate(names) if name != before[index])
            raise ProjectError(
                f"{file}: class {moved + 1} was {before[moved]!r} and is {names[moved]!r}; questions hold the numbers "
                "of classes, so put them back in their order"
            )
    if before != names and remember:
        database.write(lambda connection: put(connection, "class_names", class_names(project)))


def guidelines_text(project: Project) -> str:
    """What annotators read, as its file says now."""
    try:
        return project.guidelines_file.read_text(encoding="utf-8", errors="replace").replace("\0", "")
    except FileNotFoundError:
        return ""


def current_guidelines(database: Database, project: Project) -> tuple[int, str]:
    """The version number and the text of the guidelines; a changed file becomes the next version."""
    text = guidelines_text(project)
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
