"""Questions are drawn on the server, from a recorded seed, and stored before anybody sees them.

The estimators need the true distribution of the subsets, and a reload must never draw a question again. So each
import draws the subsets of its new items at once: `draws` keeps the seed and the sizes, each task its row.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, insert

from oneof.annotation.project.folder import Project
from oneof.annotation.store import facts
from oneof.annotation.store.schema import draws, tasks
from oneof.queries import UniformQueries

ROUND = 2**48
"""Positions of one round of questions; 2**14 rounds fit into a 63-bit position."""


def write_subset(labels: NDArray[np.bool_], rng: np.random.Generator, active: Sequence[int] | None = None) -> str:
    """A subset as text: class numbers in the order in which the labels are shown, which is random.

    active: the numbers of the classes that `labels` is about, where some are gone.

    Whoever reads a list from the top meets each class equally often in each place, and a reload shows the same order.

    >>> sorted(read_subset(write_subset(np.array([True, False, True]), np.random.default_rng(0))))
    [0, 2]
    """
    numbers = np.arange(len(labels)) if active is None else np.asarray(active)
    return ",".join(map(str, rng.permutation(numbers[labels])))


def read_subset(text: str) -> list[int]:
    """The inverse of `write_subset`, as class numbers.

    >>> read_subset("2,0")
    [2, 0]
    """
    return [int(number) for number in text.split(",")]


def new_draw(connection: Connection, project: Project, count: int, now: float, design: str) -> tuple[int, int]:
    """Record a draw of `count` subsets and return its id and seed, which follows from the project's own seed."""
    facts.add(connection, "draws", 1)
    number = int(facts.get(connection, "draws", "0"))
    state = np.random.SeedSequence([project.settings.seed, number]).generate_state(1, np.uint64)
    seed = int(state[0] >> np.uint64(1))
    row = insert(draws).values(
        seed=seed,
        classes=len(project.active),
        edition=project.lineage.edition,
        size=project.settings.size,
        drawn=count,
        design=design,
        created_at=now,
    )
    return int(connection.execute(row.returning(draws.c.id)).scalar_one()), seed


def ask(connection: Connection, project: Project, item_ids: Sequence[int], gold: Sequence[bool], now: float) -> None:
    """Store the questions about new items: drawn uniformly, in random order within each round."""
    settings = project.settings
    rounds = settings.questions_per_item
    count = len(item_ids) * rounds
    draw_id, seed, labels = _draw(connection, project, count, now)
    order = np.random.default_rng([seed, 1]).integers(ROUND, size=count).tolist()
    rows: list[dict[str, Any]] = []
    for row in range(count):
        index, turn = divmod(row, rounds)
        wanted = 0 if gold[index] else settings.overlap
        rows.append(
            {
                "item_id": item_ids[index],
                "kind": "gold" if gold[index] else "question",
                "subset": labels[row],
                "draw_id": draw_id,
                "draw_row": row,
                "design": "uniform",
                "quota": wanted,
                "free": wanted,
                "position": turn * ROUND + order[row],
            }
        )
    connection.execute(insert(tasks), rows)
    facts.add(connection, "needed", sum(row["quota"] for row in rows))


def ask_instead(connection: Connection, project: Project, old: Sequence[Any], now: float) -> None:
    """Questions in place of others (rows of item_id, free and position), drawn uniformly from the classes of today."""
    draw_id, _, labels = _draw(connection, project, len(old), now)
    rows = [
        {
            "item_id": row.item_id,
            "kind": "question",
            "subset": labels[number],
            "draw_id": draw_id,
            "draw_row": number,
            "design": "uniform",
            "quota": row.free,
            "free": row.free,
            # Not the same place: the search goes on after it.
            "position": row.position + 1,
        }
        for number, row in enumerate(old)
    ]
    connection.execute(insert(tasks), rows)
    facts.add(connection, "needed", sum(row["quota"] for row in rows))


def _draw(connection: Connection, project: Project, count: int, now: float) -> tuple[int, int, list[str]]:
    """A uniform draw: its id and seed, and the labels of each question as text, in random order."""
    draw_id, seed = new_draw(connection, project, count, now, "uniform")
    subsets = UniformQueries(len(project.active), project.settings.size).draw(count, np.random.default_rng(seed))
    numbers = np.array(project.active)[np.nonzero(subsets)[1]].reshape(count, -1)
    shuffled = np.random.default_rng([seed, 2]).permuted(numbers, axis=1).tolist()
    return draw_id, seed, [",".join(map(str, labels)) for labels in shuffled]
