"""Adaptive questions: once there is a model, ask what tells most, and keep a share of uniform questions.

Only questions that nobody was ever shown are changed. Items kept aside to judge keep their uniform questions, and so
does a share of the others (`uniform_share`), picked by a recorded seed without looking at the model: those answers
alone can judge it.
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
from oneof.queries.adaptive import belief, best_subsets

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
    """Replace the open, never-shown questions by adaptive ones; returns how many.

    probabilities: (n, k), the model's, for the items of `content`. aside: bool (n,), items kept to judge.
    """
    with database.read() as connection:
        rows = connection.execute(
            select(tasks.c.id, tasks.c.item_id, tasks.c.position)
            .where(tasks.c.kind == "question", tasks.c.free == tasks.c.quota, ~tasks.c.removed, never_shown())
            .where(tasks.c.design != "prediction")
            .order_by(tasks.c.id)
        ).all()
    there = set(content.ids.tolist())  # without pictures that cannot be read any more
    rows = [row for row in rows if row.item_id in there]
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
    # The places in the order of asking stay the same; the most telling questions take the first of them.
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
    """Change those that are still untouched: somebody may have claimed one meanwhile."""
    changing = (
        update(tasks)
        .where(tasks.c.id == bindparam("task"), tasks.c.free == tasks.c.quota, never_shown())
        .values(design="adaptive")
    )
    return sum(connection.execute(changing, row).rowcount for row in values)


def never_shown() -> Any:
    """Of a question: nobody ever held it."""
    return ~select(claims.c.task_id).where(claims.c.task_id == tasks.c.id).exists()
