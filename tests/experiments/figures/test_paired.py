import pandas as pd

from oneof.experiments.cells import select
from oneof.experiments.figures.paired import figure3


def test_one_grey_line_a_seed_and_the_gains(rows: pd.DataFrame) -> None:
    figure = figure3(rows)
    assert [axes.get_title() for axes in figure.axes] == ["(a) KMNIST, 3 seeds", "(b) digits, 3 seeds"]
    panel, other = figure.axes
    assert panel.get_ylim() == other.get_ylim()
    assert len([line for line in panel.lines if line.get_color() == "#B5B5B5"]) == 3
    assert {text.get_text() for text in panel.texts} == {"+16.4", "+18.4", "paper\n+19.2", "paper\n+23.1"}
    assert not any(text.get_text().startswith("paper") for text in other.texts)


def test_many_data_sets_are_drawn_in_rows_that_fit_a_page(rows: pd.DataFrame) -> None:
    kmnist = select(rows, dataset="KMNIST")
    figure = figure3(pd.concat([kmnist.assign(dataset=f"set {number}") for number in range(7)]))
    assert len(figure.axes) == 7
    assert figure.get_figwidth() < 8
    assert len({round(axes.get_position().y0, 2) for axes in figure.axes}) == 2
    assert {axes.get_ylim() for axes in figure.axes} == {figure.axes[0].get_ylim()}


def test_a_data_set_without_all_three_has_no_panel_and_the_scale_keeps_its_ticks(rows: pd.DataFrame) -> None:
    figure = figure3(rows[(rows["dataset"] == "KMNIST") | (rows["method"] == "GCE-ABS")])
    (panel,) = figure.axes
    assert panel.get_title() == "(a) KMNIST, 3 seeds"
    assert len(panel.get_yticks()) > 2


def test_the_papers_panels_where_nothing_was_run(rows: pd.DataFrame) -> None:
    figure = figure3(select(rows, dataset="SVHN"))
    assert [axes.get_title()[4:8] for axes in figure.axes] == ["KMNI", "SVHN"]
    assert [text.get_text() for axes in figure.axes for text in axes.texts] == ["not run", "not run"]
