"""A judging round: questions that show the current model's prediction among decoys, mixed with the other questions.

Items are drawn at random from those that the model has not learned from: first from those kept aside, which no later
model learns from either, then from those that nobody had answered when it was trained. With adaptive questions only
those kept aside will do, because then an earlier model has decided which items are unanswered. Each question shows the
predicted class and other classes drawn uniformly, in random order (`oneof.PredictionQueries`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, Select, bindparam, func, insert, select, update

from oneof.annotation.asking.adaptive import never_shown
from oneof.annotation.asking.questions import ROUND, new_draw, write_subset
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.folder import Project
from oneof.annotation.store import facts
from oneof.annotation.store.schema import events, items, models, people, predictions, tasks
from oneof.queries import PredictionQueries

ASIDE = 0.2
"""The share of items that is kept aside to judge models, unless another is given to training."""

MOST = 20_000
"""Questions in one round, at most: more than any interval needs."""

CURRENT_MODEL = select(models).order_by(models.c.id.desc()).limit(1)
"""The model that was trained last."""


@dataclass(frozen=True)
class Round:
    """How many questions of judging rounds about a model there are, and how many of them are answered or held."""

    asked: int
    answered: int


def learned_from(last_event: int) -> Select[Any]:
    """The items that a model may have learned from: all that had an answer up to the event `last_event`.

    Answers that were taken back since count too: the model has seen them.
    """
    question = tasks.alias("question")
    return (
        select(question.c.item_id)
        .join(events, events.c.task_id == question.c.id)
        .where(events.c.id <= last_event, events.c.kind == "answer", question.c.kind == "question")
    )


def latest_model(connection: Connection) -> Any:
    """The current model's row; an error if there is none."""
    model = connection.execute(CURRENT_MODEL).first()
    if model is None:
        raise ProjectError("there is no model to judge yet: train one first")
    return model


def available(connection: Connection, project: Project) -> int:
    """How many items are left for a judging round of the current model."""
    model = latest_model(connection)
    return int(connection.execute(select(func.count()).select_from(_left(project, model).subquery())).scalar_one())


def round_progress(connection: Connection, model_id: int) -> Round:
    """How far the judging rounds about a model have come."""
    asked, filled = func.sum(tasks.c.quota + tasks.c.aside), func.sum(tasks.c.quota - tasks.c.free)
    row = connection.execute(
        select(func.coalesce(asked, 0), func.coalesce(filled, 0)).where(
            tasks.c.design == "prediction", tasks.c.kind == "question", tasks.c.model_id == model_id
        )
    ).one()
    return Round(int(row[0]), int(row[1]))


def ask_round(connection: Connection, project: Project, count: int, now: float) -> int:
    """Store `count` questions that judge the current model, each about another item; returns the model's id."""
    if not 1 <= count <= MOST:
        raise ProjectError(f"{count} questions: expected 1..{MOST}")
    model = latest_model(connection)
    left = connection.execute(_left(project, model)).all()
    if count > len(left):
        raise ProjectError(
            f"{count} questions: only {len(left)} items are left that this model has not learned from and that have no "
            "judging question yet; ask for fewer, or bring in more items"
        )
    draw_id, seed = new_draw(connection, project, count, now, "prediction")
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(left))
    chosen = [left[row] for row in sorted(order, key=lambda row: not left[row].held_out)[:count]]
    subsets = _draw(project, [row.label for row in chosen], rng)
    positions = _among_the_next(connection, count, rng)
    rows = [
        {
            "item_id": row.id,
            "kind": "question",
            "subset": subset,
            "draw_id": draw_id,
            "draw_row": number,
            "design": "prediction",
            "predicted": project.lineage.today(row.label),
            "model_id": model.id,
            "quota": 1,
            "free": 1,
            "position": position,
        }
        for number, (row, subset, position) in enumerate(zip(chosen, subsets, positions, strict=True))
    ]
    connection.execute(insert(tasks), rows)
    facts.add(connection, "needed", count)
    return int(model.id)


def renew(connection: Connection, project: Project, now: float) -> int:
    """After a training, turn judging questions that nobody was shown into questions about the new model.

    Returns how many. If the new model has learned from the item, the question is dropped instead.
    """
    model = latest_model(connection)
    task = tasks.c
    untouched = connection.execute(
        select(task.id, task.quota, predictions.c.label)
        .outerjoin(predictions, (predictions.c.item_id == task.item_id) & (predictions.c.model_id == model.id))
        .add_columns((predictions.c.held_out | task.item_id.not_in(learned_from(model.last_event))).label("fit"))
        .where(task.design == "prediction", task.kind == "question", task.model_id < model.id)
        .where(task.free == task.quota, task.free > 0, ~task.removed, never_shown())
        .order_by(task.id)
    ).all()
    if not untouched:
        return 0
    useless = [row.id for row in untouched if not row.fit]
    connection.execute(update(tasks).where(task.id.in_(useless)).values(quota=0, free=0))
    facts.add(connection, "needed", -sum(row.quota for row in untouched if not row.fit))
    fit = [row for row in untouched if row.fit]
    if not fit:
        return 0
    draw_id, seed = new_draw(connection, project, len(fit), now, "prediction")
    subsets = _draw(project, [row.label for row in fit], np.random.default_rng(seed))
    connection.execute(
        update(tasks).where(task.id == bindparam("task")).values(model_id=model.id, draw_id=draw_id),
        [
            {"task": row.id, "subset": subset, "predicted": row.label, "draw_row": number}
            for number, (row, subset) in enumerate(zip(fit, subsets, strict=True))
        ],
    )
    return len(fit)


def _left(project: Project, model: Any) -> Select[Any]:
    """The items that a round may ask about, with the model's label.

    Items that it has learned from, that are known, and that have a judging question about it already are left out.
    """
    question = tasks.alias("question_already")
    again = select(question.c.id).where(
        question.c.item_id == items.c.id, question.c.design == "prediction", question.c.model_id == model.id
    )
    gone = [number for number in range(len(project.classes)) if project.lineage.today(number) is None]
    fit: ColumnElement[bool] = predictions.c.held_out
    if project.settings.mechanism == "uniform":
        fit = fit | items.c.id.not_in(learned_from(model.last_event))
    return (
        select(items.c.id, predictions.c.label, predictions.c.held_out)
        .join(predictions, (predictions.c.item_id == items.c.id) & (predictions.c.model_id == model.id))
        .where(items.c.removed_at.is_(None), items.c.gold.is_(None), fit, ~again.exists())
        .where(predictions.c.label.not_in(gone))
        .order_by(items.c.id)
    )


def _draw(project: Project, labels: Sequence[int], rng: np.random.Generator) -> list[str]:
    """For each predicted label, a question that shows it among decoys, as text."""
    queries = PredictionQueries(len(project.active), project.settings.size)
    places = np.array([project.lineage.place(label) for label in labels], dtype=np.int64)
    return [write_subset(row, rng, project.active) for row in queries.draw(places, rng)]


def _among_the_next(connection: Connection, count: int, rng: np.random.Generator) -> list[int]:
    """Positions, each right after one of the next open questions, so that every other question judges."""
    front = connection.execute(select(func.coalesce(func.max(people.c.cursor), -1))).scalar_one()
    table = tasks.c
    waiting = select(table.position).where(table.free > 0, table.reserved_for.is_(None))
    ahead = list(connection.scalars(waiting.where(table.position > front).order_by(table.position).limit(count)))
    if len(ahead) < count:  # the pointers go round: what is behind them comes next
        ahead += connection.scalars(
            waiting.where(table.position <= front).order_by(table.position).limit(count - len(ahead))
        )
    after: NDArray[np.int64] = rng.permutation(np.array(ahead, dtype=np.int64)) + 1
    # If there are fewer open questions than that, the others come at the end, in random order.
    last = max([front, *ahead])
    later = last + 2 + rng.integers(ROUND, size=count - len(after))
    return [int(position) for position in np.concatenate([after, later])]
