import pandas as pd
import pytest

from oneof.experiments.store import COLUMNS
from oneof.experiments.table_format import Cell, Table, to_html, to_latex, to_markdown
from oneof.experiments.tables import TABLES, table1, table2, table3, table4, table5, table6


def lines(table: Table, *starts: str) -> list[tuple[Cell, ...]]:
    return [row for row in table.rows if tuple(cell.text for cell in row[: len(starts)]) == starts]


@pytest.mark.parametrize("key", TABLES)
def test_with_nothing_run_each_table_still_shows_the_paper(key: str) -> None:
    table = TABLES[key](pd.DataFrame(columns=list(COLUMNS)))
    assert table.key == key
    texts = [cell.text for row in table.rows for cell in row]
    assert "not run" in texts
    for write in (to_markdown, to_latex, to_html):
        assert table.caption.split(".")[0] in write(table)


def test_table1_shows_what_was_run(rows: pd.DataFrame) -> None:
    table = table1(rows)
    (paper,) = lines(table, "KMNIST", "paper")
    (here,) = lines(table, "KMNIST", "here")
    assert [cell.text for cell in paper[2:]] == ["60000", "10000", "784", "10", "CNN", "100", "5"]
    assert [cell.text for cell in here[2:]] == ["60000", "10000", "784", "10", "mlp", "40", "3"]
    assert lines(table, "MNIST", "here")[0][2].text == "not run"


def test_table2_has_the_likelihood_where_it_was_run(rows: pd.DataFrame) -> None:
    table = table2(rows)
    assert table.header[-1] == "Likelihood"
    (here,) = lines(table, "0.3", "KMNIST", "here")
    assert here[3].text == "89.00 ± 0.20"
    assert [cell.bold for cell in here[3:]] == [False] * 5 + [True]
    without = table2(rows[rows["method"] != "Likelihood"])
    assert without.header[-1] == "PRODEN"
    assert lines(without, "0.3", "KMNIST", "here")[0][3].bold
    assert not lines(table, "0.3", "digits", "paper")


def test_table2_leaves_the_letters_to_table5(rows: pd.DataFrame) -> None:
    letters = rows[rows["dataset"] == "digits"].assign(dataset="EMNIST-Letters")
    assert table2(pd.concat([rows, letters])).rows == table2(rows).rows


def test_table3_marks_the_best_down_a_column(rows: pd.DataFrame) -> None:
    table = table3(rows)
    column = table.header.index("KMNIST")
    best = [(row[0].text, row[1].text) for row in table.rows if row[2].text == "here" and row[column].bold]
    assert best == [("0.3", "GCE-ABS"), ("0.5", "GCE-ABS"), ("0.7", "GCE-ABS")]
    assert table.header[-1] == "digits"


def test_other_batch_sizes_stay_out_of_table3(rows: pd.DataFrame) -> None:
    only = table3(rows[rows["batch_size"] == 128])
    assert only.rows == table3(rows).rows


def test_table4_pairs_within_seeds(rows: pd.DataFrame) -> None:
    (line,) = lines(table4(rows), "KMNIST", "0.7", "GCE-ABS - GCE-URE")
    assert [cell.text for cell in line[3:]] == ["23.07", "[22.29, 23.85]", "18.40", "[18.40, 18.40]", "3"]
    (svhn,) = lines(table4(rows), "SVHN", "0.7", "GCE-NN - GCE-URE")
    assert [cell.text for cell in svhn[3:]] == ["35.61", "[33.98, 37.23]", "not run", "–", "–"]


def test_table5_is_the_letters_alone(rows: pd.DataFrame) -> None:
    letters = rows[rows["dataset"] == "digits"].assign(dataset="EMNIST-Letters")
    table = table5(pd.concat([rows, letters]))
    assert table.header == ("P(s=1)", "source", "GCE-ABS", "GCE-NN", "GCE-URE", "URE-MAE", "Likelihood")
    assert lines(table, "0.3", "here")[0][2].text == "88.00 ± 0.20"
    assert len(table.rows) == 6


def test_table6_sweeps_the_batch_size(rows: pd.DataFrame) -> None:
    table = table6(rows)
    (line,) = lines(table, "KMNIST", "0.7", "1024", "here")
    assert line[5].text == "74.00 ± 0.20"
    # digits ran with one batch size only, which is no sweep.
    assert not lines(table, "digits")
    assert len(table.rows) == 24
