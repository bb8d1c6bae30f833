"""Malformed rows: the error names file, line or row, column and value, and what was expected."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneof import Answers
from oneof.answers.columns import classes_of_labels, numbers_of

HEAD = "item,subset,answer"
CSV = [
    (f"{HEAD}\n0,0|1,yes\n1,2,maybe\n", r"a\.csv, line 3, column answer: value 'maybe', expected yes or no"),
    (f"{HEAD}\n0,0|1,\n1,2,no\n", r"line 2, column answer: value ''"),
    (f"{HEAD}\n0,0|1,yes\n1,,no\n", r"line 3, column subset: label '', expected a name or a whole number"),
    (f"{HEAD}\n0,0|1|,yes\n", r"line 2, column subset: label ''"),
    (f"{HEAD}\n0,1|2,yes\n1,3,no\n", r"labels are 1 to 3 and 0 never occurs, but class numbers start at 0"),
    (f"{HEAD},design\n0,0|1,yes,\n1,2,no,guess\n", r"line 3, column design: value 'guess', expected one of uniform"),
    (f"{HEAD},predicted\n0,0|1,yes,\n1,2,no,7\n", r"line 3, column predicted: value '7', expected a class number"),
    (f"{HEAD}\n0,0|0,yes\n1,2,no\n", r"line 2, column subset: names a label twice"),
    (f"{HEAD}\n0,0|1,yes\n1,2,no\n2,0|1|2,yes\n", r"line 4, column subset: has 3 labels, expected 1\.\.2"),
    (f"{HEAD}\n,0|1,yes\n1,2,no\n", r"line 2, column item: value '', expected a name or a whole number"),
    (f"{HEAD}\n0,0|1,yes\n\n1,2,no\n", r"line 3, column item"),
    (f"{HEAD}\n0,9999999,yes\n", r"label 9999999 would mean 10000000 classes, pass classes if there are that many"),
    ("item,answer\n0,yes\n", r"column subset is missing, expected item, subset, answer, found item, answer"),
    (f"{HEAD},flip_yes\n0,0,yes,0.2\n1,1,no,1.5\n", r"line 3, column flip_yes: value '1\.5', expected a rate"),
    (f"{HEAD},flip_no\n0,0,yes,\n", r"line 2, column flip_no: value '', expected a rate"),
    (f"{HEAD},flip_yes,flip_no\n0,0,yes,0.5,0.6\n", r"a\.csv: row 0: flip_yes \+ flip_no is 1\.1"),
    (f"{HEAD},adaptive\n0,0,yes,often\n", r"line 2, column adaptive: value 'often', expected yes or no"),
    (
        f"{HEAD},classes\n0,cat,yes,cat|dog\n1,owl,no,\n",
        r"line 3, column subset: label 'owl', expected one of cat, dog",
    ),
    (f"{HEAD},classes\n0,cat,yes,cat|cat\n", "a class is named twice"),
    (f"{HEAD}\n0,0,yes,1,2,3\n1,1\n2,3,4,5,6,7,8\n", r"a\.csv"),
]


@pytest.mark.parametrize(("content", "message"), CSV)
def test_csv(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(content)
    with pytest.raises(ValueError, match=message):
        Answers.load(path)


ROW: dict[str, Any] = {"item": 0, "subset": [0, 1], "answer": "yes"}
JSONL = [
    ({**ROW, "answer": "perhaps"}, r"a\.jsonl, line 3, column answer: value 'perhaps'"),
    ({**ROW, "answer": None}, r"line 3, column answer: value None"),
    ({**ROW, "answer": 2}, r"line 3, column answer: value 2"),
    ({**ROW, "answer": ["yes"]}, r"line 3, column answer: value \['yes'\], expected text or a number"),
    ({**ROW, "item": None}, r"line 3, column item: value None, expected a name or a whole number"),
    ({**ROW, "item": 1.5}, r"line 3, column item: value 1\.5"),
    ({**ROW, "item": True}, r"line 3, column item: value True"),
    ({**ROW, "item": ""}, r"line 3, column item: value ''"),
    ({**ROW, "subset": [0, None]}, r"line 3, column subset: label None"),
    ({**ROW, "subset": [0, 1.0]}, r"line 3, column subset: label 1\.0"),
    ({**ROW, "subset": [[0], 1]}, r"line 3, column subset: label \[0\]"),
    ({**ROW, "subset": [0, 7]}, r"line 3, column subset: label 7, expected a class number in 0\.\.3"),
    ({**ROW, "subset": [0, -1]}, r"line 3, column subset: label -1"),
    ({**ROW, "subset": []}, r"line 3, column subset: has 0 labels, expected 1\.\.3"),
    ({**ROW, "subset": "0|1"}, r"line 3: expected an object with a list of labels"),
    ({"item": 0, "answer": "yes"}, r"line 3: column subset is missing"),
    ([1, 2], r"line 3: expected an object"),
    ("text", r"line 3: expected an object"),
]


@pytest.mark.parametrize(("row", "message"), JSONL)
def test_jsonl(row: Any, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f"{json.dumps(ROW)}\n\n{json.dumps(row)}\n")
    with pytest.raises(ValueError, match=message):
        Answers.load(path, classes=4)


def test_a_class_number_that_is_one_too_large_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"{HEAD}\n0,1|3,yes\n")
    with pytest.raises(ValueError, match=r"label '3', expected a class number in 0\.\.2; class numbers start at 0"):
        Answers.load(path, classes=3)


def test_broken_json(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"item": 0,\n')
    with pytest.raises(ValueError, match=r"a\.jsonl, line 1: not a JSON object"):
        Answers.load(path)


PARQUET = [
    ({"item": [0, None], "subset": [[0], [1]], "answer": ["yes", "no"]}, r"a\.parquet, row 1, column item: is empty"),
    ({"item": [0, 1], "subset": [[0], None], "answer": ["yes", "no"]}, r"row 1, column subset: is empty"),
    ({"item": [0, 1], "subset": [[0], [None]], "answer": ["yes", "no"]}, r"row 1, column subset: label"),
    ({"item": [0, 1], "subset": [[0], [1]], "answer": ["yes", "oui"]}, r"row 1, column answer: value 'oui'"),
    ({"item": [0, 1], "subset": ["0", "1"], "answer": ["yes", "no"]}, "column subset: expected lists of labels, not"),
    ({"item": [0.5, 1], "subset": [[0], [1]], "answer": ["yes", "no"]}, r"row 0, column item: value 0\.5"),
    ({"item": [0, 1], "subset": [[0.0], [1.0]], "answer": ["yes", "no"]}, r"row 0, column subset: label 0\.0"),
    ({"item": [0, -1], "subset": [[0], [1]], "answer": ["yes", "no"]}, r"row 1, column item: value -1"),
    ({"item": [0, 1], "answer": ["yes", "no"]}, "column subset is missing"),
]  # fmt: skip


@pytest.mark.parametrize(("columns", "message"), PARQUET)
def test_parquet(columns: dict[str, Any], message: str, tmp_path: Path) -> None:
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=message):
        Answers.load(tmp_path / "a.parquet")


@settings(max_examples=40)
@given(content=st.text(max_size=60))
def test_any_text_is_read_or_refused(content: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("any")
    for name in ("a.csv", "a.jsonl"):
        (folder / name).write_text(f"{HEAD}\n" * (name == "a.csv") + content, encoding="utf-8")
        try:
            message = f"{name}: {Answers.load(folder / name)}"
        except ValueError as error:
            message = str(error)
        assert name in message


def test_labels_that_are_no_class_have_no_number() -> None:
    assert numbers_of(pd.Series([0, 3, 2]), 3)[0].tolist() == [0, -1, 2]
    assert numbers_of(pd.Series(["b", "x"]), ("a", "b"))[0].tolist() == [1, -1]


def test_classes_are_found_from_labels() -> None:
    assert classes_of_labels(pd.Series(["3", "0"])) == 4
    assert classes_of_labels(pd.Series(["b", "a"])) == ("a", "b")
    assert classes_of_labels(pd.Series(["00", "1"])) == ("00", "1")
    assert classes_of_labels(pd.Series(["9" * 5000, "1"])) == ("1", "9" * 5000)
    assert classes_of_labels(pd.Series([], dtype=object)) == 2
