"""Change the list of classes while people answer: what it does to the questions so far, told before it is done.

How answers so far are read afterwards is in `lineage.py`. Questions that nobody was shown are drawn anew from the new
list; those that are half answered are closed, and new ones take their open places.
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
from oneof.annotation.store import facts, journal
from oneof.annotation.store.database import Database
from oneof.annotation.store.schema import claims, draws, items, tasks

BATCH = 2000


@dataclass(frozen=True)
class Change:
    """Rename, describe, add, merge or retire a class, by name.

    to: another name. into: what it is merged into. before: where things of a new class were: the name of a class,
    "none" of them, or None where nobody knows.
    """

    kind: Literal["rename", "describe", "add", "merge", "retire"]
    name: str
    into: str | None = None
    before: str | None = None
    definition: str | None = None
    to: str | None = None

    @property
    def of_the_list(self) -> bool:
        """Whether questions are drawn from another list afterwards."""
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
    """What the change means for the questions and answers so far, in sentences with numbers."""
    after = Lineage(changed(project, change))
    if not change.of_the_list:
        return [_meaning(change)]
    return [_meaning(change), *of_another_list(connection, project.lineage, after)]


def of_another_list(connection: Connection, before: Lineage, after: Lineage) -> list[str]:
    """What another list of classes means for the questions and answers so far."""
    seen: Counter[str] = Counter()
    for row in _answered(connection):
        then = before.read(questions.read_subset(row.subset), row.answer == "yes", row.edition)
        now = after.read(questions.read_subset(row.subset), row.answer == "yes", row.edition)
        seen["all"] += 1
        if now is None:
            seen["silent"] += 1
        elif then is None:
            seen["speak"] += 1
        elif then.uniform == now.uniform:
            seen["same"] += 1
        else:
            seen["judge" if now.uniform else "train"] += 1
    open_questions, half = len(_untouched(connection)), len(_half(connection))
    again = (
        f"{seen['speak']} say something again, {seen['judge']} judge again, " if seen["speak"] + seen["judge"] else ""
    )
    return [
        f"Of {seen['all']} answers so far {seen['same']} stay as they are, {again}{seen['train']} go on to train but "
        f"judge no model any more, and {seen['silent']} say nothing of the new list and are left out.",
        f"{open_questions} questions that nobody has seen are drawn anew from the new list; {half} that are half "
        "answered are closed, and new ones take their open places.",
        "Models that are there know the old list: train again, and judge by new answers or a judging round.",
        "Nothing that was answered is changed; this is recorded in the history.",
    ]


def apply(database: Database, project: Project, change: Change, now: float, person_id: int | None = None) -> Project:
    """Do it: all in one transaction, with the file of classes written last. Returns the project as it is then."""
    detail = {"name": change.name, "to": change.to, "into": change.into, "before": change.before}

    def work(connection: Connection) -> Project:
        one_at_a_time(connection)
        # As the files are now: somebody may have changed the classes since this project was read.
        today = open_project(project.folder)
        journal.note(connection, f"class-{change.kind}", now, person_id, **detail)
        return store(connection, today, changed(today, change), now, anew=change.of_the_list)

    return database.write(work)


def one_at_a_time(connection: Connection) -> None:
    """Let whoever changes the classes at the same time wait until this transaction is over."""
    facts.add(connection, "class_changes", 1)


def store(connection: Connection, project: Project, classes: list[Class], now: float, *, anew: bool) -> Project:
    """Keep another list of classes, the file last; anew: questions are drawn from it from now on."""
    after = replace(project)
    vars(after)["classes"] = classes  # as it will be read from the file
    if anew:
        _draw_anew(connection, after, now)
    facts.put(connection, "class_names", facts.class_names(after))
    return save_classes(project, classes)


def _draw_anew(connection: Connection, project: Project, now: float) -> None:
    untouched, half = _untouched(connection), _half(connection)
    old = [*untouched, *half]
    for start in range(0, len(old), BATCH):
        ids = [row.id for row in old[start : start + BATCH]]
        closed = {"quota": tasks.c.quota - tasks.c.free, "free": 0, "removed": True}
        connection.execute(update(tasks).where(tasks.c.id.in_(ids)).values(closed))
    facts.add(connection, "needed", -sum(row.free for row in old))
    # Questions about what an earlier model guessed are not asked any more: it does not know the new list.
    wanted = [row for row in old if row.design != "prediction" and row.free]
    for start in range(0, len(wanted), BATCH):
        questions.ask_instead(connection, project, wanted[start : start + BATCH], now)
    gold = list(connection.scalars(select(items.c.id).where(items.c.gold.is_not(None), items.c.removed_at.is_(None))))
    connection.execute(update(tasks).where(tasks.c.kind == "gold").values(removed=True))
    for start in range(0, len(gold), BATCH):
        part = gold[start : start + BATCH]
        questions.ask(connection, project, part, [True] * len(part), now)


def _untouched(connection: Connection) -> list[Row[Any]]:
    """Open questions that nobody was ever shown."""
    return _open(connection, never_shown())


def _half(connection: Connection) -> list[Row[Any]]:
    """Open questions that somebody was shown."""
    return _open(connection, ~never_shown())


def _open(connection: Connection, which: Any) -> list[Row[Any]]:
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
    where = {
        "none": "Things of it were in none of the classes: answers so far are read as they are.",
        None: "Nobody knows where things of it were before: answers so far say nothing about it.",
    }.get(change.before, f"Things of it were in “{change.before}”: whenever that was shown, so was this.")
    return f"“{change.name}” becomes a class. {where}"
