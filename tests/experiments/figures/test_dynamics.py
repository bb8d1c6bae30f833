import numpy as np
import pandas as pd

from oneof.experiments.cells import select
from oneof.experiments.figures.dynamics import figure2, figure6, swept_dataset


def test_lines_are_means_over_seeds(histories: pd.DataFrame) -> None:
    accuracy = figure2(histories).axes[0]
    assert accuracy.get_title().endswith("KMNIST\nP(s=1) = 0.3, 3 seeds")
    chosen = select(histories, dataset="KMNIST", p_yes=0.3, batch_size=128, method="GCE-ABS")
    expected = chosen.groupby("epoch")["test_accuracy"].mean()
    np.testing.assert_allclose(np.asarray(accuracy.lines[0].get_ydata(), float), expected)


def test_the_raw_risk_is_drawn_behind_a_correction_only(histories: pd.DataFrame) -> None:
    risk = figure2(histories).axes[4]
    dotted = [line for line in risk.lines if line.get_linestyle() == ":"]
    dashed = [line for line in risk.lines if line.get_linestyle() == "--"]
    assert (len(dotted), len(dashed)) == (2, 3)


def test_panels_of_a_data_set_have_one_scale_for_what_comes_after_the_start(histories: pd.DataFrame) -> None:
    early = histories["epoch"] == 1
    plunging = histories.assign(test_accuracy=histories["test_accuracy"].mask(early, 1.0))
    plunging = pd.concat([plunging, plunging[plunging["epoch"] == 2].assign(epoch=20)])
    first, second = figure2(plunging).axes[:2]
    assert first.get_ylim() == second.get_ylim()
    chosen = select(plunging, dataset="KMNIST", batch_size=128)
    chosen = chosen[chosen["method"].str.startswith("GCE") & chosen["p_yes"].isin([0.3, 0.7])]
    late = chosen.loc[chosen["epoch"] > 2, "test_accuracy"]
    low, high = first.get_ylim()
    assert 1.0 < low < late.min()
    assert high > late.max()


def test_panels(histories: pd.DataFrame) -> None:
    titles = [axes.get_title() for axes in figure6(histories).axes[:4]]
    assert titles == [
        f"({letter}) KMNIST\nbatch size {size}, 3 seeds"
        for letter, size in zip("abcd", (128, 256, 512, 1024), strict=True)
    ]
    only_digits = figure2(select(histories, dataset="digits"))
    assert [axes.get_title() for axes in only_digits.axes[:2]] == [
        "(a) digits\nP(s=1) = 0.3, 3 seeds",
        "(b) digits\nP(s=1) = 0.7, 3 seeds",
    ]


def test_a_data_set_that_was_not_run_takes_no_room(histories: pd.DataFrame) -> None:
    assert len(figure2(select(histories, dataset="KMNIST")).axes) == 4
    empty = figure2(histories.iloc[:0])
    assert [axes.get_title() for axes in empty.axes[:4:2]] == ["(a) KMNIST\nP(s=1) = 0.3", "(c) SVHN\nP(s=1) = 0.3"]
    assert {text.get_text() for axes in empty.axes for text in axes.texts} == {"not run"}


def test_what_was_swept(rows: pd.DataFrame) -> None:
    assert swept_dataset(rows) == "KMNIST"
    assert swept_dataset(rows.assign(dataset="digits")) == "digits"
    assert swept_dataset(rows.iloc[:0]) == "KMNIST"
