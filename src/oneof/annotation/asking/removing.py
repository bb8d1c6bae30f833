"""Take items out of a project, and bring them back. Nothing is deleted: the events about them stay.

Nobody is asked about a removed item any more, and training, predictions and exports leave it out. The open places of
its questions are set aside, so that the project's progress counts only the items that are left.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, select, update

from oneof.annotation.asking.claims import give_back, set_aside
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.store import facts, history
from oneof.annotation.store.database import Database
from oneof.annotation.store.schema import claims, items, models, predictions, tasks

SHOWN = 3
"""Missing names that an error tells, at most."""


@dataclass(frozen=True)
class Removed:
    """An item that was taken out: when, and why."""

    name: str
    at: float
    reason: str


def remove(
    database: Database, names: Sequence[str], reason: str, now: float, person_id: int | None = None
) -> list[str]:
    """Take out items by name; returns those that were still in. person_id: who did it; None for the command line."""

    def work(connection: Connection) -> list[str]:
        found = [row for row in find(connection, names) if row.removed_at is None]
        for row in found:
            _remove(connection, row.id, reason, now)
            history.note(connection, "remove item", now, person_id, item=row.name, reason=reason)
        return [row.name for row in found]

    return database.write(work)


def restore(database: Database, names: Sequence[str], now: float, person_id: int | None = None) -> list[str]:
    """Bring items back by name, with the questions that were open; returns those that were out."""

    def work(connection: Connection) -> list[str]:
        found = [row for row in find(connection, names) if row.removed_at is not None]
        for row in found:
            _restore(connection, row.id)
            history.note(connection, "restore item", now, person_id, item=row.name)
        return [row.name for row in found]

    return database.write(work)


def removed_items(connection: Connection, limit: int | None = None) -> list[Removed]:
    """The items that are taken out, the latest first; at most `limit`."""
    rows = connection.execute(
        select(items.c.name, items.c.removed_at, items.c.removed_because)
        .where(items.c.removed_at.is_not(None))
        .order_by(items.c.removed_at.desc(), items.c.id)
        .limit(limit)
    )
    return [Removed(row.name, row.removed_at, row.removed_because or "") for row in rows]


def find(connection: Connection, names: Sequence[str]) -> list[Any]:
    """The rows of the items of these names, each once; an error tells names that are not there."""
    rows = {row.name: row for row in connection.execute(select(items).where(items.c.name.in_(names)))}
    missing = [name for name in names if name not in rows]
    if missing:
        shown = ", ".join(map(repr, missing[:SHOWN])) + (" and others" if len(missing) > SHOWN else "")
        raise ProjectError(f"no such item: {shown}; expected names as in the export")
    return [rows[name] for name in dict.fromkeys(names)]


def _remove(connection: Connection, item_id: int, reason: str, now: float) -> None:
    connection.execute(update(items).where(items.c.id == item_id).values(removed_at=now, removed_because=reason))
    mine = list(connection.scalars(select(tasks.c.id).where(tasks.c.item_id == item_id).with_for_update()))
    connection.execute(update(tasks).where(tasks.c.id.in_(mine)).values(removed=True))
    held = connection.execute(
        select(claims.c.task_id, claims.c.person_id, claims.c.placed)
        .where(claims.c.task_id.in_(mine), claims.c.state == "held")
        .with_for_update()
    ).all()
    give_back(connection, held)
    set_aside(connection, mine)
    # Its prediction would only be in the way: no answer about a removed item judges the model.
    connection.execute(delete(predictions).where(predictions.c.item_id == item_id))


def _restore(connection: Connection, item_id: int) -> None:
    connection.execute(update(items).where(items.c.id == item_id).values(removed_at=None, removed_because=None))
    table = tasks.c
    rows = connection.execute(select(table.id, table.aside).where(table.item_id == item_id).with_for_update()).all()
    back = {"removed": False, "quota": table.quota + table.aside, "free": table.free + table.aside, "aside": 0}
    connection.execute(update(tasks).where(table.item_id == item_id).values(back))
    facts.add(connection, "needed", sum(row.aside for row in rows))
    # Its prediction was deleted: the current model predicts it again, together with the newest items.
    connection.execute(update(models).where(models.c.last_item >= item_id).values(last_item=item_id - 1))
