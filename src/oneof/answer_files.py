"""Answers as files: csv, jsonl, parquet and npz.

Columns: item, subset, answer; annotator, flip_yes, flip_no and adaptive where they are known. Others are ignored.
The list of classes is written only where the rows do not tell it already (a class nobody was asked about, or names
out of order): in the first row's `classes` cell of a csv or jsonl file, in the schema of a parquet file.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from oneof.answers import Answers
from oneof.atomic import replacing

SUFFIXES = (".csv", ".jsonl", ".parquet", ".npz")
REQUIRED = ("item", "subset", "answer")
WORDS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
META = b"oneof.classes"

Classes = int | tuple[str, ...]


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
    wanted: Classes | None = classes if classes is None or isinstance(classes, int) else tuple(map(str, classes))
    if suffix == ".npz":
        answers = _load_npz(path)
        if wanted is not None and wanted not in (answers.classes, answers.class_names):
            raise ValueError(f"{path}: answers over {answers.classes} classes, expected {wanted}")
        return answers
    table = {".csv": _read_csv, ".jsonl": _read_jsonl, ".parquet": _read_parquet}[suffix](path)
    return table.answers(wanted)


def _suffix(path: Path) -> str:
    if path.suffix not in SUFFIXES:
        raise ValueError(f"{path}: unknown kind of file {path.suffix!r}, expected one of {', '.join(SUFFIXES)}")
    return path.suffix


@dataclass
class _Table:
    """The columns of a file as read, before they are checked; `place` turns a row into words for an error."""

    path: Path
    place: Callable[[int], str]
    item: "pd.Series[Any]"
    labels: "pd.Series[Any]"
    """Every label of every subset, one after the other."""
    sizes: NDArray[np.int64]
    answer: "pd.Series[Any]"
    extra: dict[str, "pd.Series[Any]"]
    classes: Classes | None

    def answers(self, wanted: Classes | None) -> Answers:
        n = len(self.sizes)
        classes = wanted if wanted is not None else self.classes if self.classes is not None else seen(self.labels)
        codes, k, names = self._codes(classes)
        subsets = np.zeros((n, k), dtype=np.bool_)
        rows = np.repeat(np.arange(n), self.sizes)
        subsets[rows, codes] = True
        found = subsets.sum(axis=1)
        self._refuse(found != self.sizes, "subset", "names a label twice")
        self._refuse((found == 0) | (found == k), "subset", f"has {{}} labels, expected 1..{k - 1}", found)
        items, item_names = self._items()
        try:
            return Answers(
                subsets,
                self._bits("answer", self.answer),
                items,
                class_names=names,
                item_names=item_names,
                annotators=self.extra["annotator"].to_numpy(dtype=str) if "annotator" in self.extra else None,
                adaptive=self._bits("adaptive", self.extra["adaptive"]) if "adaptive" in self.extra else None,
                **{name: self._rates(name) for name in ("flip_yes", "flip_no") if name in self.extra},
            )
        except ValueError as error:
            raise ValueError(f"{self.path}: {error}") from None

    def _codes(self, classes: Classes) -> tuple[NDArray[np.int64], int, tuple[str, ...] | None]:
        """The number of each label in `labels`."""
        if isinstance(classes, int):
            codes = _whole_numbers(self.labels)
            bad = (codes < 0) | (codes >= classes)
            expected = f"expected a class number in 0..{classes - 1}"
        else:
            codes = pd.Index(classes).get_indexer(pd.Index(self.labels.astype(str))).astype(np.int64)
            bad = codes < 0
            expected = f"expected one of {', '.join(classes[:8])}{', ...' if len(classes) > 8 else ''}"
        if bad.any():
            first = int(np.flatnonzero(bad)[0])
            row = int(np.searchsorted(np.cumsum(self.sizes), first, side="right"))
            raise self._error(row, "subset", f"label {self.labels.iloc[first]!r}, {expected}")
        return (
            codes,
            classes if isinstance(classes, int) else len(classes),
            None if isinstance(classes, int) else classes,
        )

    def _items(self) -> tuple[NDArray[np.int64], tuple[str, ...] | None]:
        numbers = _whole_numbers(self.item)
        if (numbers >= 0).all():
            return numbers, None
        names = self.item.astype(str)
        self._refuse((names == "").to_numpy(dtype=np.bool_), "item", "is empty")
        codes, unique = pd.factorize(names)
        return codes.astype(np.int64), tuple(unique)

    def _bits(self, column: str, values: "pd.Series[Any]") -> NDArray[np.bool_]:
        codes, unique = pd.factorize(values, use_na_sentinel=False)
        known = np.array([WORDS.get(_word(value), -1) for value in unique], dtype=np.int64)
        bits = known[codes] if len(unique) else np.zeros(0, np.int64)
        if (bits < 0).any():
            row = int(np.flatnonzero(bits < 0)[0])
            raise self._error(row, column, f"value {values.iloc[row]!r}, expected yes or no (or true/false, 1/0)")
        return bits.astype(np.bool_)

    def _rates(self, column: str) -> NDArray[np.float64]:
        rates = pd.to_numeric(self.extra[column], errors="coerce").to_numpy(dtype=np.float64)
        if not ((rates >= 0) & (rates < 1)).all():
            row = int(np.flatnonzero(~((rates >= 0) & (rates < 1)))[0])
            raise self._error(row, column, f"value {self.extra[column].iloc[row]!r}, expected a rate in [0, 1)")
        return rates

    def _refuse(self, bad: NDArray[np.bool_], column: str, message: str, values: Any = None) -> None:
        if bad.any():
            row = int(np.flatnonzero(bad)[0])
            raise self._error(row, column, message.format(None if values is None else values[row]))

    def _error(self, row: int, column: str, message: str) -> ValueError:
        return ValueError(f"{self.path}, {self.place(row)}, column {column}: {message}")


def seen(labels: "pd.Series[Any]") -> Classes:
    """The classes that the labels themselves tell: 0..max for whole numbers, else the names in sorted order."""
    unique = pd.Series(labels.unique())
    numbers = _whole_numbers(unique)
    if (numbers >= 0).all():
        return max(2, int(numbers.max(initial=0)) + 1)
    return tuple(sorted(unique.astype(str)))


def _whole_numbers(values: "pd.Series[Any]") -> NDArray[np.int64]:
    """Each value as a whole number, or -1 where it is not one, written the ordinary way ("7", not "07" or "7.0")."""
    if pd.api.types.is_integer_dtype(values.dtype):
        return values.to_numpy(dtype=np.int64)
    codes, unique = pd.factorize(values, use_na_sentinel=False)
    texts = [str(value) for value in unique]
    numbers = np.array(
        [
            int(text) if text.isdecimal() and text.isascii() and str(int(text)) == text and len(text) < 19 else -1
            for text in texts
        ],
        dtype=np.int64,
    )
    return numbers[codes] if len(texts) else np.zeros(0, np.int64)


def _word(value: Any) -> str:
    return str(int(value)) if isinstance(value, (bool, np.bool_, int, np.integer)) else str(value).strip().lower()


def _untold(answers: Answers) -> Classes | None:
    """The classes, where reading the rows alone would not give them back."""
    classes: Classes = answers.classes if answers.class_names is None else answers.class_names
    return None if len(answers) and seen(_asked_labels(answers)) == classes else classes


def _asked_labels(answers: Answers) -> "pd.Series[Any]":
    asked = np.flatnonzero(answers.subsets.any(axis=0))
    return pd.Series(asked if answers.class_names is None else np.array(answers.class_names)[asked])


def _frame(answers: Answers) -> tuple[pd.DataFrame, pa.ListArray]:
    """The plain columns, and the subsets as lists of labels."""
    rows, labels = np.nonzero(answers.subsets)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(answers)))])
    values = labels if answers.class_names is None else np.array(answers.class_names, dtype=object)[labels]
    kind = pa.int64() if answers.class_names is None else pa.string()
    lists = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(values, kind))
    items: Any = (
        answers.items if answers.item_names is None else np.array(answers.item_names, dtype=object)[answers.items]
    )
    frame = pd.DataFrame({"item": items, "answer": np.where(answers.responses, "yes", "no")})
    columns = {"annotator": answers.annotators, "flip_yes": answers.flip_yes, "flip_no": answers.flip_no}
    for name, column in (columns | {"adaptive": answers.adaptive}).items():
        if column is not None:
            frame[name] = column
    return frame, lists


def _save_csv(answers: Answers, part: Path) -> None:
    for name in answers.class_names or ():
        if "|" in name or "\n" in name or name == "":
            raise ValueError(
                f"class name {name!r} cannot be written to csv, where | joins labels: use jsonl or parquet"
            )
    frame, lists = _frame(answers)
    texts = pc.binary_join(lists.cast(pa.list_(pa.string())), "|")
    frame.insert(1, "subset", texts.to_numpy(zero_copy_only=False))
    untold = _untold(answers)
    if untold is not None and len(frame):
        frame["classes"] = ""
        frame.loc[0, "classes"] = str(untold) if isinstance(untold, int) else "|".join(untold)
    frame.to_csv(part, index=False, lineterminator="\n")


def _save_jsonl(answers: Answers, part: Path) -> None:
    frame, lists = _frame(answers)
    untold = _untold(answers)
    with part.open("w", encoding="utf-8") as stream:
        for row, (record, subset) in enumerate(zip(frame.to_dict("records"), lists.to_pylist(), strict=True)):
            line = {"item": record.pop("item"), "subset": subset, "answer": record.pop("answer"), **record}
            if row == 0 and untold is not None:
                line["classes"] = untold if isinstance(untold, int) else list(untold)
            stream.write(json.dumps(line, ensure_ascii=False) + "\n")


def _save_parquet(answers: Answers, part: Path) -> None:
    frame, lists = _frame(answers)
    table = pa.Table.from_pandas(frame, preserve_index=False).add_column(1, "subset", lists)
    classes = answers.classes if answers.class_names is None else list(answers.class_names)
    pq.write_table(table.replace_schema_metadata({META: json.dumps(classes).encode()}), part)


def _save_npz(answers: Answers, part: Path) -> None:
    columns = {name: getattr(answers, name) for name in ("annotators", "flip_yes", "flip_no", "adaptive")}
    names = {
        name: np.array(getattr(answers, name), dtype=str)
        for name in ("class_names", "item_names")
        if getattr(answers, name)
    }
    with part.open("wb") as stream:
        np.savez_compressed(
            stream,
            allow_pickle=False,
            subsets=np.packbits(answers.subsets, axis=1),
            classes=np.int64(answers.classes),
            responses=answers.responses,
            items=answers.items,
            **{name: column for name, column in columns.items() if column is not None},
            **names,
        )


def _load_npz(path: Path) -> Answers:
    try:
        with np.load(path, allow_pickle=False) as stored:
            columns = dict(stored)
        classes = int(columns.pop("classes"))
        subsets = np.unpackbits(columns.pop("subsets"), axis=1, count=classes).astype(np.bool_)
        return Answers(subsets, columns.pop("responses"), columns.pop("items"), **columns)
    except (OSError, KeyError, ValueError, EOFError) as error:
        raise ValueError(f"{path}: not a file of answers: {error}") from None


def _read_csv(path: Path) -> _Table:
    try:
        frame = pd.read_csv(path, dtype=str, na_filter=False, skip_blank_lines=False, encoding="utf-8")
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise ValueError(
            f"{path}: not a csv file of answers with columns {', '.join(REQUIRED)}: {error}".rstrip()
        ) from None
    blank = (frame == "").all(axis=1).to_numpy()
    frame = frame.iloc[: len(frame) - int(np.argmin(blank[::-1])) if len(frame) and not blank.all() else 0]
    _require(path, list(frame.columns))
    lists = pc.split_pattern(pa.array(frame["subset"], pa.string()), "|")
    labels = pc.list_flatten(lists).to_pandas().astype(str).str.strip()
    sizes = np.asarray(pc.list_value_length(lists), dtype=np.int64)
    told = frame["classes"][frame["classes"] != ""] if "classes" in frame else pd.Series([], dtype=str)
    classes: Classes | None = None
    if len(told):
        text = str(told.iloc[0])
        classes = int(text) if text.isdecimal() else tuple(text.split("|"))
    return _Table(
        path, lambda row: f"line {row + 2}", frame["item"], labels, sizes, frame["answer"], _extras(frame), classes
    )


def _read_jsonl(path: Path) -> _Table:
    records, lines = [], []
    with path.open(encoding="utf-8") as stream:
        for number, text in enumerate(stream, start=1):
            if not text.strip():
                continue
            try:
                record = json.loads(text)
            except json.JSONDecodeError as error:
                raise ValueError(f"{path}, line {number}: not a JSON object: {error}") from None
            if not isinstance(record, dict) or not isinstance(record.get("subset", []), list):
                raise ValueError(
                    f"{path}, line {number}: expected an object with a list of labels as its subset: {text[:80]!r}"
                )
            missing = [name for name in REQUIRED if name not in record]
            if missing:
                raise ValueError(
                    f"{path}, line {number}: column {missing[0]} is missing, expected {', '.join(REQUIRED)}"
                )
            records.append(record)
            lines.append(number)
    if not records:
        raise ValueError(f"{path}: empty file, expected one answer a line")
    frame = pd.DataFrame.from_records(
        records, columns=list(dict.fromkeys(name for record in records for name in record))
    )
    told = next((record["classes"] for record in records if "classes" in record), None)
    return _Table(
        path,
        lambda row: f"line {lines[row]}",
        frame["item"],
        pd.Series([label for record in records for label in record["subset"]], dtype=object).infer_objects(),
        np.array([len(record["subset"]) for record in records], dtype=np.int64),
        frame["answer"],
        _extras(frame),
        tuple(told) if isinstance(told, list) else told,
    )


def _read_parquet(path: Path) -> _Table:
    try:
        table = pq.read_table(path).combine_chunks()
    except (pa.ArrowInvalid, OSError) as error:
        raise ValueError(f"{path}: not a parquet file: {error}") from None
    _require(path, table.column_names)
    lists = table.column("subset")
    if not (pa.types.is_list(lists.type) or pa.types.is_large_list(lists.type)):
        raise ValueError(f"{path}, column subset: expected lists of labels, not {lists.type}")
    for name in REQUIRED:
        if table.column(name).null_count:
            row = int(np.flatnonzero(np.asarray(table.column(name).is_null()))[0])
            raise ValueError(f"{path}, row {row}, column {name}: is empty")
    told = json.loads((table.schema.metadata or {}).get(META, b"null"))
    frame = table.drop_columns(["subset"]).to_pandas()
    return _Table(
        path,
        lambda row: f"row {row}",
        frame["item"],
        pc.list_flatten(lists).to_pandas(),
        np.asarray(pc.list_value_length(lists), dtype=np.int64),
        frame["answer"],
        _extras(frame),
        tuple(told) if isinstance(told, list) else told,
    )


def _require(path: Path, columns: list[str]) -> None:
    missing = [name for name in REQUIRED if name not in columns]
    if missing:
        raise ValueError(
            f"{path}: column {missing[0]} is missing, expected {', '.join(REQUIRED)}, found {', '.join(columns)}"
        )


def _extras(frame: pd.DataFrame) -> dict[str, "pd.Series[Any]"]:
    return {name: frame[name] for name in ("annotator", "flip_yes", "flip_no", "adaptive") if name in frame}
