"""Stored answers as `oneof.Answers` about the current classes; see `project/lineage.py`."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Select, select

from oneof import Answers
from oneof.annotation.asking.questions import read_subset
from oneof.annotation.project.folder import Project
from oneof.annotation.store.schema import claims, draws, events, people, tasks
from oneof.annotation.store.schema import items as items_table
from oneof.queries.weights import flipped_again


def standing_answers() -> Select[Any]:
    """The answers that are in use, in the order in which they were given: item, question, answer, and who gave it."""
    return (
        select(tasks.c.item_id, tasks.c.subset, tasks.c.design, tasks.c.predicted, tasks.c.model_id)
        .add_columns(claims.c.answer, events.c.guess, events.c.flip, people.c.name, draws.c.edition)
        .select_from(claims)
        .join(tasks, tasks.c.id == claims.c.task_id)
        .join(events, events.c.id == claims.c.event_id)
        .join(items_table, items_table.c.id == tasks.c.item_id)
        .join(draws, draws.c.id == tasks.c.draw_id)
        .join(people, people.c.id == claims.c.person_id)
        .where(claims.c.state == "answered")
        .order_by(claims.c.event_id)
    )


def is_right(project: Project, row: Any) -> bool | None:
    """Whether an answer about a known item is right; None if the label, or what the answer means, is not known now."""
    if row.gold is None:
        return None
    return project.lineage.right(row.gold, read_subset(row.subset), row.answer == "yes", row.edition)


def informative(project: Project, rows: Sequence[Any]) -> list[Any]:
    """Those rows whose answers still say something about the current classes. Rows have subset, answer and edition."""
    current, read = project.lineage.edition, project.lineage.read
    return [
        row for row in rows if row.edition == current or read(read_subset(row.subset), row.answer == "yes", row.edition)
    ]


def as_answers(project: Project, rows: Sequence[Any], items: Any, flips: Any = None) -> Answers:
    """The answers in these rows, which must all be `informative`; items: the item of each, (n,).

    Rows have subset, edition, design, predicted, answer, flip and name (of the annotator). flips: the rates at which
    answers were flipped on purpose, (n,), if not those in the rows. The setting `slip_rate` is added to them: without
    it two answers that contradict each other would leave no class possible.
    """
    lineage, active = project.lineage, np.array(project.active)
    subsets = np.zeros((len(rows), len(active)), dtype=np.bool_)
    designs, predicted = [], []
    for number, row in enumerate(rows):
        labels = read_subset(row.subset)
        design, place = row.design, None if row.predicted is None else lineage.place(row.predicted)
        if row.edition == lineage.edition:
            subsets[number] = np.isin(active, labels)
        else:
            reading = lineage.read(labels, row.answer == "yes", row.edition)
            assert reading is not None, "the rows must be informative"
            subsets[number] = reading.shown
            lost = not reading.uniform or (design == "prediction" and place is None)
            design = "given" if lost else design
        designs.append(design)
        predicted.append(place if design == "prediction" and place is not None else -1)
    on_purpose: NDArray[np.float64] = np.array([row.flip for row in rows], dtype=np.float64) if flips is None else flips
    rates = flipped_again(on_purpose, project.settings.slip_rate)
    return Answers(
        subsets,
        np.array([row.answer == "yes" for row in rows], dtype=np.bool_),
        np.asarray(items, dtype=np.int64),
        class_names=project.active_names,
        annotators=np.array([row.name for row in rows], dtype=str),
        flip_yes=rates,
        flip_no=rates,
        randomised=on_purpose,
        design=designs,
        predicted=predicted,
        skipped=np.array([row.answer == "skip" for row in rows], dtype=np.bool_),
    )
