from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from oneof.experiments.grid import needed
from oneof.experiments.leaderboard import (
    COLUMNS,
    leaderboard,
    leaderboard_csv,
    leaderboard_runs,
    leaderboard_table,
    not_shown_yet,
)
from oneof.experiments.protocol import RunSpec, preset
from oneof.experiments.selection import chosen, trials
from oneof.experiments.store import Results

Maker = Callable[..., dict[str, Any]]


@pytest.fixture
def fast(make_row: Maker) -> pd.DataFrame:
    lines = [
        make_row(method="Likelihood", test_accuracy=96.0, seed=0, seconds=300),
        make_row(method="Likelihood", test_accuracy=97.0, seed=1, seconds=420),
        make_row(method="GCE-ABS", test_accuracy=89.0, seed=0, seconds=300),
        make_row(method="Supervised", p_yes=0.3, test_accuracy=98.0, seed=0),
        make_row(method="Likelihood", dataset="digits", test_accuracy=99.0, seed=0),
    ]
    return pd.DataFrame(lines)


def test_one_row_a_cell_and_objective(fast: pd.DataFrame) -> None:
    board = leaderboard(fast)
    assert tuple(board.columns) == COLUMNS
    first, second = board.to_dict("records")
    assert first["dataset"] == "KMNIST"
    assert first["p_yes"] == 0.7
    assert first["objective"] == "Likelihood"
    assert (first["accuracy_mean"], first["seeds"]) == (96.5, 2)
    assert first["accuracy_std"] == pytest.approx(0.5**0.5)
    assert "KMNIST,0.7,Likelihood,96.5,0.707,2,6.0,89.26,98.0,True" in leaderboard_csv(fast)
    assert (first["minutes"], first["paper_best"], first["supervised"], first["passes"]) == (6.0, 89.26, 98.0, True)
    assert second["passes"] is False
    assert pd.isna(second["accuracy_std"])


def test_the_table_has_all_cells(fast: pd.DataFrame) -> None:
    table = leaderboard_table(fast)
    assert len(table.rows) == 21
    assert table.header[3:5] == ("Likelihood", "GCE-ABS")
    (line,) = [row for row in table.rows if (row[0].text, row[1].text) == ("KMNIST", "0.7")]
    assert [cell.text for cell in line[2:]] == [
        "89.26 (URE-MAE)",
        "96.50 ± 0.71",
        "89.00",
        "98.00",
        "5.0 to 6.0",
        "1 to 2",
    ]
    assert [cell.bold for cell in line[3:5]] == [True, False]
    assert "Likelihood: 1 of 1 cells pass the paper's best (bold); 20 were not run." in table.notes
    assert "GCE-ABS, points below full supervision in each data set's worst cell: KMNIST 9.00." in table.notes
    (minutes,) = (note for note in table.notes if note.startswith("Minutes:"))
    assert "wall-clock time of training a run on 1 CPU thread" in minutes


@pytest.mark.parametrize(("second", "settled"), [(97.0, True), (99.0, False)])
def test_a_cell_that_the_seeds_do_not_settle_is_named(fast: pd.DataFrame, second: float, settled: bool) -> None:
    rows = fast.assign(test_accuracy=fast["test_accuracy"].replace(97.0, second))
    told = [note for note in leaderboard_table(rows).notes if "settle" in note]
    assert settled == (told == [])
    if not settled:
        assert "Likelihood: where the 95 % t interval" in told[0]
        assert told[0].endswith("the seeds do not settle it: KMNIST 0.7 (by 8.24).")


def test_nothing_run_is_said(fast: pd.DataFrame) -> None:
    table = leaderboard_table(fast.iloc[:0])
    assert all(row[3].text == "not run" for row in table.rows)


def test_nothing_is_rounded_twice(make_row: Maker) -> None:
    accuracies = (96.4, 96.8, 96.9)  # their deviation is 0.26457: 0.265 with three digits, and that 0.27 with two
    rows = [make_row(method="Likelihood", test_accuracy=value, seed=seed) for seed, value in enumerate(accuracies)]
    table = leaderboard_table(pd.DataFrame(rows))
    (line,) = [row for row in table.rows if (row[0].text, row[1].text) == ("KMNIST", "0.7")]
    assert line[3].text == "96.70 ± 0.26"


def test_a_data_set_that_waits_for_runs_of_the_chosen_recipe_is_marked(tmp_path: Path, make_row: Maker) -> None:
    fast, results = preset("fast"), Results(tmp_path)
    candidates = list(trials("kmnist", fast))
    for number, trial in enumerate(candidates):
        results.add(row_of(make_row, trial, held_out_log_likelihood=-0.2 if number == 2 else -0.3), [], [])
    before = [spec for spec in needed("leaderboard", fast) if spec.dataset == "kmnist" and spec.seed == 0]
    for spec in before:
        results.add(row_of(make_row, spec, test_accuracy=90.0), [], [])
    after = [chosen(spec, fast, results.rows()) for spec in before]
    for spec in after[:3]:
        results.add(row_of(make_row, spec, test_accuracy=95.0), [], [])

    def line() -> tuple[list[str], tuple[str, ...]]:
        table = leaderboard_table(leaderboard_runs(results).rows, not_shown_yet(results.rows()))
        (found,) = [row for row in table.rows if row[0].text.startswith("KMNIST") and row[1].text == "0.7"]
        return [cell.text for cell in found], table.notes

    cells, notes = line()
    assert (cells[0], cells[3:6]) == ("KMNIST ‡", ["90.00", "90.00", "90.00"])
    assert any(
        note.startswith("KMNIST ‡: the recipe that was set by hand.") and "3 of 21 runs" in note for note in notes
    )

    for spec in after[3:]:
        results.add(row_of(make_row, spec, test_accuracy=95.0), [], [])
    cells, notes = line()
    assert (cells[0], cells[3:6]) == ("KMNIST", ["95.00", "95.00", "95.00"])
    assert not any("set by hand" in note for note in notes)


def row_of(make_row: Maker, spec: RunSpec, **given: Any) -> dict[str, Any]:
    """A finished row of a run."""
    told = {name: getattr(spec, name) for name in ("run", "preset", "p_yes", "method", "seed", "epochs", "batch_size")}
    return make_row(backbone=spec.network, configuration=spec.to_json(), **told, **given)
