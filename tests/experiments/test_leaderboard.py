from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from oneof.experiments.leaderboard import COLUMNS, leaderboard, leaderboard_table

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
    assert (first["accuracy_mean"], first["accuracy_std"], first["seeds"]) == (96.5, 0.707, 2)
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
    assert "Minutes: training time of one run on 1 CPU thread." in table.notes


def test_nothing_run_is_said(fast: pd.DataFrame) -> None:
    table = leaderboard_table(fast.iloc[:0])
    assert all(row[3].text == "not run" for row in table.rows)
