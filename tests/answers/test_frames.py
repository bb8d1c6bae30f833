"""Answers in data frames, and labels however they are written."""

import json

import numpy as np
import pandas as pd
import pytest

from oneof import Answers
from oneof.answers.frames import split_labels


def example() -> Answers:
    return Answers(
        [[1, 1, 0], [0, 1, 1], [1, 0, 0]],
        ["yes", "skip", "no"],
        [1, 0, 1],
        class_names=["cat", "dog", "owl"],
        item_names=["a.png", "b.png"],
        annotators=["ann", "bob", "ann"],
        flip_no=[0.1, 0.0, 0.1],
        design=["prediction", "uniform", "adaptive"],
        predicted=[1, -1, -1],
    )


def test_a_frame_holds_everything() -> None:
    frame = example().to_frame()
    assert frame["subset"].tolist() == [["cat", "dog"], ["dog", "owl"], ["cat"]]
    assert frame["answer"].tolist() == ["yes", "skip", "no"]
    assert frame["predicted"].tolist()[0] == "dog"
    assert Answers.from_frame(frame).align(["b.png", "a.png"]) == example().align(["b.png", "a.png"])
    numbered = Answers([[1, 0, 1]], [True], design="prediction", predicted=[2])
    assert Answers.from_frame(numbered.to_frame()) == numbered


@pytest.mark.parametrize("cells", [["cat|dog", "owl"], ["cat;dog", "owl"], ["cat, dog", "owl"],
                                   ['["cat", "dog"]', "owl"], ["['cat', 'dog']", "['owl']"]])  # fmt: skip
def test_however_the_labels_are_joined(cells: list[str]) -> None:
    frame = pd.DataFrame({"item": ["x", "y"], "subset": cells, "answer": ["y", "N"]}, index=[10, 20])
    answers = Answers.from_frame(frame)
    assert answers.class_names == ("cat", "dog", "owl")
    assert answers.subsets.tolist() == [[True, True, False], [False, False, True]]


def test_a_name_with_a_comma_is_a_name_where_the_classes_are_known() -> None:
    names = ("Doe, John", "Roe; Jane", "Poe")
    labels, sizes = split_labels(pd.Series(["Doe, John", "Roe; Jane"]), names)
    assert (labels.tolist(), sizes.tolist()) == (["Doe, John", "Roe; Jane"], [1, 1])
    labels, sizes = split_labels(pd.Series(["Doe, John|Poe"]), names)
    assert (labels.tolist(), sizes.tolist()) == (["Doe, John", "Poe"], [2])


def test_bad_frames_name_their_row() -> None:
    frame = pd.DataFrame(
        {"item": ["x", "y"], "subset": [["cat"], 3], "answer": ["yes", "no"]}, index=["first", "second"]
    )
    with pytest.raises(ValueError, match="frame, row second, column subset: value 3, expected a list of labels"):
        Answers.from_frame(frame)
    frame["subset"] = [["cat"], ["dog"]]
    frame["answer"] = ["yes", "perhaps"]
    with pytest.raises(ValueError, match="frame, row second, column answer: value 'perhaps', expected yes or no"):
        Answers.from_frame(frame)
    with pytest.raises(ValueError, match="frame: column answer is missing"):
        Answers.from_frame(frame.drop(columns="answer"))


def test_sets_and_arrays_are_lists_of_labels() -> None:
    frame = pd.DataFrame({"item": [0, 1], "subset": [np.array([0, 2]), (1,)], "answer": [True, False]})
    assert Answers.from_frame(frame).subsets.tolist() == [[True, False, True], [False, True, False]]


def test_datasets_of_hugging_face_go_both_ways() -> None:
    datasets = pytest.importorskip("datasets.arrow_dataset", reason="datasets is not installed")
    answers = Answers([[1, 0, 1], [0, 1, 0]], [True, False], class_names=["a", "b", "c"], item_names=["x", "y"])
    stored = datasets.Dataset.from_pandas(answers.to_frame())
    assert Answers.from_frame(stored.to_pandas(), classes=["a", "b", "c"]) == answers


def test_predicted_classes_beside_empty_cells_are_whole_numbers_and_fractions_are_refused() -> None:
    frame = pd.DataFrame({"item": [0, 1], "subset": [[0, 1], [2]], "answer": ["yes", "no"], "predicted": [1.0, np.nan]})
    predicted = Answers.from_frame(frame, classes=3).predicted
    assert predicted is not None
    assert predicted.tolist() == [1, -1]
    with pytest.raises(ValueError, match=r"row 1, column predicted: value 1\.5, expected a class number in 0\.\.2"):
        Answers.from_frame(frame.assign(predicted=[1.0, 1.5]), classes=3)


@pytest.mark.parametrize("write", [lambda labels: str(tuple(labels)), lambda labels: str(set(labels)), str, json.dumps])
def test_lists_as_python_and_json_write_them(write):
    for subsets in ([["cat", "dog"], ["owl", "cat"]], [[0, 1], [2, 0]]):
        frame = pd.DataFrame({"item": [0, 1], "subset": map(write, subsets), "answer": ["yes", "no"]})
        assert Answers.from_frame(frame).subsets.tolist() == [[True, True, False], [True, False, True]]


@pytest.mark.parametrize(
    "cells",
    [
        ["a|b", "c;a", "b|c", "c"],
        ["a;b", "b,c", "a;c"],
        ["['a' 'b']", "['b' 'c']"],
        ["[0 1]", "[1 2]"],
        ["0 1", "2 0"],
        ["a\tb", "c"],
    ],
)
def test_cells_that_would_become_classes_that_nobody_meant(cells, tmp_path):
    frame = pd.DataFrame({"item": range(len(cells)), "subset": cells, "answer": ["yes"] * len(cells)})
    with pytest.raises(ValueError, match=r"frame, row [01], column subset: .*, expected labels joined by"):
        Answers.from_frame(frame)
    frame.to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(ValueError, match=r"a\.csv, line [23], column subset: .*the same in every row"):
        Answers.load(tmp_path / "a.csv")


def test_a_mark_inside_a_name_is_part_of_it_where_nothing_else_is_meant(tmp_path):
    names = ["Doe, John", "(none)", "polar bear", "1 2", "{x}"]
    answers = Answers(np.eye(5, dtype=bool), [True] * 5, class_names=names)
    answers.save(tmp_path / "a.csv")
    assert Answers.load(tmp_path / "a.csv") == answers
    frame = pd.DataFrame({"item": [0, 1], "subset": ["Doe, John|polar bear", "(none)"], "answer": ["yes", "no"]})
    assert Answers.from_frame(frame).class_names == ("(none)", "Doe, John", "polar bear")


def test_too_few_classes_are_said_to_be_a_matter_of_the_list():
    frame = pd.DataFrame({"item": [0, 1], "subset": ["a", "a"], "answer": ["yes", "no"]})
    with pytest.raises(ValueError, match="shows the only class there is; are there more classes than occur here"):
        Answers.from_frame(frame)
    frame["subset"] = ["a|b", "b"]
    with pytest.raises(ValueError, match=r"has 2 labels, expected 1\.\.1; are there more classes"):
        Answers.from_frame(frame)
