"""Write the answers to a .csv, .jsonl or .parquet file, in the format that `oneof.Answers.load` reads.

item, subset and answer come first. The other columns tell who answered, when and under which guidelines, how the
question was chosen, from which seed and which prediction, whether the item is kept aside from training, whether the
prediction was shown beside the question, what was guessed after a skip, and how often answers were flipped on purpose.
Skips are included: an accuracy that is judged without them would be too high. Labels are given as the current classes
(see `project/lineage.py`); answers that say nothing about these are left out. All rows are read in one transaction,
which nobody has to wait for.
"""

import csv
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, func, select

from oneof.annotation.asking.questions import read_subset
from oneof.annotation.project.folder import Project
from oneof.annotation.store.database import Database
from oneof.annotation.store.schema import claims, draws, events, items, models, people, predictions, tasks
from oneof.files.atomic import replacing
from oneof.files.suffixes import suffix_to_write

BATCH = 2000
COLUMNS = (
    "item", "subset", "answer", "annotator", "flip_yes", "flip_no", "design", "predicted", "adaptive", "skip", "guess",
    "held_out", "predictions_shown", "shown_at", "answered_at", "seconds", "seed", "seed_row", "guidelines", "late",
    "withdrawn", "kind", "task", "reason",
)  # fmt: skip
FLAGS = ("adaptive", "skip", "held_out", "predictions_shown", "late", "withdrawn")
"""Columns of true or false. held_out is empty before the first model, predictions_shown if it was not stored."""

Rows = Iterator[list[dict[str, Any]]]


def export_answers(
    database: Database,
    project: Project,
    out: Path,
    *,
    skips: bool = True,
    checks: bool = False,
    withdrawn: bool = False,
) -> int:
    """Write the answers and return how many. The file is written whole or not at all.

    skips, checks, withdrawn: whether skips, answers to known and repeated questions, and answers that are no longer
    used are among them.
    """
    writers = {".csv": _write_csv, ".jsonl": _write_jsonl, ".parquet": _write_parquet}
    write = writers[suffix_to_write(out, tuple(writers))]
    count = 0

    def counted(rows: Rows) -> Rows:
        nonlocal count
        for part in rows:
            count += len(part)
            yield part

    with database.read() as connection, replacing(out) as part:
        rows = answer_rows(connection, project, skips=skips, checks=checks, withdrawn=withdrawn)
        write(counted(rows), project, part)
    return count


def answer_rows(
    connection: Connection, project: Project, *, skips: bool = True, checks: bool = False, withdrawn: bool = False
) -> Rows:
    """The answers in batches of rows, for `export_answers` and the page; `subset` is a list of class names."""
    current = select(func.max(models.c.id)).scalar_subquery()
    wanted = (
        select(items.c.name.label("item"), tasks.c.subset, events.c.answer, people.c.name.label("annotator"))
        .add_columns(events.c.flip, tasks.c.design, tasks.c.predicted, events.c.guess, events.c.shown)
        .add_columns(predictions.c.held_out, events.c.claimed_at, events.c.at, events.c.seconds)
        .add_columns(draws.c.seed, tasks.c.draw_row, events.c.guidelines, events.c.late, claims.c.state)
        .add_columns(tasks.c.kind, tasks.c.id.label("task"), events.c.comment, draws.c.edition)
        .select_from(events)
        .join(claims, (claims.c.task_id == events.c.task_id) & (claims.c.person_id == events.c.person_id))
        .join(tasks, tasks.c.id == events.c.task_id)
        .join(items, items.c.id == tasks.c.item_id)
        .join(people, people.c.id == claims.c.person_id)
        .join(draws, draws.c.id == tasks.c.draw_id)
        .outerjoin(predictions, (predictions.c.item_id == items.c.id) & (predictions.c.model_id == current))
        .where(claims.c.event_id == events.c.id, items.c.removed_at.is_(None))
        .where(claims.c.state.in_(("answered", "withdrawn", "overruled") if withdrawn else ("answered",)))
        .order_by(events.c.id)
    )
    if not skips:
        wanted = wanted.where(events.c.answer != "skip")
    if not checks:
        wanted = wanted.where(tasks.c.kind == "question")
    result = connection.execution_options(yield_per=BATCH).execute(wanted)
    for part in result.partitions():
        yield [
            {
                "item": row.item,
                "subset": labels,
                "answer": row.answer,
                "annotator": row.annotator,
                "flip_yes": row.flip,
                "flip_no": row.flip,
                # Who sees the prediction may follow it: such an answer trains, but does not judge.
                "design": "given" if row.shown else design,
                "predicted": None if row.predicted is None else project.name_today(row.predicted),
                "adaptive": row.design == "adaptive",
                "skip": row.answer == "skip",
                "guess": row.guess,
                "held_out": row.held_out,
                "predictions_shown": row.shown,
                "shown_at": datetime.fromtimestamp(row.claimed_at, UTC),
                "answered_at": datetime.fromtimestamp(row.at, UTC),
                "seconds": row.seconds,
                "seed": row.seed,
                "seed_row": row.draw_row,
                "guidelines": row.guidelines,
                "late": bool(row.late),
                "withdrawn": row.state != "answered",
                "kind": row.kind,
                "task": row.task,
                "reason": row.comment,
            }
            for row in part
            for labels, design in _current_question(project, row)
        ]


def _current_question(project: Project, row: Any) -> list[tuple[list[str], str]]:
    """The labels of a question, by the current classes, and its design; empty if the answer says nothing about them."""
    numbers = read_subset(row.subset)
    if row.edition == project.lineage.edition:
        return [([project.classes[number].name for number in numbers], row.design)]
    reading = project.lineage.read(numbers, row.answer == "yes", row.edition)
    if reading is None:
        return []
    names = [name for name, shown in zip(project.active_names, reading.shown, strict=True) if shown]
    gone = row.predicted is not None and project.lineage.today(row.predicted) is None
    return [(names, row.design if reading.uniform and not gone else "given")]


def _write_csv(rows: Rows, project: Project, part: Path) -> None:
    """The names of all classes are in the first row of a column of their own."""
    classes = "|".join(project.active_names)
    flag = {None: "", True: "true", False: "false"}
    with part.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([*COLUMNS, "classes"])
        for batch in rows:
            for row in batch:
                cells = _with_times(row) | {column: flag[row[column]] for column in FLAGS}
                cells["subset"] = "|".join(row["subset"])
                writer.writerow([*(cells[column] for column in COLUMNS), classes])
                classes = ""


def _write_jsonl(rows: Rows, project: Project, part: Path) -> None:
    """The names of all classes are in the first line."""
    classes: dict[str, Any] = {"classes": project.active_names}
    with part.open("w", encoding="utf-8") as stream:
        for batch in rows:
            for row in batch:
                stream.write(json.dumps(_with_times(row) | classes, ensure_ascii=False) + "\n")
                classes = {}


def _with_times(row: dict[str, Any]) -> dict[str, Any]:
    """The row with times as text."""
    return row | {column: row[column].isoformat(timespec="milliseconds") for column in ("shown_at", "answered_at")}


def _write_parquet(rows: Rows, project: Project, part: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {
        "subset": pa.list_(pa.string()),
        "flip_yes": pa.float64(),
        "flip_no": pa.float64(),
        "shown_at": pa.timestamp("us", tz="UTC"),
        "answered_at": pa.timestamp("us", tz="UTC"),
        "seconds": pa.float64(),
        "seed": pa.int64(),
        "seed_row": pa.int64(),
        "guidelines": pa.int64(),
        "task": pa.int64(),
        **dict.fromkeys(FLAGS, pa.bool_()),
    }
    names = json.dumps(project.active_names).encode()
    schema = pa.schema(
        [(column, kinds.get(column, pa.string())) for column in COLUMNS], metadata={b"oneof.classes": names}
    )
    with pq.ParquetWriter(part, schema) as writer:
        for batch in rows:
            writer.write_table(pa.Table.from_pylist(batch, schema))
