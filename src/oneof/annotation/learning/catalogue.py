"""The items of a project for managers to look through: lists by filter, and everything about one item."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import softmax
from sqlalchemy import ColumnElement, Connection, String, and_, cast, exists, func, literal, or_, select

from oneof.annotation.asking.questions import read_subset
from oneof.annotation.asking.reviewing import RESOLVED_EVENTS
from oneof.annotation.learning.table import as_answers, informative, standing_answers
from oneof.annotation.project.folder import Project
from oneof.annotation.store.schema import claims, draws, events, items, models, people, predictions, tasks

UNSURE = 0.6
"""The model counts as unsure of an item if its label has a probability below this."""

SHOWN_TEXT = 300
FILTERS = {
    "all": "All items",
    "unanswered": "Unanswered",
    "skipped": "Can't tell",
    "flagged": "With remarks",
    "disagreeing": "People disagree",
    "unsure": "Model unsure",
    "against": "Model against answers",
    "gold": "Known label",
    "removed": "Taken out",
}


@dataclass(frozen=True)
class Listed:
    """Items in the order of their ids, and the id after which the list goes on; None at the end."""

    items: list[dict[str, Any]]
    following: int | None


def listed(
    connection: Connection, project: Project, show: str = "all", after: int = 0, limit: int = 60, search: str = ""
) -> Listed:
    """The items of a filter (`FILTERS`) whose name or text contains `search`; at most `limit`, after the id `after`."""
    model = connection.execute(select(func.max(models.c.id))).scalar()
    its_prediction = and_(predictions.c.item_id == items.c.id, predictions.c.model_id == (model or 0))
    query = (
        select(items.c.id, items.c.key, items.c.name, items.c.kind, items.c.gold, items.c.removed_at)
        .add_columns(func.substr(items.c.text, 1, SHOWN_TEXT).label("text"), predictions.c.label)
        .add_columns(predictions.c.confidence)
        .outerjoin(predictions, its_prediction)
        .where(items.c.id > after, *_conditions(show, project.lineage.edition))
        .where(items.c.removed_at.is_not(None) if show == "removed" else items.c.removed_at.is_(None))
        .order_by(items.c.id)
        .limit(limit + 1)
    )
    if search:
        query = query.where(
            or_(items.c.name.contains(search, autoescape=True), items.c.text.contains(search, autoescape=True))
        )
    rows = connection.execute(query).all()
    names = [one.name for one in project.classes]
    found = [
        {
            **row._mapping,
            "gold": None if row.gold is None else names[row.gold],
            "prediction": None if row.label is None else project.name_today(row.label),
        }
        for row in rows[:limit]
    ]
    return Listed(found, found[-1]["id"] if len(rows) > limit else None)


def one_item(connection: Connection, project: Project, item_id: int) -> dict[str, Any] | None:
    """An item with its questions, answers, remarks, the evidence for each class and the prediction; None if missing."""
    removed = connection.execute(select(items.c.removed_at).where(items.c.id == item_id)).scalar() is not None
    found = listed(connection, project, "removed" if removed else "all", after=item_id - 1, limit=1).items
    if not found or found[0]["id"] != item_id:
        return None
    names = [one.name for one in project.classes]
    questions = connection.execute(select(tasks).where(tasks.c.item_id == item_id).order_by(tasks.c.id)).all()
    answers = connection.execute(
        select(claims.c.task_id, claims.c.answer, claims.c.state, people.c.name, people.c.role)
        .add_columns(events.c.seconds, events.c.at, events.c.flip, events.c.comment)
        .join(tasks, tasks.c.id == claims.c.task_id)
        .join(people, people.c.id == claims.c.person_id)
        .join(events, events.c.id == claims.c.event_id)
        .where(tasks.c.item_id == item_id, claims.c.state.in_(("answered", "overruled", "withdrawn")))
        .order_by(claims.c.event_id)
    ).all()
    remarks = connection.execute(
        select(people.c.name, events.c.comment, events.c.at)
        .join(tasks, tasks.c.id == events.c.task_id)
        .join(people, people.c.id == events.c.person_id)
        .where(tasks.c.item_id == item_id, events.c.kind == "flag")
        .order_by(events.c.id)
    )
    full = connection.execute(select(items.c.text).where(items.c.id == item_id)).scalar()
    return found[0] | {
        "text": full,
        "questions": [
            {
                "id": row.id,
                "kind": row.kind,
                "design": row.design,
                "open": row.free,
                "labels": [names[index] for index in read_subset(row.subset)],
                "answers": [dict(answer._mapping) for answer in answers if answer.task_id == row.id],
            }
            for row in questions
        ],
        "remarks": [dict(row._mapping) for row in remarks],
        "evidence": _evidence(connection, project, item_id),
    }


def _evidence(connection: Connection, project: Project, item_id: int) -> list[float] | None:
    """The probability of each current class by the answers alone, (k,); None if there are no answers."""
    given = standing_answers().where(tasks.c.item_id == item_id, tasks.c.kind == "question", claims.c.answer != "skip")
    rows = informative(project, connection.execute(given).all())
    if not rows:
        return None
    answers = as_answers(project, rows, np.zeros(len(rows)))
    # Not quite zero: people who contradict each other must not rule out every class.
    flips = np.maximum(0.0 if answers.flip_yes is None else answers.flip_yes, 1e-9)
    return [float(share) for share in softmax(answers.evidence(1, flip_yes=flips, flip_no=flips)[0])]


def _conditions(show: str, edition: int) -> list[ColumnElement[bool]]:
    """What the items of a filter meet. edition: of the current classes."""
    if show not in FILTERS:
        raise ValueError(f"filter {show!r}: expected one of {', '.join(FILTERS)}")
    answered = and_(tasks.c.item_id == items.c.id, claims.c.task_id == tasks.c.id, claims.c.state == "answered")
    label = cast(predictions.c.label, String)
    inside = (literal(",") + tasks.c.subset + literal(",")).like(literal("%,") + label + literal(",%"))
    contradicts = or_(and_(claims.c.answer == "yes", ~inside), and_(claims.c.answer == "no", inside))
    flagged = and_(tasks.c.item_id == items.c.id, events.c.task_id == tasks.c.id, events.c.kind == "flag")
    disagreeing = (
        select(claims.c.task_id)
        .join(tasks, tasks.c.id == claims.c.task_id)
        .where(tasks.c.item_id == items.c.id, claims.c.state == "answered", claims.c.answer != "skip")
        .group_by(claims.c.task_id)
        .having(func.min(claims.c.answer) != func.max(claims.c.answer))
        .correlate(items)
    )
    conditions: dict[str, list[ColumnElement[bool]]] = {
        "all": [],
        "unanswered": [~exists().where(answered)],
        "skipped": [exists().where(answered, claims.c.answer == "skip")],
        "flagged": [exists().where(flagged, events.c.id.not_in(RESOLVED_EVENTS))],
        "disagreeing": [disagreeing.exists()],
        "unsure": [predictions.c.confidence < UNSURE],
        "against": [
            predictions.c.label.is_not(None),
            exists().where(answered, contradicts, draws.c.id == tasks.c.draw_id, draws.c.edition == edition),
        ],
        "gold": [items.c.gold.is_not(None)],
        "removed": [],
    }
    return conditions[show]
