"""Take back the last change of the classes: a new name, a merge, a retirement or an addition.

The journal tells which change is the last that was not taken back; one after the other, all can be. Nothing that is
stored is rewritten: how answers from before and after the change are read then is in `lineage`. A change that was taken
back can be made again like any other.
"""

import json
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, func, select

from oneof.annotation.asking.questions import read_subset
from oneof.annotation.project.changing_classes import of_another_list, one_at_a_time, store
from oneof.annotation.project.classes import Class, ProjectError
from oneof.annotation.project.folder import Project, open_project
from oneof.annotation.project.lineage import Lineage
from oneof.annotation.store import history
from oneof.annotation.store.database import Database
from oneof.annotation.store.schema import claims, events, items, journal, tasks

TAKEN_BACK = "class-take-back"
OF_THE_LIST = ("class-add", "class-merge", "class-retire")
OF_NAMES = ("class-rename", "classes")


@dataclass(frozen=True)
class Step:
    """A change of the classes that was not taken back, as the journal has it. entry: its id there."""

    entry: int
    at: float
    action: str
    detail: dict[str, Any]

    @property
    def renamed(self) -> dict[str, str]:
        """New names by old ones; empty for a change of the list."""
        if self.action == "class-rename":
            return {self.detail["name"]: " ".join(self.detail["to"].split())}
        return dict(self.detail.get("renamed", {}))

    @property
    def words(self) -> str:
        """What the change was, for people to read."""
        name = self.detail.get("name")
        if self.renamed:
            return ", ".join(f"“{old}” was renamed “{new}”" for old, new in self.renamed.items())
        if self.action == "class-merge":
            return f"“{name}” was merged into “{self.detail['into']}”"
        return f"“{name}” was {'added' if self.action == 'class-add' else 'retired'}"


def last(connection: Connection) -> Step | None:
    """The last change of the classes that was not taken back."""
    actions = (*OF_THE_LIST, *OF_NAMES, TAKEN_BACK)
    taken_back: set[int] = set()
    for row in connection.execute(select(journal).where(journal.c.action.in_(actions)).order_by(journal.c.id.desc())):
        step = Step(row.id, row.at, row.action, json.loads(row.detail))
        if row.action == TAKEN_BACK:
            taken_back.add(step.detail["entry"])
        elif row.id not in taken_back and (row.action in OF_THE_LIST or step.renamed):
            return step
    return None


def restored(project: Project, step: Step) -> list[Class]:
    """The classes without this change."""
    classes = list(project.classes)
    if step.renamed:
        names = project.label_names
        for old, new in step.renamed.items():
            if new not in names:
                raise ProjectError(f"class {new!r}: is not there any more, so its old name cannot be given back")
            number = names.index(new)
            classes[number] = replace(classes[number], name=old)
        return classes
    lineage = project.lineage
    changed, edition = lineage.last_change(), lineage.edition + 1
    if changed is None:
        raise ProjectError("classes.json holds no change of the list that could be taken back")
    one = classes[changed]
    if one.name != " ".join(step.detail["name"].split()):
        raise ProjectError(f"classes.json and the history do not agree: {step.words}, but {one.name!r} changed last")
    if one.ended is not None:
        classes[changed] = replace(one, ended=None, into=None, away=(*one.away, (one.ended, edition, one.into)))
        return classes
    if len(project.active) - 1 <= project.settings.size:
        raise ProjectError(
            f"{len(project.active)} classes: one fewer would not do for questions of {project.settings.size} labels"
        )
    into = one.before if isinstance(one.before, int) else None
    classes[changed] = replace(one, ended=edition, undone=True, into=into)
    return classes


def consequences(connection: Connection, project: Project, step: Step) -> list[str]:
    """What taking it back means for the questions and answers so far, as sentences with numbers."""
    after = Lineage(restored(project, step))
    if step.renamed:
        numbers = {project.label_names.index(new) for new in step.renamed.values()}
        between = sum(not numbers.isdisjoint(read_subset(subset)) for subset in _shown_since(connection, step.at))
        return [
            *(f"“{new}” is called “{old}” again." for old, new in step.renamed.items()),
            f"{between} answers were given to questions that showed the new name. Answers are kept by number: they now "
            "speak of the old name.",
        ]
    number = project.lineage.last_change()
    assert number is not None, "restored() has found it"
    one = project.classes[number]
    sentences = [_meaning(step, one.name)]
    if one.into is not None:
        labelled = select(func.count()).select_from(items).where(items.c.gold == one.into)
        unsure, into = connection.execute(labelled).scalar_one(), project.classes[one.into].name
        if unsure:
            sentences.append(
                f"{unsure} known items are of “{into}”: those that were labelled since the merge may be of "
                f"“{one.name}”. Look at them."
            )
    return [*sentences, *of_another_list(connection, project.lineage, after)]


def take_back(
    database: Database, project: Project, now: float, person_id: int | None = None, entry: int | None = None
) -> Project:
    """Take back the last change; returns the project without it. entry: an error if another change is the last."""

    def work(connection: Connection) -> Project:
        one_at_a_time(connection)
        step = last(connection)
        if step is None:
            raise ProjectError("no change of the classes is recorded that could be taken back")
        if entry is not None and step.entry != entry:
            raise ProjectError("the classes were changed meanwhile; look again at what the last change is")
        current = open_project(project.folder)
        classes = restored(current, step)
        history.note(connection, TAKEN_BACK, now, person_id, entry=step.entry, change=step.words)
        return store(connection, current, classes, now, anew=not step.renamed)

    return database.write(work)


def _shown_since(connection: Connection, when: float) -> list[str]:
    """The labels of each question whose answer is in use and was given after this time."""
    answered = (
        select(tasks.c.subset)
        .select_from(claims)
        .join(events, events.c.id == claims.c.event_id)
        .join(tasks, tasks.c.id == claims.c.task_id)
        .where(claims.c.state == "answered", events.c.at > when)
    )
    return list(connection.scalars(answered))


def _meaning(step: Step, name: str) -> str:
    if step.action == "class-retire":
        return (
            f"“{name}” is asked about again. Answers from before it was retired are read as they were; to those since "
            "then it was not among the labels, so they speak of the others and leave it open after a no."
        )
    if step.action == "class-merge":
        into = step.detail["into"]
        return (
            f"“{name}” and “{into}” are two classes again. Answers from before the merge are read as they were; to "
            f"those since then “{into}” stood for both, so they do not tell the two apart."
        )
    return (
        f"“{name}” is no class any more. Answers from before it was added are read as they were; in those since then "
        "it is read as what its things were before."
    )
