"""Answers as files: csv, jsonl, parquet and npz.

Columns: item, subset, answer; annotator, flip_yes, flip_no, design and predicted where they are known. Other columns
are ignored, except `adaptive`, which older files have instead of `design`.
The list of classes is written only if it cannot be found from the rows (no question shows some class, or the names are
not in sorted order): in the first row's `classes` cell of a csv or jsonl file, in the schema of a parquet file.
"""

import json
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from oneof.answers.bitsets import rows_at_once, unpack
from oneof.answers.columns import Classes, Table, as_classes, classes_of_labels, read, starts_at_one
from oneof.answers.frames import EXTRAS, REQUIRED, extras, require, rows_of, split_labels
from oneof.answers.table import Answers
from oneof.files.atomic import replacing
from oneof.files.spreadsheets import csv_format
from oneof.files.suffixes import checked_suffix

SUFFIXES = (".csv", ".jsonl", ".parquet", ".npz")
ROWS_READ = 1 << 15
"""Rows of a parquet file that are read at a time; a label takes 8 bytes until it is packed into one bit."""
META = b"oneof.classes"
"""The key of the classes in the schema of a parquet file."""
OPTIONAL = (
    "annotators", "flip_yes", "flip_no", "known_yes", "known_no", "randomised", "design", "predicted", "skipped",
)  # fmt: skip


def save(answers: Answers, path: Path) -> None:
    """Write answers in the format that the suffix says; the file is replaced only when it is complete.

    >>> from tempfile import mkdtemp
    >>> file = Path(mkdtemp()) / "answers.csv"
    >>> save(Answers([[True, False, True]], [True]), file)
    >>> print(file.read_text())
    item,subset,answer
    0,0|2,yes
    <BLANKLINE>
    """
    writers = {".csv": _save_csv, ".jsonl": _save_jsonl, ".parquet": _save_parquet, ".npz": _save_npz}
    writer = writers[checked_suffix(path, SUFFIXES)]
    with replacing(path) as part:
        writer(answers, part)


def load(path: Path, *, classes: int | Sequence[str] | None = None) -> Answers:
    """Answers from a file; an error names the file, line (or row), column and value. See `Answers.load`."""
    suffix = checked_suffix(path, SUFFIXES)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file of answers")
    given = as_classes(classes)
    if suffix == ".npz":
        answers = _load_npz(path)
        if given is not None and given not in (answers.classes, answers.class_names):
            raise ValueError(f"{path}: answers over {answers.classes} classes, expected {given}")
        return answers
    if suffix == ".parquet":
        stated, tables = _read_parquet(path)
    else:
        stated, table = _read_csv(path, given) if suffix == ".csv" else _read_jsonl(path)
        tables = partial(iter, [table])
    return read(path, tables, stated if given is None else given)


def _classes_to_state(answers: Answers) -> Classes | None:
    """The classes, if a reader could not find them from the rows alone; otherwise None."""
    classes: Classes = answers.classes if answers.class_names is None else answers.class_names
    shown = np.flatnonzero(unpack(np.bitwise_or.reduce(answers.packed, axis=0, keepdims=True), answers.classes)[0])
    labels = pd.Series(shown if answers.class_names is None else np.array(answers.class_names)[shown])
    # Numbers that seem to start at 1, and names with a mark at which a csv cell might be split, could be misread.
    doubtful = starts_at_one(labels) if answers.class_names is None else any(map(_doubtful, labels))
    return None if len(answers) and not doubtful and classes_of_labels(labels) == classes else classes


def _doubtful(name: str) -> bool:
    return bool(set(",;[({\t") & set(name)) or bool(re.fullmatch(r"\d+(\s+\d+)+", name))


def _frames(answers: Answers) -> Iterator[tuple[bool, tuple[pd.DataFrame, pa.ListArray]]]:
    """The rows to write, some at a time, and whether they are the first; one empty frame if there are no answers."""
    step = rows_at_once(answers.classes)
    for start in range(0, max(1, len(answers)), step):
        yield start == 0, rows_of(answers[start : start + step])


def _save_csv(answers: Answers, part: Path) -> None:
    for name in answers.class_names or ():
        if "|" in name or name != name.strip():
            raise ValueError(
                f"class name {name!r} cannot be written to csv, where | joins labels and spaces around them do not "
                "count: use jsonl or parquet"
            )
    stated = _classes_to_state(answers)
    with part.open("w", encoding="utf-8", newline="") as stream:
        for first, (frame, lists) in _frames(answers):
            texts = pc.binary_join(lists.cast(pa.list_(pa.string())), "|")
            frame.insert(1, "subset", texts.to_numpy(zero_copy_only=False))
            if stated is not None and len(frame):
                frame["classes"] = ""
                if first:
                    frame.loc[0, "classes"] = str(stated) if isinstance(stated, int) else "|".join(stated)
            frame.to_csv(stream, index=False, header=first, lineterminator="\n")


def _save_jsonl(answers: Answers, part: Path) -> None:
    stated = _classes_to_state(answers)
    with part.open("w", encoding="utf-8") as stream:
        for first, (frame, lists) in _frames(answers):
            for row, (record, subset) in enumerate(zip(frame.to_dict("records"), lists.to_pylist(), strict=True)):
                line = {"item": record.pop("item"), "subset": subset, "answer": record.pop("answer"), **record}
                if first and row == 0 and stated is not None:
                    line["classes"] = stated if isinstance(stated, int) else list(stated)
                stream.write(json.dumps(line, ensure_ascii=False) + "\n")


def _save_parquet(answers: Answers, part: Path) -> None:
    classes = answers.classes if answers.class_names is None else list(answers.class_names)
    label = pa.int64() if answers.class_names is None else pa.string()
    kinds = {
        "item": pa.int64() if answers.item_names is None else pa.string(),
        "subset": pa.list_(label),
        "answer": pa.string(),
    }
    optional = {"annotator": pa.string(), "flip_yes": pa.float64(), "flip_no": pa.float64(), "design": pa.string()}
    optional |= {"predicted": label, "known_yes": pa.float64(), "known_no": pa.float64(), "randomised": pa.float64()}
    with ExitStack() as stack:
        writer = None
        for _, (frame, lists) in _frames(answers):
            kinds |= {name: kind for name, kind in optional.items() if name in frame}
            schema = pa.schema(kinds, metadata={META: json.dumps(classes).encode()})
            columns = [lists if name == "subset" else pa.array(frame[name], kind) for name, kind in kinds.items()]
            writer = writer or stack.enter_context(pq.ParquetWriter(part, schema))
            writer.write_table(pa.table(columns, schema=schema))


def _save_npz(answers: Answers, part: Path) -> None:
    columns = {name: getattr(answers, name) for name in OPTIONAL if name != "design"}
    columns |= {"design": answers.design_codes}
    names = {
        name: np.array(getattr(answers, name), dtype=str)
        for name in ("class_names", "item_names")
        if getattr(answers, name)
    }
    with part.open("wb") as stream:
        np.savez_compressed(
            stream,
            allow_pickle=False,
            subsets=answers.packed,
            classes=np.int64(answers.classes),
            responses=answers.responses,
            items=answers.items,
            **{name: column for name, column in columns.items() if column is not None},
            **names,
        )


def _load_npz(path: Path) -> Answers:
    known = (*OPTIONAL, "class_names", "item_names", "adaptive")  # the last one is in older files
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
            columns = dict(stored)
        optional = {name: columns[name] for name in known if name in columns}
        return Answers.from_packed(
            columns["subsets"], int(columns["classes"]), columns["responses"], columns["items"], **optional
        )
    except (OSError, KeyError, ValueError, TypeError, AttributeError, EOFError, BadZipFile, zlib.error) as error:
        raise ValueError(f"{path}: not a file of answers: {error}") from None


def _read_csv(path: Path, given: Classes | None) -> tuple[Classes | None, Table]:
    try:
        found = csv_format(path)
        options: dict[str, Any] = {"sep": found.separator, "encoding": found.encoding}
        frame = pd.read_csv(path, dtype=str, na_filter=False, skip_blank_lines=False, **options)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise ValueError(
            f"{path}: not a csv file of answers with columns {', '.join(REQUIRED)}: {error}".rstrip()
        ) from None
    blank = (frame == "").all(axis=1).to_numpy()
    frame = frame.iloc[: len(frame) - int(np.argmin(blank[::-1])) if len(frame) and not blank.all() else 0]
    require(path, list(frame.columns))
    cells = frame["classes"][frame["classes"] != ""] if "classes" in frame else pd.Series([], dtype=str)
    classes: Classes | None = None
    if len(cells):
        text = str(cells.iloc[0])
        classes = int(text) if text.isdecimal() else tuple(text.split("|"))
    labels, sizes = split_labels(frame["subset"], given or classes, lambda row: f"{path}, line {row + 2}")
    return classes, Table(
        path, lambda row: f"line {row + 2}", frame["item"], labels, sizes, frame["answer"], extras(frame)
    )


def _read_jsonl(path: Path) -> tuple[Classes | None, Table]:
    records, lines = [], []
    with path.open("rb") as stream:
        for number, text in enumerate(stream, start=1):
            if not text.strip():
                continue
            try:
                record = json.loads(text.decode("utf-8"))
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: not a JSON object: {error}") from None
            if not isinstance(record, dict) or not isinstance(record.get("subset", []), list):
                raise ValueError(
                    f"{path}, line {number}: expected an object with a list of labels as its subset: {str(record)[:80]}"
                )
            nested = [name for name, value in record.items() if isinstance(value, (list, dict))]
            if set(nested) - {"subset", "classes"}:
                name = next(name for name in nested if name not in ("subset", "classes"))
                raise ValueError(
                    f"{path}, line {number}, column {name}: value {record[name]!r}, expected text or a number"
                )
            missing = [name for name in REQUIRED if name not in record]
            if missing:
                raise ValueError(
                    f"{path}, line {number}: column {missing[0]} is missing, expected {', '.join(REQUIRED)}"
                )
            records.append(record)
            lines.append(number)
    columns = dict.fromkeys((*REQUIRED, *(name for record in records for name in record)))
    # Each column as objects: pandas would turn whole numbers beside a missing one into fractions.
    frame = pd.DataFrame({name: pd.Series([record.get(name) for record in records], dtype=object) for name in columns})
    classes = next((record["classes"] for record in records if "classes" in record), None)
    return tuple(classes) if isinstance(classes, list) else classes, Table(
        path,
        lambda row: f"line {lines[row]}",
        frame["item"],
        pd.Series([label for record in records for label in record["subset"]], dtype=object),
        np.array([len(record["subset"]) for record in records], dtype=np.int64),
        frame["answer"],
        extras(frame),
    )


def _read_parquet(path: Path) -> tuple[Classes | None, Callable[[], Iterator[Table]]]:
    """The classes that the file states, and a function that reads the rows some at a time: the file may be large."""
    with _opened(path) as file:
        schema = file.schema_arrow
    require(path, schema.names)
    lists = schema.field("subset").type
    kinds = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    if not any(kind(lists) for kind in kinds):
        raise ValueError(f"{path}, column subset: expected lists of labels, not {lists}")
    classes = json.loads((schema.metadata or {}).get(META, b"null"))
    return tuple(classes) if isinstance(classes, list) else classes, partial(_parquet_tables, path)


def _parquet_tables(path: Path) -> Iterator[Table]:
    first = 0
    with _opened(path) as file:
        known = [name for name in (*REQUIRED, *EXTRAS) if name in file.schema_arrow.names]
        for batch in file.iter_batches(ROWS_READ, columns=known):
            yield _parquet_table(path, batch, first)
            first += len(batch)
        if first == 0:
            yield _parquet_table(path, file.schema_arrow.empty_table().select(known), first)


def _parquet_table(path: Path, rows: pa.RecordBatch | pa.Table, first: int) -> Table:
    for name in REQUIRED:
        if rows.column(name).null_count:
            row = first + int(np.flatnonzero(np.asarray(rows.column(name).is_null()))[0])
            raise ValueError(f"{path}, row {row}, column {name}: is empty")
    lists = rows.column("subset")
    frame = rows.drop_columns(["subset"]).to_pandas(integer_object_nulls=True)
    labels = pc.list_flatten(lists).to_pandas(integer_object_nulls=True)
    sizes = np.asarray(pc.list_value_length(lists), dtype=np.int64)
    return Table(path, lambda row: f"row {row}", frame["item"], labels, sizes, frame["answer"], extras(frame), first)


@contextmanager
def _opened(path: Path) -> Iterator[pq.ParquetFile]:
    try:
        # By default pyarrow would read the whole file ahead, or at least whole columns of a row group.
        with pq.ParquetFile(path, buffer_size=1 << 20, pre_buffer=False) as file:
            yield file
    except (pa.ArrowInvalid, OSError) as error:
        raise ValueError(f"{path}: not a parquet file: {error}") from None
