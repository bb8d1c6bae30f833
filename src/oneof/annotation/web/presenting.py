"""What the page shows: a question, the progress, and the annotator's own answers, never those of others."""

from typing import Any

import numpy as np
from sqlalchemy import Connection, Row, bindparam, func, select, update

from oneof.annotation.asking import recording, standing
from oneof.annotation.asking.decoys import ASIDE
from oneof.annotation.asking.questions import read_subset
from oneof.annotation.project.folder import Project
from oneof.annotation.store.schema import claims, events, items, models, people, predictions, tasks
from oneof.training.splits import kept_aside

SHOWN_TEXT = 300
"""Characters of a text item in the list of past answers."""

QUESTION = (
    select(tasks.c.id, tasks.c.subset, items.c.id.label("item_id"), items.c.key, items.c.name, items.c.kind)
    .add_columns(items.c.text, items.c.content_hash, claims.c.expires_at, tasks.c.design, tasks.c.kind.label("sort"))
    .select_from(tasks)
    .join(items, items.c.id == tasks.c.item_id)
    .join(claims, claims.c.task_id == tasks.c.id)
    .where(tasks.c.id == bindparam("task"), claims.c.person_id == bindparam("me"))
)
MARK_PREDICTION_SHOWN = (
    update(claims)
    .where(claims.c.task_id == bindparam("task"), claims.c.person_id == bindparam("me"))
    .values(shown=True)
)
PROGRESS = select(people.c.answered, people.c.skipped, *standing.ALL_PROGRESS).where(people.c.id == bindparam("me"))


def question(
    connection: Connection, project: Project, person_id: int, task_id: int, now: float, base: str = ""
) -> dict[str, Any]:
    """One question as the page shows it. base: the path of the project on its server."""
    row = connection.execute(QUESTION, {"task": task_id, "me": person_id}).one()
    shown: dict[str, Any] = {
        "task": row.id,
        "item": row.name if project.settings.show_names else row.key,
        "kind": row.kind,
        "labels": _labels(project, row.subset, base),
        "instruction": project.settings.question,
        "expires_in": max(0.0, row.expires_at - now),
    }
    if row.kind == "text":
        shown["text"] = row.text
    else:
        shown["content_url"] = f"{base}/items/{row.key}"
    if project.settings.show_predictions:
        shown["prediction"] = _prediction(connection, project, row.item_id)
        if shown["prediction"] is not None:
            connection.execute(MARK_PREDICTION_SHOWN, {"task": task_id, "me": person_id})
    if judges(row):
        shown["guess"] = True
    return shown


def judges(row: Row[Any]) -> bool:
    """Whether the page asks for a guess after "can't tell": if the answer judges a model or an annotator."""
    return row.sort == "gold" or row.design == "prediction" or bool(kept_aside([row.content_hash], ASIDE)[0])


def progress(connection: Connection, person_id: int) -> dict[str, Any]:
    """The progress of this person and of the project."""
    return standing.progress(connection.execute(PROGRESS, {"me": person_id}).one())


def answer_row(event: Row[Any]) -> dict[str, Any]:
    """A stored answer, as its own annotator may see it."""
    return {
        "id": event.client_id,
        "task": event.task_id,
        "answer": event.answer,
        "seconds": event.seconds,
        "reason": event.comment,
        "guess": event.guess,
        "late": event.late,
        "private": event.flip > 0,
        "flip_probability": event.flip,
        "guidelines": event.guidelines,
        "at": event.at,
    }


def history(connection: Connection, project: Project, person_id: int, limit: int, base: str = "") -> dict[str, Any]:
    """The last answers that stand, newest first, and whether undo and redo have something to do."""
    rows = connection.execute(
        select(events.c.client_id, events.c.at, events.c.seconds, claims.c.task_id, claims.c.answer, tasks.c.subset)
        .add_columns(items.c.key, items.c.name, items.c.kind, func.substr(items.c.text, 1, SHOWN_TEXT).label("text"))
        .select_from(claims)
        .join(events, events.c.id == claims.c.event_id)
        .join(tasks, tasks.c.id == claims.c.task_id)
        .join(items, items.c.id == tasks.c.item_id)
        .where(claims.c.person_id == person_id, claims.c.state == "answered")
        .order_by(claims.c.event_id.desc())
        .limit(limit)
    ).all()
    person = connection.execute(select(people).where(people.c.id == person_id)).one()
    answers = []
    for row in rows:
        entry: dict[str, Any] = {
            "id": row.client_id,
            "task": row.task_id,
            "item": row.name if project.settings.show_names else row.key,
            "key": row.key,
            "kind": row.kind,
            "answer": row.answer,
            "labels": _labels(project, row.subset, base),
            "at": row.at,
            "seconds": row.seconds,
        }
        entry |= {"text": row.text} if row.kind == "text" else {"content_url": f"{base}/items/{row.key}"}
        answers.append(entry)
    return {
        "answers": answers,
        "can_undo": recording.top_of_undo(connection, person) is not None,
        "can_redo": recording.top_of_redo(connection, person) is not None,
    }


def _labels(project: Project, subset: str, base: str) -> list[dict[str, Any]]:
    """The labels as they stand on the page. A group that is asked about as a whole is one label, with its members:
    the answer tells the same of each of them, however the question is written."""
    numbers = read_subset(subset)
    labels = {number: _label(project, number, base) for number in numbers}
    groups = project.groups
    whole, _ = groups.shown(np.isin(project.active, numbers)) if len(groups) else ([], [])
    for name in whole:
        inside = np.asarray(project.active)[groups.members[groups.names.index(name)]]
        members = [number for number in numbers if number in inside]
        inner = [labels[members[0]], *(labels.pop(number) for number in members[1:])]
        label = {"name": name.rpartition("/")[2], "definition": None, "example_url": None, "members": inner}
        labels[members[0]] = label
    return list(labels.values())


def _label(project: Project, number: int, base: str) -> dict[str, Any]:
    one = project.classes[number]
    example = None if one.example is None else f"{base}/examples/{number}"
    return {"name": one.name, "definition": one.definition, "example_url": example}


def _prediction(connection: Connection, project: Project, item_id: int) -> str | None:
    label = connection.execute(
        select(predictions.c.label)
        .where(predictions.c.item_id == item_id)
        .where(predictions.c.model_id == select(func.max(models.c.id)).scalar_subquery())
    ).scalar()
    return None if label is None else project.name_today(label)
