"""Change the classes while people answer, and say beforehand what a change means for the questions and answers so far.

How answers so far are read afterwards is in `lineage`. Questions that nobody was shown are drawn again from the new
list. Questions that somebody was shown are closed, and new ones take their open places.
"""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any, Literal

from sqlalchemy import Connection, Row, select, update

from oneof.annotation.asking import questions
from oneof.annotation.asking.adaptive import never_shown
from oneof.annotation.project.classes import Class, ProjectError, bad_name
from oneof.annotation.project.folder import Project, open_project, save_classes
from oneof.annotation.project.lineage import Lineage
from oneof.annotation.store import facts, history
from oneof.annotation.store.database import Database
from oneof.annotation.store.schema import claims, draws, items, tasks

BATCH = 2000


@dataclass(frozen=True)
class Change:
    """Rename, describe, add, merge or retire a class, by name.

    to: the new name. into: the class that it is merged into. before: the class that items of a new class belonged to
    so far, "none" if to no class, or None if nobody knows.
    """

    kind: Literal["rename", "describe", "add", "merge", "retire"]
    name: str
    into: str | None = None
    before: str | None = None
    definition: str | None = None
    to: str | None = None

    @property
    def of_the_list(self) -> bool:
        """Whether the list changes, so that questions have to be drawn again."""
        return self.kind in ("add", "merge", "retire")


def changed(project: Project, change: Change) -> list[Class]:
    """The classes after the change; an error names what is wrong with it."""
    classes, edition = list(project.classes), project.lineage.edition + 1
    if change.kind == "add":
        name = " ".join(change.name.split())
        taken = f"class {name!r} was there already" if name in [one.name for one in classes] else None
        _refuse(bad_name(name) or taken)
        before: int | Literal["none"] | None = None
        if change.before is not None:
            before = "none" if change.before == "none" else _number(project, change.before)
        return [*classes, Class(name, change.definition or None, added=edition, before=before)]
    number = _number(project, change.name)
    if change.kind == "describe":
        classes[number] = replace(classes[number], definition=change.definition or None)
        return classes
    if change.kind == "rename":
        name = " ".join((change.to or "").split())
        _refuse(bad_name(name))
        classes[number] = replace(classes[number], name=name)
        return classes
    if len(project.active) - 1 <= project.settings.size:
        raise ProjectError(
            f"{len(project.active)} classes: one fewer would not do for questions of {project.settings.size} labels"
        )
    into = None
    if change.kind == "merge":
        into = _number(project, change.into or "")
        if into == number:
            raise ProjectError(f"class {change.name!r} cannot be merged into itself")
    classes[number] = replace(classes[number], ended=edition, into=into)
    return classes


def consequences(connection: Connection, project: Project, change: Change) -> list[str]:
    """What the change means for the questions and answers so far, as sentences with numbers."""
    after = Lineage(changed(project, change))
    if not change.of_the_list:
        return [_meaning(change)]
    return [_meaning(change), *of_another_list(connection, project.lineage, after)]


def of_another_list(connection: Connection, before: Lineage, after: Lineage) -> list[str]:
    """What it means for the questions and answers so far that one list of classes follows another."""
    count: Counter[str] = Counter()
    for row in _answered(connection):
        answer = questions.read_subset(row.subset), row.answer == "yes", row.edition
        old, new = before.read(*answer), after.read(*answer)
        count["all"] += 1
        if new is None:
            count["silent"] += 1
        elif old is None:
            count["speak"] += 1
        elif old.uniform == new.uniform:
            count["same"] += 1
        else:
            count["judge" if new.uniform else "train"] += 1
    untouched, half = _open(connection, never_shown()), _open(connection, ~never_shown())
    again = f"{count['speak']} say something again, {count['judge']} judge again, "
    return [
        f"Of {count['all']} answers so far {count['same']} stay as they are, "
        f"{again if count['speak'] + count['judge'] else ''}{count['train']} go on to train but "
        f"judge no model any more, and {count['silent']} say nothing of the new list and are left out.",
        f"{len(untouched)} questions that nobody has seen are drawn anew from the new list; {len(half)} that are half "
        "answered are closed, and new ones take their open places.",
        "Models that are there know the old list: train again, and judge by new answers or a judging round.",
        "Nothing that was answered is changed; this is recorded in the history.",
    ]


def apply(database: Database, project: Project, change: Change, now: float, person_id: int | None = None) -> Project:
    """Make the change, in one transaction that writes the file of classes last; returns the project with it."""
    detail = {"name": change.name, "to": change.to, "into": change.into, "before": change.before}

    def work(connection: Connection) -> Project:
        one_at_a_time(connection)
        # Somebody may have changed the classes since this project was read.
        current = open_project(project.folder)
        history.note(connection, f"class-{change.kind}", now, person_id, **detail)
        return store(connection, current, changed(current, change), now, anew=change.of_the_list)

    return database.write(work)


def one_at_a_time(connection: Connection) -> None:
    """Lock the classes until the end of this transaction: whoever else changes them waits."""
    facts.add(connection, "class_changes", 1)


def store(connection: Connection, project: Project, classes: list[Class], now: float, *, anew: bool) -> Project:
    """Store other classes, the file last; returns the project with them. anew: draw questions again from them."""
    after = replace(project)
    vars(after)["classes"] = classes  # as it will be read from the file
    if anew:
        _draw_anew(connection, after, now)
    facts.put(connection, "class_names", facts.class_names(after))
    return save_classes(project, classes)


def _draw_anew(connection: Connection, project: Project, now: float) -> None:
    """Close every open question, and draw others in their place from the current classes."""
    old = [*_open(connection, never_shown()), *_open(connection, ~never_shown())]
    for start in range(0, len(old), BATCH):
        ids = [row.id for row in old[start : start + BATCH]]
        closed = {"quota": tasks.c.quota - tasks.c.free, "free": 0, "removed": True}
        connection.execute(update(tasks).where(tasks.c.id.in_(ids)).values(closed))
    facts.add(connection, "needed", -sum(row.free for row in old))
    # Judging questions about a model are not replaced: the model does not know the new list.
    wanted = [row for row in old if row.design != "prediction" and row.free]
    for start in range(0, len(wanted), BATCH):
        questions.ask_instead(connection, project, wanted[start : start + BATCH], now)
    gold = list(connection.scalars(select(items.c.id).where(items.c.gold.is_not(None), items.c.removed_at.is_(None))))
    connection.execute(update(tasks).where(tasks.c.kind == "gold").values(removed=True))
    for start in range(0, len(gold), BATCH):
        part = gold[start : start + BATCH]
        questions.ask(connection, project, part, [True] * len(part), now)


def _open(connection: Connection, which: Any) -> list[Row[Any]]:
    """The open questions that meet a condition."""
    columns = (tasks.c.id, tasks.c.item_id, tasks.c.free, tasks.c.position, tasks.c.design)
    found = select(*columns).where(tasks.c.kind == "question", tasks.c.free > 0, ~tasks.c.removed, which)
    return list(connection.execute(found.order_by(tasks.c.id)))


def _answered(connection: Connection) -> Any:
    return connection.execution_options(yield_per=BATCH).execute(
        select(tasks.c.subset, claims.c.answer, draws.c.edition)
        .select_from(claims)
        .join(tasks, tasks.c.id == claims.c.task_id)
        .join(draws, draws.c.id == tasks.c.draw_id)
        .where(claims.c.state == "answered", claims.c.answer != "skip", tasks.c.kind == "question")
    )


def _refuse(problem: str | None) -> None:
    if problem is not None:
        raise ProjectError(problem)


def _number(project: Project, name: str) -> int:
    names = project.label_names
    if not name or name not in names:
        raise ProjectError(f"class {name!r}: expected one of {', '.join(project.active_names[:20])}")
    return names.index(name)


def _meaning(change: Change) -> str:
    if change.kind == "describe":
        return f"Annotators see the new definition of “{change.name}” with the next question."
    if change.kind == "rename":
        return (
            f"“{change.name}” is called “{change.to}” from now on. Answers are kept by number: they now speak of the "
            "new name. Rename only what stays the same thing."
        )
    if change.kind == "retire":
        return (
            f"“{change.name}” is asked about no more, and answers are read as if it had not been among the labels. "
            "That is right if no item is of this class: take such items out first."
        )
    if change.kind == "merge":
        return (
            f"“{change.name}” and “{change.into}” become one class, “{change.into}”. Where both were shown, one label "
            "is left. Where only one was, the answer leaves the merged class open and still tells of the others."
        )
    belonged = {
        "none": "Things of it were in none of the classes: answers so far are read as they are.",
        None: "Nobody knows where things of it were before: answers so far say nothing about it.",
    }.get(change.before, f"Things of it were in “{change.before}”: whenever that was shown, so was this.")
    return f"“{change.name}” becomes a class. {belonged}"
