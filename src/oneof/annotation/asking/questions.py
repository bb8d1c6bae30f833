"""Questions are drawn on the server, from a recorded seed, and stored before anybody sees them.

The estimators need to know how the labels were drawn, and a reload of the page must never draw a question again. So
each import draws the questions about its items at once. The table `draws` keeps the seed and the sizes of each draw,
from which it can be made again; each task keeps its row in it.
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
"""Positions in one round of questions; 2**14 rounds fit into a 63-bit position."""


def write_subset(labels: NDArray[np.bool_], rng: np.random.Generator, active: Sequence[int] | None = None) -> str:
    """A question's labels, bool (k,), as text: class numbers in the order in which they are shown, which is random.

    The order is drawn once and stored, so that each class is equally often at the top of a list, and a reload shows
    the same order. active: the class numbers that `labels` stands for, if some classes are gone.

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
    """Record a draw of `count` questions; returns its id and its seed, which follows from the project's seed."""
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
    """Draw uniform questions about new items and store them, in random order within each round.

    gold: for each item, whether its label is known; its questions then check annotators.
    """
    rounds, overlap = project.settings.questions_per_item, project.settings.overlap
    count = len(item_ids) * rounds
    draw_id, seed, labels = _draw(connection, project, count, now)
    order = np.random.default_rng([seed, 1]).integers(ROUND, size=count).tolist()
    questions = []
    for row in range(count):
        item, turn = divmod(row, rounds)
        kind, quota = ("gold", 0) if gold[item] else ("question", overlap)
        questions.append((item_ids[item], kind, quota, turn * ROUND + order[row]))
    _store(connection, draw_id, labels, questions)


def ask_instead(connection: Connection, project: Project, old: Sequence[Any], now: float) -> None:
    """Draw uniform questions in place of others (rows with item_id, free and position), from the current classes."""
    draw_id, _, labels = _draw(connection, project, len(old), now)
    # Just after the old one: an annotator whose pointer stands there still gets it.
    _store(connection, draw_id, labels, [(row.item_id, "question", row.free, row.position + 1) for row in old])


def _store(
    connection: Connection, draw_id: int, labels: Sequence[str], questions: Sequence[tuple[int, str, int, int]]
) -> None:
    """Store the questions of a uniform draw. questions: item, kind, wanted answers and position of each."""
    rows: list[dict[str, Any]] = []
    for row, (subset, (item_id, kind, quota, position)) in enumerate(zip(labels, questions, strict=True)):
        drawn = {"draw_id": draw_id, "draw_row": row, "subset": subset, "design": "uniform"}
        rows.append(drawn | {"item_id": item_id, "kind": kind, "quota": quota, "free": quota, "position": position})
    connection.execute(insert(tasks), rows)
    facts.add(connection, "needed", sum(row["quota"] for row in rows))


def _draw(connection: Connection, project: Project, count: int, now: float) -> tuple[int, int, list[str]]:
    """Draw `count` uniform questions; returns the draw's id, its seed, and the labels of each question as text."""
    draw_id, seed = new_draw(connection, project, count, now, "uniform")
    subsets = UniformQueries(len(project.active), project.settings.size).draw(count, np.random.default_rng(seed))
    numbers = np.array(project.active)[np.nonzero(subsets)[1]].reshape(count, -1)
    shuffled = np.random.default_rng([seed, 2]).permuted(numbers, axis=1).tolist()
    return draw_id, seed, [",".join(map(str, labels)) for labels in shuffled]
