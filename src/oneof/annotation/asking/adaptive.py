"""Adaptive questions: once there is a model, ask what is expected to tell most.

Only questions that nobody was ever shown are changed. Items that are kept aside to judge models keep their uniform
questions, and so does a share of the others (`uniform_share`), which is drawn from a recorded seed and does not depend
on the model: only answers to uniform questions can judge it.
"""

from typing import Any

import numpy as np
from sqlalchemy import Connection, bindparam, select, update

from oneof.annotation.asking.questions import new_draw, write_subset
from oneof.annotation.learning.content import Content
from oneof.annotation.project.folder import Project
from oneof.annotation.store.database import Database
from oneof.annotation.store.schema import claims, tasks
from oneof.answers import Answers
from oneof.queries.adaptive import belief
from oneof.queries.information import best_subsets

BATCH = 500


def choose_questions(
    database: Database,
    project: Project,
    content: Content,
    probabilities: Any,
    answers: Answers,
    aside: Any,
    now: float,
) -> int:
    """Replace questions that nobody was ever shown by adaptive ones; returns how many.

    probabilities: the model's, (n, k), for the items of `content`. aside: bool (n,), the items kept aside to judge.
    """
    with database.read() as connection:
        rows = connection.execute(
            select(tasks.c.id, tasks.c.item_id, tasks.c.position)
            .where(tasks.c.kind == "question", tasks.c.free == tasks.c.quota, ~tasks.c.removed, never_shown())
            .where(tasks.c.design != "prediction")
            .order_by(tasks.c.id)
        ).all()
    readable = set(content.ids.tolist())
    rows = [row for row in rows if row.item_id in readable]
    items = np.searchsorted(content.ids, np.array([row.item_id for row in rows], dtype=np.int64))
    count = len(rows)
    draw_id, seed = database.write(new_draw, project, count, now, "adaptive")
    rng = np.random.default_rng(seed)
    drawn = rng.random(count) >= project.settings.uniform_share
    chosen = np.flatnonzero(drawn & ~aside[items]).tolist()
    if not chosen:
        return 0
    flip = float(answers.flip_yes.mean()) if answers.flip_yes is not None and len(answers) else 0.0
    beliefs = belief(probabilities, answers.evidence(len(content.ids)))[items[chosen]]
    groups = project.groups if len(project.groups) else None
    subsets, worth = best_subsets(
        beliefs, rng, flip_yes=flip, flip_no=flip, largest=project.settings.size, groups=groups
    )
    # The positions stay the same; the questions that are expected to tell most get the first of them.
    positions = sorted(rows[index].position for index in chosen)
    changed = 0
    for start in range(0, len(chosen), BATCH):
        order = np.argsort(-worth, kind="stable")[start : start + BATCH]
        values = [
            {
                "task": rows[chosen[index]].id,
                "subset": write_subset(subsets[index], rng, project.active),
                "position": positions[start + rank],
                "draw_id": draw_id,
                "draw_row": int(chosen[index]),
            }
            for rank, index in enumerate(order)
        ]
        changed += database.write(_replace, values)
    return changed


def _replace(connection: Connection, values: list[dict[str, Any]]) -> int:
    """Change these questions, except those that somebody has claimed in the meantime; returns how many."""
    changing = (
        update(tasks)
        .where(tasks.c.id == bindparam("task"), tasks.c.free == tasks.c.quota, never_shown())
        .values(design="adaptive")
    )
    return sum(connection.execute(changing, row).rowcount for row in values)


def never_shown() -> Any:
    """The condition on a task that nobody ever held it."""
    return ~select(claims.c.task_id).where(claims.c.task_id == tasks.c.id).exists()
