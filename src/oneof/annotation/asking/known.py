"""What a manager does with one item: ask about it again, or say that its label is known."""

from sqlalchemy import Connection, select, update

from oneof.annotation.asking import questions
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.folder import Project
from oneof.annotation.store import history
from oneof.annotation.store.schema import items, tasks


def ask_again(connection: Connection, project: Project, item_id: int, now: float, by: int | None = None) -> None:
    """Draw as many uniform questions about an item as each item got at first, in addition to those."""
    name = _name(connection, item_id)
    questions.ask(connection, project, [item_id], [False], now)
    history.note(connection, "item-ask", now, by, item=name)


def set_known(
    connection: Connection, project: Project, item_id: int, label: str | None, now: float, by: int | None = None
) -> None:
    """Say that the label of an item is known, and draw a question that checks annotators; None: not known after all.

    Answers about the item so far stay, and train as before. Once the label is no longer known, its checks are not
    counted any more.
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
    history.note(connection, "item-gold", now, by, item=name, label=label)


def _name(connection: Connection, item_id: int) -> str:
    """The name of an item; an error if it is not there, or was taken out: then nobody may be asked about it."""
    found = connection.execute(select(items.c.name, items.c.removed_at).where(items.c.id == item_id)).first()
    if found is None:
        raise ProjectError(f"there is no item {item_id}")
    if found.removed_at is not None:
        raise ProjectError(f"item {found.name!r} was taken out of the project: bring it back first")
    return str(found.name)
