"""Answers as files: csv, jsonl, parquet and npz.

Columns: item, subset, answer; annotator, flip_yes, flip_no, design and predicted where they are known. Others are
ignored, but for `adaptive`, in which older files told the design.
The list of classes is written only where the rows do not tell it already (a class nobody was asked about, or names
out of order): in the first row's `classes` cell of a csv or jsonl file, in the schema of a parquet file.
"""

import json
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
from oneof.answers.columns import Classes, Table, read, seen, starts_at_one
from oneof.answers.frames import EXTRAS, REQUIRED, extras, require, rows_of, split_labels
from oneof.answers.table import Answers
from oneof.files.atomic import replacing
from oneof.files.spreadsheets import csv_format

SUFFIXES = (".csv", ".jsonl", ".parquet", ".npz")
ROWS_READ = 1 << 15
"""Rows of a parquet file that are read together; every label takes 8 bytes until it is one bit."""
META = b"oneof.classes"
OPTIONAL = (
    "annotators", "flip_yes", "flip_no", "known_yes", "known_no", "randomised", "design", "predicted", "skipped",
)  # fmt: skip


def save(answers: Answers, path: Path) -> None:
    """Write `answers` in the format of the suffix: whole or not at all.

    >>> from tempfile import mkdtemp
    >>> file = Path(mkdtemp()) / "answers.csv"
    >>> save(Answers([[True, False, True]], [True]), file)
    >>> print(file.read_text())
    item,subset,answer
    0,0|2,yes
    <BLANKLINE>
    """
    writer = {".csv": _save_csv, ".jsonl": _save_jsonl, ".parquet": _save_parquet, ".npz": _save_npz}[_suffix(path)]
    with replacing(path) as part:
        writer(answers, part)


def load(path: Path, *, classes: int | Sequence[str] | None = None) -> Answers:
    """Read answers; an error names file, line (or row), column and value. See `Answers.load`."""
    suffix = _suffix(path)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file of answers")
    wanted: Classes | None = None
    if classes is not None:
        wanted = int(classes) if isinstance(classes, (int, np.integer)) else tuple(map(str, classes))
    if suffix == ".npz":
        answers = _load_npz(path)
        if wanted is not None and wanted not in (answers.classes, answers.class_names):
            raise ValueError(f"{path}: answers over {answers.classes} classes, expected {wanted}")
        return answers
    if suffix == ".parquet":
        told, tables = _read_parquet(path)
    else:
        told, table = _read_csv(path, wanted) if suffix == ".csv" else _read_jsonl(path)
        tables = partial(iter, [table])
    return read(path, tables, told if wanted is None else wanted)


def _suffix(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"{path}: unknown kind of file {path.suffix!r}, expected one of {', '.join(SUFFIXES)}")
    return suffix


def _untold(answers: Answers) -> Classes | None:
    """The classes, where reading the rows alone would not give them back."""
    classes: Classes = answers.classes if answers.class_names is None else answers.class_names
    asked = _asked_labels(answers)
    # Numbers that seem to start at 1, and names in which a csv cell might be split: nothing is left to guessing.
    doubtful = starts_at_one(asked) if answers.class_names is None else any(set(",;[") & set(name) for name in asked)
    return None if len(answers) and not doubtful and seen(asked) == classes else classes


def _asked_labels(answers: Answers) -> "pd.Series[Any]":
    asked = np.flatnonzero(unpack(np.bitwise_or.reduce(answers.packed, axis=0, keepdims=True), answers.classes)[0])
    return pd.Series(asked if answers.class_names is None else np.array(answers.class_names)[asked])


def _frames(answers: Answers) -> Iterator[tuple[bool, tuple[pd.DataFrame, pa.ListArray]]]:
    """The rows to write, some at a time, and whether they are the first; of no answers, one empty frame."""
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
    untold = _untold(answers)
    with part.open("w", encoding="utf-8", newline="") as stream:
        for first, (frame, lists) in _frames(answers):
            texts = pc.binary_join(lists.cast(pa.list_(pa.string())), "|")
            frame.insert(1, "subset", texts.to_numpy(zero_copy_only=False))
            if untold is not None and len(frame):
                frame["classes"] = ""
                if first:
                    frame.loc[0, "classes"] = str(untold) if isinstance(untold, int) else "|".join(untold)
            frame.to_csv(stream, index=False, header=first, lineterminator="\n")


def _save_jsonl(answers: Answers, part: Path) -> None:
    untold = _untold(answers)
    with part.open("w", encoding="utf-8") as stream:
        for first, (frame, lists) in _frames(answers):
            for row, (record, subset) in enumerate(zip(frame.to_dict("records"), lists.to_pylist(), strict=True)):
                line = {"item": record.pop("item"), "subset": subset, "answer": record.pop("answer"), **record}
                if first and row == 0 and untold is not None:
                    line["classes"] = untold if isinstance(untold, int) else list(untold)
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
    known = (*OPTIONAL, "class_names", "item_names")
    older = ("adaptive",)
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
            columns = dict(stored)
        rest = {name: columns[name] for name in known + older if name in columns}
        return Answers.from_packed(
            columns["subsets"], int(columns["classes"]), columns["responses"], columns["items"], **rest
        )
    except (OSError, KeyError, ValueError, TypeError, AttributeError, EOFError, BadZipFile, zlib.error) as error:
        raise ValueError(f"{path}: not a file of answers: {error}") from None


def _read_csv(path: Path, wanted: Classes | None) -> tuple[Classes | None, Table]:
    try:
        written = csv_format(path)
        how: dict[str, Any] = {"sep": written.separator, "encoding": written.encoding}
        frame = pd.read_csv(path, dtype=str, na_filter=False, skip_blank_lines=False, **how)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise ValueError(
            f"{path}: not a csv file of answers with columns {', '.join(REQUIRED)}: {error}".rstrip()
        ) from None
    blank = (frame == "").all(axis=1).to_numpy()
    frame = frame.iloc[: len(frame) - int(np.argmin(blank[::-1])) if len(frame) and not blank.all() else 0]
    require(path, list(frame.columns))
    told = frame["classes"][frame["classes"] != ""] if "classes" in frame else pd.Series([], dtype=str)
    classes: Classes | None = None
    if len(told):
        text = str(told.iloc[0])
        classes = int(text) if text.isdecimal() else tuple(text.split("|"))
    labels, sizes = split_labels(frame["subset"], wanted or classes)
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
    told = next((record["classes"] for record in records if "classes" in record), None)
    return tuple(told) if isinstance(told, list) else told, Table(
        path,
        lambda row: f"line {lines[row]}",
        frame["item"],
        pd.Series([label for record in records for label in record["subset"]], dtype=object),
        np.array([len(record["subset"]) for record in records], dtype=np.int64),
        frame["answer"],
        extras(frame),
    )


def _read_parquet(path: Path) -> tuple[Classes | None, Callable[[], Iterator[Table]]]:
    """The classes told, and a way to go through the rows some at a time, so that a file may be larger than memory."""
    with _opened(path) as file:
        schema = file.schema_arrow
    require(path, schema.names)
    lists = schema.field("subset").type
    kinds = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    if not any(kind(lists) for kind in kinds):
        raise ValueError(f"{path}, column subset: expected lists of labels, not {lists}")
    told = json.loads((schema.metadata or {}).get(META, b"null"))
    return tuple(told) if isinstance(told, list) else told, partial(_parquet_tables, path)


def _parquet_tables(path: Path) -> Iterator[Table]:
    first = 0
    with _opened(path) as file:
        wanted = [name for name in (*REQUIRED, *EXTRAS) if name in file.schema_arrow.names]
        for batch in file.iter_batches(ROWS_READ, columns=wanted):
            yield _parquet_table(path, batch, first)
            first += len(batch)
        if first == 0:
            yield _parquet_table(path, file.schema_arrow.empty_table().select(wanted), first)


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
        # By default the whole file is fetched ahead, or at least a whole column of a row group at once.
        with pq.ParquetFile(path, buffer_size=1 << 20, pre_buffer=False) as file:
            yield file
    except (pa.ArrowInvalid, OSError) as error:
        raise ValueError(f"{path}: not a parquet file: {error}") from None
