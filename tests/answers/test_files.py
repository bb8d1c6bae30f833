"""Files of answers: lossless round trips in every format, and a place for every mistake."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneof import Answers, UniformQueries
from oneof.answers import files as answer_files
from oneof.answers.files import ROWS_READ

FORMATS = (".csv", ".jsonl", ".parquet", ".npz")

# Numpy cuts trailing NULs off texts, and csv reads NUL as the end of a field; nobody names a class so.
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=6)
plain_texts = st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters="|"), min_size=1, max_size=6)


@st.composite
def tables(draw: st.DrawFn, names: st.SearchStrategy[str], least: int = 0) -> Answers:
    n, k = draw(st.integers(least, 6)), draw(st.integers(2, 5))
    rows = draw(st.lists(st.integers(1, 2**k - 2), min_size=n, max_size=n))
    subsets = np.array([[row >> j & 1 for j in range(k)] for row in rows], dtype=np.bool_).reshape(n, k)
    rates = st.none() | st.lists(st.floats(0, 0.49), min_size=n, max_size=n)
    bits = st.lists(st.booleans(), min_size=n, max_size=n)
    designs = st.lists(st.sampled_from(["uniform", "adaptive", "given", "prediction"]), min_size=n, max_size=n)
    return Answers(
        subsets,
        draw(bits),
        draw(st.lists(st.integers(0, 10**15), min_size=n, max_size=n)),
        class_names=draw(st.none() | st.lists(names, min_size=k, max_size=k, unique=True)),
        annotators=draw(st.none() | st.lists(st.just("") | names, min_size=n, max_size=n)),
        flip_yes=draw(rates),
        flip_no=draw(rates),
        design=draw(st.just("given") | designs),
        predicted=subsets.argmax(axis=1),
        skipped=draw(st.none() | bits),
    )


def round_trip(answers: Answers, path: Path, **options: Any) -> Answers:
    answers.save(path)
    return Answers.load(path, **options)


@settings(max_examples=40)
@given(answers=tables(texts))
@pytest.mark.parametrize("suffix", [".parquet", ".npz"])
def test_round_trips(answers: Answers, suffix: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert round_trip(answers, tmp_path_factory.mktemp("answers") / f"a{suffix}") == answers


@settings(max_examples=40)
@given(answers=tables(texts, least=1))
def test_round_trips_of_jsonl(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert round_trip(answers, tmp_path_factory.mktemp("answers") / "a.jsonl") == answers


@settings(max_examples=40)
@given(answers=tables(plain_texts, least=1))
def test_round_trips_of_csv(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert round_trip(answers, tmp_path_factory.mktemp("answers") / "a.csv") == answers


@pytest.mark.parametrize("suffix", [*FORMATS, *map(str.upper, FORMATS)])
def test_items_by_name(suffix: str, tmp_path: Path) -> None:
    names = ("7", "a, b.png", 'say "hi"', "línea\n2", " padded ", "007", "nan", "None")
    answers = Answers([[True, False]] * 8, [True] * 8, range(8), item_names=names)
    assert round_trip(answers, tmp_path / f"a{suffix}") == answers


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("names", [None, ("b", "a", "c", "d"), ("0", "1", "2", "3"), ("ä", "NA", "true", "d e")])
def test_classes_nobody_asked_about(suffix: str, names: tuple[str, ...] | None, tmp_path: Path) -> None:
    answers = Answers([[True, False, False, False], [False, True, False, False]], [True, False], class_names=names)
    assert round_trip(answers, tmp_path / f"a{suffix}") == answers


@pytest.mark.parametrize("suffix", FORMATS)
def test_no_answers_at_all(suffix: str, tmp_path: Path) -> None:
    answers = Answers(np.zeros((0, 4), bool), [])
    path = tmp_path / f"a{suffix}"
    assert round_trip(answers, path, classes=4) == answers
    if suffix in (".csv", ".jsonl"):
        with pytest.raises(ValueError, match="there are no answers, so the classes are not known: pass classes"):
            Answers.load(path)
    else:
        assert Answers.load(path) == answers


def test_what_the_files_look_like(tmp_path: Path) -> None:
    answers = Answers(
        [[True, True, False], [False, False, True]],
        [True, False],
        [4, 4],
        class_names=["cat", "dog", "owl"],
        annotators=["ann", "bob"],
        flip_yes=0.25,
        flip_no=0.5,
        adaptive=[False, True],
    )
    answers.save(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == (
        "item,subset,answer,annotator,flip_yes,flip_no,design\n"
        "4,cat|dog,yes,ann,0.25,0.5,uniform\n"
        "4,owl,no,bob,0.25,0.5,adaptive\n"
    )
    answers.save(tmp_path / "a.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert lines[1] == {"item": 4, "subset": ["owl"], "answer": "no", "annotator": "bob", "flip_yes": 0.25,
                        "flip_no": 0.5, "design": "adaptive"}  # fmt: skip
    answers.save(tmp_path / "a.parquet")
    table = pq.read_table(tmp_path / "a.parquet")
    assert table.column("subset").to_pylist() == [["cat", "dog"], ["owl"]]
    assert table.column("answer").to_pylist() == ["yes", "no"]


@pytest.mark.parametrize(
    ("yes", "no"), [("yes", "no"), ("Yes", "NO"), ("true", "false"), ("True", "False"), ("1", "0"), ("y", "N")]
)
def test_words_for_yes_and_no(yes: str, no: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"item,subset,answer\n0,0|1,{yes}\n1,2, {no}\n\n")
    assert Answers.load(path).responses.tolist() == [True, False]


@pytest.mark.parametrize("values", [[True, False], [1, 0], ["yes", "no"]])
def test_answers_of_any_type(values: list[Any], tmp_path: Path) -> None:
    lines = [{"item": i, "subset": [i], "answer": value} for i, value in enumerate(values)]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, lines)))
    pd.DataFrame(lines).to_parquet(tmp_path / "a.parquet")
    for name in ("a.jsonl", "a.parquet"):
        assert Answers.load(tmp_path / name).responses.tolist() == [True, False]


@pytest.mark.parametrize("kind", [pa.list_(pa.int8()), pa.large_list(pa.int64()), pa.list_(pa.int32(), 2)])
def test_lists_of_any_kind(kind: pa.DataType, tmp_path: Path) -> None:
    table = pa.table({"item": [0, 1], "subset": pa.array([[0, 1], [1, 2]], kind), "answer": [True, False]})
    pq.write_table(table, tmp_path / "a.parquet")
    assert Answers.load(tmp_path / "a.parquet").signed.tolist() == [[1, 1, 0], [0, -1, -1]]


def test_classes_may_be_given(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("item,subset,answer,notes\n0,dog|cat,yes,fine\n")
    given = Answers.load(path, classes=["owl", "dog", "cat"])
    assert given.class_names == ("owl", "dog", "cat")
    assert given.subsets.tolist() == [[False, True, True]]
    path.write_text("item,subset,answer\n0,1,yes\n")
    assert Answers.load(path, classes=np.int64(5)).classes == 5
    given.save(tmp_path / "a.npz")
    with pytest.raises(ValueError, match="answers over 3 classes, expected 4"):
        Answers.load(tmp_path / "a.npz", classes=4)
    assert Answers.load(tmp_path / "a.npz", classes=3) == given


def test_an_annotator_is_missing_here_and_there(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"item": 0, "subset": [0], "answer": 1, "annotator": 7}\n{"item": 1, "subset": [1], "answer": 0}\n'
    )
    annotators = Answers.load(path).annotators
    assert annotators is not None
    assert annotators.tolist() == ["7", ""]


def test_files_that_are_not_there_or_not_known(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"a\.csv: no such file of answers"):
        Answers.load(tmp_path / "a.csv")
    for action in (Answers.load, Answers([[True, False]], [True]).save):
        with pytest.raises(
            ValueError, match=r"unknown kind of file '\.txt', expected \.csv, \.jsonl, \.parquet or \.npz"
        ):
            action(tmp_path / "a.txt")


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize(
    "content", [b"", b"PK\x03\x04 not a zip", b"\xff\xfe\x00\x01", b"garbage\n1\n", b"PAR1 no PAR1"]
)
def test_files_of_something_else(suffix: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=rf"a\{suffix}"):
        Answers.load(path)


def test_half_a_file(tmp_path: Path) -> None:
    answers = Answers([[True, False]] * 50, [True] * 50)
    for suffix in (".parquet", ".npz"):
        path = tmp_path / f"a{suffix}"
        answers.save(path)
        path.write_bytes(path.read_bytes()[:-40])
        with pytest.raises(ValueError, match=rf"a\{suffix}"):
            Answers.load(path)


def test_an_archive_of_other_arrays(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", X=np.eye(2))
    with pytest.raises(ValueError, match="not a file of answers"):
        Answers.load(tmp_path / "a.npz")
    np.savez(
        tmp_path / "a.npz", classes=2, subsets=np.array([[128]], np.uint8), responses=[True], items=[0], notes="hi"
    )
    assert Answers.load(tmp_path / "a.npz") == Answers([[True, False]], [True])


def test_class_names_that_csv_cannot_hold(tmp_path: Path) -> None:
    for name in ("a|b", " a", "a\n"):
        answers = Answers([[True, False]], [True], class_names=[name, "c"])
        with pytest.raises(ValueError, match="cannot be written to csv"):
            answers.save(tmp_path / "a.csv")
        assert round_trip(answers, tmp_path / "a.jsonl") == answers
    assert not (tmp_path / "a.csv").exists()


def calls_while(action: Callable[[], object]) -> int:
    """How many functions are called, in Python or from it."""
    count = 0

    def listen(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(listen)
    try:
        action()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("named", [False, True])
def test_a_million_rows_of_parquet_without_a_loop_over_rows(named: bool, tmp_path: Path) -> None:
    n, k = 200_000 if named else 1_000_000, 10
    subsets = UniformQueries(k, 3).draw(n, rng=0)
    answers = Answers(
        subsets,
        subsets[:, 0],
        class_names=[f"class {j}" for j in range(k)] if named else None,
        annotators=np.array(["ann", "bob"])[np.arange(n) % 2],
        item_names=(np.char.mod("%d.png", np.arange(n))).tolist() if named else None,
    )
    answers.save(tmp_path / "many.parquet")
    answers[:1000].replace(item_names=answers.item_names and answers.item_names[:1000]).save(tmp_path / "few.parquet")
    few = calls_while(lambda: Answers.load(tmp_path / "few.parquet"))
    many = calls_while(lambda: Answers.load(tmp_path / "many.parquet"))
    assert many < few * (n / ROWS_READ + 2), f"{few} calls for a thousand rows, {many} for {n}"
    assert Answers.load(tmp_path / "many.parquet") == answers


def test_parquet_is_read_some_rows_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    answers = Answers(
        UniformQueries(11, 4).draw(50, rng),
        rng.random(50) < 0.5,
        rng.integers(0, 20, 50),
        annotators=np.array(["ann", "bartholomew"])[np.arange(50) // 40],
        flip_yes=rng.random(50) / 2,
        adaptive=np.arange(50) > 30,
    )
    answers.save(tmp_path / "a.parquet")
    monkeypatch.setattr(answer_files, "ROWS_READ", 7)
    assert Answers.load(tmp_path / "a.parquet") == answers
    without_classes = pq.read_table(tmp_path / "a.parquet").replace_schema_metadata(None)
    pq.write_table(without_classes, tmp_path / "without_classes.parquet", row_group_size=9)
    assert Answers.load(tmp_path / "without_classes.parquet") == answers
    tables = list(answer_files._parquet_tables(tmp_path / "a.parquet"))
    assert [len(table.sizes) for table in tables] == [7] * 7 + [1]


@pytest.mark.parametrize(
    ("items", "names"),
    [
        ([3, 1, 3, 0, 2, 1], None),
        (["3", "1", "3", "0", "2", "1"], None),
        (["3", "1", "3", "b", "1", "3"], ("3", "1", "b")),
        (["b", "1", "b", "0", "b", "1"], ("b", "1", "0")),
    ],
)
def test_one_name_among_numbers_makes_all_of_them_names(
    items: list[Any], names: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pq.write_table(pa.table({"item": items, "subset": [[0]] * 6, "answer": ["yes"] * 6}), tmp_path / "a.parquet")
    whole = Answers.load(tmp_path / "a.parquet")
    monkeypatch.setattr(answer_files, "ROWS_READ", 2)
    assert Answers.load(tmp_path / "a.parquet") == whole
    assert whole.item_names == names
    called = [whole.item_names[item] if names else item for item in whole.items]
    assert list(map(str, called)) == list(map(str, items))


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("item", ["a", "b", "c", "d", ""], "row 4, column item: value ''"),
        ("subset", [[0], [1], [0], [1], [2]], "row 4, column subset: label 2"),
        ("subset", [[0], [1], [0], [1], [0, 0]], "row 4, column subset: names a label twice"),
        ("answer", ["yes", "no", "no", "maybe", "yes"], "row 3, column answer: value 'maybe'"),
        ("answer", ["yes", "no", "no", None, "no"], "row 3, column answer: is empty"),
        ("flip_no", [0.1, 0.1, 0.1, 1.5, 0.1], r"row 3, column flip_no: value 1\.5"),
    ],
)
def test_errors_count_rows_from_the_start_of_the_file(
    column: str, values: list[Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = {"item": range(5), "subset": [[0], [1], [0], [1], [0]], "answer": ["yes"] * 5} | {column: values}
    pq.write_table(pa.table({name: list(values) for name, values in columns.items()}), tmp_path / "a.parquet")
    monkeypatch.setattr(answer_files, "ROWS_READ", 2)
    with pytest.raises(ValueError, match=message):
        Answers.load(tmp_path / "a.parquet", classes=2)


@pytest.mark.parametrize("suffix", FORMATS)
def test_files_are_written_some_rows_at_a_time(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"{i}.png" for i in range(5)]
    answers = Answers(
        np.eye(9, dtype=bool)[[0, 3, 3, 1, 0]], [True] * 5, class_names=list("ihgfedcba"), item_names=names
    )
    answers.save(tmp_path / f"whole{suffix}")
    monkeypatch.setattr(answer_files, "rows_at_once", lambda classes: 2)
    answers.save(tmp_path / f"parts{suffix}")
    assert Answers.load(tmp_path / f"parts{suffix}") == answers
    if suffix in (".csv", ".jsonl"):
        assert (tmp_path / f"parts{suffix}").read_bytes() == (tmp_path / f"whole{suffix}").read_bytes()


def test_older_files_tell_adaptive_questions(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("item,subset,answer,adaptive\n0,0,yes,True\n1,1,no,False\n")
    assert Answers.load(tmp_path / "a.csv").design.tolist() == ["adaptive", "uniform"]
    np.savez(tmp_path / "a.npz", subsets=np.array([[128]], np.uint8), classes=2, responses=[True], items=[0],
             adaptive=[True])  # fmt: skip
    assert Answers.load(tmp_path / "a.npz").design.tolist() == ["adaptive"]


def test_nothing_is_left_to_guessing(tmp_path: Path) -> None:
    """Class numbers that never show a 0, and names that hold what other files join labels by."""
    for answers in (
        Answers([[0, 1, 0, 1]], [True]),
        Answers([[1, 0], [0, 1]], [True, False], class_names=["Doe, John", "Roe; Jane"]),
        Answers([[1, 0], [0, 1]], [True, False], class_names=["['a', 'b']", "c"]),
    ):
        for suffix in FORMATS:
            assert round_trip(answers, tmp_path / f"a{suffix}") == answers


def test_a_suffix_in_capitals(tmp_path: Path) -> None:
    answers = Answers([[True, False]], [True])
    assert round_trip(answers, tmp_path / "A.CSV") == answers


@pytest.mark.parametrize("suffix", FORMATS)
def test_what_flip_rates_rest_on_and_flips_on_purpose_come_back(suffix: str, tmp_path: Path) -> None:
    answers = Answers(
        [[True, False, False]] * 3,
        [True, False, True],
        flip_yes=[0.1, 0.2, 0.0],
        flip_no=0.05,
        known_yes=[40, 12.5, np.inf],
        known_no=[60, 30, 20],
        randomised=[0.0, 0.1, 0.0],
    )
    path = tmp_path / f"answers{suffix}"
    answers.save(path)
    again = Answers.load(path, classes=3)
    for name in ("known_yes", "known_no", "randomised"):
        np.testing.assert_allclose(getattr(again, name), getattr(answers, name))
    assert (answers[:1] + Answers([[True, False, False]], [True])).known_yes.tolist() == [40, np.inf]
    with pytest.raises(ValueError, match=r"known_yes is -1\.0, expected a number of answers"):
        Answers([[True, False]], [True], known_yes=-1)


def test_a_count_that_is_none_is_named_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("item,subset,answer,known_yes\n0,0|1,yes,\n1,2,no,many\n")
    with pytest.raises(ValueError, match="line 3, column known_yes: value 'many', expected a number of answers"):
        Answers.load(path)


@pytest.mark.parametrize(("separator", "encoding"), [(";", "utf-8-sig"), ("\t", "utf-16")])
def test_csv_files_of_other_spreadsheets(separator: str, encoding: str, tmp_path: Path) -> None:
    rows = [("item", "subset", "answer"), ("a1", "Bär|Löwe", "yes"), ("a2", "Löwe", "no"), ("a3", "Bär|Wolf", "y")]
    path = tmp_path / "answers.csv"
    path.write_text("".join(separator.join(row) + "\n" for row in rows), encoding=encoding)
    answers = Answers.load(path)
    assert answers.class_names == ("Bär", "Löwe", "Wolf")
    assert answers.subsets.tolist() == [[True, True, False], [False, True, False], [True, False, True]]
    assert answers.responses.tolist() == [True, False, True]
