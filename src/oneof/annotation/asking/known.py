"""One item at a time: ask about it again, and say that its label is known."""

from sqlalchemy import Connection, select, update

from oneof.annotation.asking import questions
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.folder import Project
from oneof.annotation.store.schema import items, tasks


def ask_again(connection: Connection, project: Project, item_id: int, now: float) -> None:
    """Draw another uniform question about an item, or as many as each item gets."""
    _need(connection, item_id)
    questions.ask(connection, project, [item_id], [False], now)


def set_known(connection: Connection, project: Project, item_id: int, label: int | None, now: float) -> None:
    """Keep the label of an item as known, with a question that checks annotators; None: it is not known after all.

    Answers that it has already stay, and train as before. Answers to its checks are not counted once it is unknown.
    """
    _need(connection, item_id)
    before = connection.execute(select(items.c.gold).where(items.c.id == item_id)).scalar()
    connection.execute(update(items).where(items.c.id == item_id).values(gold=label))
    if label is None:
        checks = update(tasks).where(tasks.c.item_id == item_id, tasks.c.kind == "gold")
        connection.execute(checks.values(kind="retired"))
    elif before is None:
        questions.ask(connection, project, [item_id], [True], now)


def _need(connection: Connection, item_id: int) -> None:
    if connection.execute(select(items.c.id).where(items.c.id == item_id)).first() is None:
        raise ProjectError(f"there is no item {item_id}")
