"""One item at a time: ask about it again, and say that its label is known."""

from sqlalchemy import Connection, select, update

from oneof.annotation.asking import questions
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.folder import Project
from oneof.annotation.store import journal
from oneof.annotation.store.schema import items, tasks


def ask_again(connection: Connection, project: Project, item_id: int, now: float, by: int | None = None) -> None:
    """Draw another uniform question about an item, or as many as each item gets."""
    name = _name(connection, item_id)
    questions.ask(connection, project, [item_id], [False], now)
    journal.note(connection, "item-ask", now, by, item=name)


def set_known(
    connection: Connection, project: Project, item_id: int, label: str | None, now: float, by: int | None = None
) -> None:
    """Keep the label of an item as known, with a question that checks annotators; None: it is not known after all.

    Answers that it has already stay, and train as before. Answers to its checks are not counted once it is unknown.
    """
    if label is not None and label not in project.label_names:
        raise ProjectError(f"label {label!r}: not one of the classes")
    number = None if label is None else project.label_names.index(label)
    name = _name(connection, item_id)
    before = connection.execute(select(items.c.gold).where(items.c.id == item_id)).scalar()
    connection.execute(update(items).where(items.c.id == item_id).values(gold=number))
    if label is None:
        checks = update(tasks).where(tasks.c.item_id == item_id, tasks.c.kind == "gold")
        connection.execute(checks.values(kind="retired"))
    elif before is None:
        questions.ask(connection, project, [item_id], [True], now)
    journal.note(connection, "item-gold", now, by, item=name, label=label)


def _name(connection: Connection, item_id: int) -> str:
    found = connection.execute(select(items.c.name).where(items.c.id == item_id)).scalar()
    if found is None:
        raise ProjectError(f"there is no item {item_id}")
    return str(found)
