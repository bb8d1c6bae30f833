import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from oneof.experiments.store import COLUMNS, Results

Maker = Callable[..., dict[str, Any]]
HISTORY = [
    {
        "epoch": 1,
        "objective": 0.5,
        "raw": 0.5,
        "negative_share": 0.0,
        "test_accuracy": 50.0,
        "label_free_accuracy": 49.0,
        "seconds": 1.0,
    },
    {
        "epoch": 2,
        "objective": 0.1,
        "raw": -0.1,
        "negative_share": 0.5,
        "test_accuracy": 80.0,
        "label_free_accuracy": 79.0,
        "seconds": 1.0,
    },
]
PER_CLASS = [{"class_name": "NA", "items": 3, "accuracy": 66.7}]


def test_a_run_reads_back_as_it_was_added(tmp_path: Path, make_row: Maker) -> None:
    results = Results(tmp_path / "results")
    row = make_row(run="000123", test_accuracy=81.23456789012345)
    results.add(row, HISTORY, PER_CLASS)
    (read,) = results.rows().to_dict("records")
    assert read == row
    assert results.finished() == {"000123"}
    history = results.histories()
    assert history["raw"].tolist() == [0.5, -0.1]
    assert history["test_accuracy"].tolist() == [50.0, 80.0]
    assert history["dataset"].tolist() == ["KMNIST"] * 2
    assert results.per_class()["class_name"].tolist() == ["NA"]


def test_a_run_added_again_replaces_itself(tmp_path: Path, make_row: Maker) -> None:
    results = Results(tmp_path)
    results.add(make_row(run="a"), HISTORY, PER_CLASS)
    results.add(make_row(run="b"), HISTORY, PER_CLASS)
    results.add(make_row(run="a", test_accuracy=1.0), HISTORY[:1], PER_CLASS)
    assert results.rows().set_index("run")["test_accuracy"].to_dict() == {"a": 1.0, "b": 88.0}
    assert len(results.histories()) == 3


def test_a_history_without_its_row_does_not_count(tmp_path: Path, make_row: Maker) -> None:
    results = Results(tmp_path)
    results.add(make_row(run="a"), HISTORY, PER_CLASS)
    results.add(make_row(run="b"), HISTORY, PER_CLASS)
    text = (tmp_path / "rows.csv").read_text().splitlines()
    (tmp_path / "rows.csv").write_text("\n".join(text[:2]) + "\n")
    assert results.finished() == {"a"}
    assert set(results.histories()["run"]) == {"a"}


def test_a_failed_run_is_kept_apart_and_changes_no_other_line(tmp_path: Path, make_row: Maker) -> None:
    results = Results(tmp_path)
    results.add(make_row(run="a", test_accuracy=81.23456789012345), HISTORY, PER_CLASS)
    before = (tmp_path / "rows.csv").read_text().splitlines()
    failure = dict.fromkeys(COLUMNS, "") | {"run": "b", "preset": "cpu", "seed": 1, "error": "OSError: no, really"}
    results.add(failure, [], [])
    assert (tmp_path / "rows.csv").read_text().splitlines()[:2] == before
    assert results.finished() == {"a"}
    assert results.rows()["classes"].tolist() == [10]
    assert results.rows()["classes"].dtype.kind == "i", "a line without figures must not turn whole numbers into floats"
    assert results.evidence("cpu").rows["run"].tolist() == ["a"]
    assert results.failed()[["run", "seed", "error"]].to_dict("records") == [
        {"run": "b", "seed": 1, "error": "OSError: no, really"}
    ]

    results.add(failure | {"run": "a"}, [], [])
    assert results.finished() == {"a"}, "a failure does not replace a finished run"
    results.add(make_row(run="b"), HISTORY, PER_CLASS)
    assert results.finished() == {"a", "b"}
    assert results.failed().empty


def test_a_wrong_row_is_refused_and_nothing_is_written(tmp_path: Path, make_row: Maker) -> None:
    row = make_row() | {"colour": "red"}
    del row["seed"]
    with pytest.raises(ValueError, match=r"lacks \['seed'\] and has unknown \['colour'\]"):
        Results(tmp_path / "results").add(row, [], [])
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize("content", ["", "a,b\n1,2\n", "run\n\x00\n"])
def test_another_file_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "rows.csv").write_text(content)
    with pytest.raises(ValueError, match=r"rows\.csv"):
        Results(tmp_path).rows()


def test_rows_of_the_first_release_are_read_and_kept(tmp_path: Path, make_row: Maker) -> None:
    results = Results(tmp_path)
    results.add(make_row(run="old"), [], [])
    lines = pd.read_csv(tmp_path / "rows.csv", dtype=str).drop(columns="held_out_log_likelihood")
    lines.to_csv(tmp_path / "rows.csv", index=False)
    results.add(make_row(run="new", held_out_log_likelihood=-0.5), [], [])
    rows = results.rows().set_index("run")
    assert tuple(results.rows().columns) == COLUMNS
    assert rows["held_out_log_likelihood"].isna().to_dict() == {"old": True, "new": False}


def test_an_empty_folder_has_empty_tables(tmp_path: Path) -> None:
    results = Results(tmp_path)
    assert results.rows().empty
    assert tuple(results.rows().columns) == COLUMNS
    assert results.histories().empty
    assert results.per_class().empty


def test_two_processes_lose_no_row(tmp_path: Path) -> None:
    # Loading the libraries takes longer than writing, so one process loads them and forks the other.
    code = (
        "import os, sys; from pathlib import Path; from oneof.experiments.store import COLUMNS, Results\n"
        "child = os.fork()\n"
        "for i in range(15):\n"
        "    row = dict.fromkeys(COLUMNS, 0) | {'run': f'{bool(child)}{i}', 'error': ''}\n"
        "    Results(Path(sys.argv[1])).add(row, [], [])\n"
        "sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) if child else 0)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, timeout=120)
    assert len(Results(tmp_path).finished()) == 30
