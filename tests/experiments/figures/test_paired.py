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


def test_the_papers_panels_where_nothing_else_was_run(rows: pd.DataFrame) -> None:
    figure = figure3(select(rows, dataset="KMNIST"))
    assert [axes.get_title()[4:8] for axes in figure.axes] == ["KMNI", "SVHN"]
    assert [text.get_text() for text in figure.axes[1].texts] == ["not run"]
