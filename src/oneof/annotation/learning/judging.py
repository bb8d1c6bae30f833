"""The current model, judged without labels on answers that it has not learned from.

Those are the answers about items that training kept aside, and every answer since then to a question that training
had not seen answered. Only uniform questions count, and one answer an item, so that the answers are independent and
the interval is exact.
"""

from typing import Any

import numpy as np
from sqlalchemy import Connection, func, select

from oneof.annotation.asking.questions import read_subset
from oneof.annotation.project.folder import Project
from oneof.annotation.store.schema import claims, events, models, predictions, tasks

MOST = 200_000
"""Answers that the figure uses at most; beyond, the interval is narrower than anybody needs."""


def current_model(connection: Connection, project: Project) -> dict[str, Any] | None:
    """When the last model was trained, and its label-free accuracy as of now; None before the first `train`."""
    model = connection.execute(select(models).order_by(models.c.id.desc()).limit(1)).first()
    if model is None:
        return None
    shown: dict[str, Any] = {"trained_at": model.trained_at, "answers": model.answers}
    labels, subsets, said, flips = _fresh(connection, project, model)
    if not len(labels):
        return shown | {"accuracy": None, "low": None, "high": None, "judged_on": 0}
    from oneof import Answers, estimate_accuracy

    rates = flips if flips.any() else None
    estimate = estimate_accuracy(labels, Answers(subsets, said, flip_yes=rates, flip_no=rates))
    return shown | {
        "accuracy": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "judged_on": int(estimate.n),
    }


def _fresh(connection: Connection, project: Project, model: Any) -> tuple[Any, Any, Any, Any]:
    """Predictions (n,), subsets (n, k), answers (n,) and flip rates (n,): one answer an item, none learned from."""
    # By the events, not by how things stand: an answer that was learned from and then taken back comes again alike.
    seen_in_training = tasks.c.id.in_(
        select(events.c.task_id)
        .where(events.c.id <= model.last_event, events.c.kind == "answer")
        .where(events.c.task_id.is_not(None))
    )
    first = (
        select(func.min(claims.c.event_id).label("event_id"))
        .join(tasks, tasks.c.id == claims.c.task_id)
        .join(predictions, (predictions.c.item_id == tasks.c.item_id) & (predictions.c.model_id == model.id))
        .where(claims.c.state == "answered", claims.c.answer != "skip")
        .where(tasks.c.kind == "question", tasks.c.adaptive.is_(False))
        .where(predictions.c.held_out | ~seen_in_training)
        .group_by(tasks.c.item_id)
        .limit(MOST)
        .subquery()
    )
    rows = connection.execute(
        select(predictions.c.label, tasks.c.subset, events.c.answer, events.c.flip)
        .select_from(first)
        .join(events, events.c.id == first.c.event_id)
        .join(tasks, tasks.c.id == events.c.task_id)
        .join(predictions, (predictions.c.item_id == tasks.c.item_id) & (predictions.c.model_id == model.id))
    ).all()
    subsets = np.zeros((len(rows), len(project.classes)), dtype=np.bool_)
    for number, row in enumerate(rows):
        subsets[number, read_subset(row.subset)] = True
    labels = np.array([row.label for row in rows], dtype=np.int64)
    said = np.array([row.answer == "yes" for row in rows], dtype=np.bool_)
    return labels, subsets, said, np.array([row.flip for row in rows], dtype=np.float64)
