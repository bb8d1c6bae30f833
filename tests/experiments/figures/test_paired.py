import pandas as pd

from oneof.experiments.cells import select
from oneof.experiments.figures.paired import figure3


def test_one_grey_line_a_seed_and_the_gains(rows: pd.DataFrame) -> None:
    figure = figure3(rows)
    assert [axes.get_title() for axes in figure.axes] == ["(a) KMNIST, P(s=1) = 0.7", "(b) digits, P(s=1) = 0.7"]
    panel, other = figure.axes
    assert panel.get_ylim() == other.get_ylim()
    assert len([line for line in panel.lines if line.get_color() == "#B5B5B5"]) == 3
    assert {text.get_text() for text in panel.texts} == {"+16.4", "+18.4"}


def test_a_data_set_without_all_three_has_no_panel_and_the_scale_keeps_its_ticks(rows: pd.DataFrame) -> None:
    figure = figure3(rows[(rows["dataset"] == "KMNIST") | (rows["method"] == "GCE-ABS")])
    (panel,) = figure.axes
    assert panel.get_title() == "(a) KMNIST, P(s=1) = 0.7"
    assert len(panel.get_yticks()) > 2


def test_the_papers_panels_where_nothing_was_run(rows: pd.DataFrame) -> None:
    figure = figure3(select(rows, dataset="SVHN"))
    assert [axes.get_title()[4:8] for axes in figure.axes] == ["KMNI", "SVHN"]
    assert [text.get_text() for axes in figure.axes for text in axes.texts] == ["not run", "not run"]
