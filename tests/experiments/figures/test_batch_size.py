import numpy as np
import pandas as pd

from oneof.experiments.figures.batch_size import figure5


def test_ours_and_the_papers(rows: pd.DataFrame) -> None:
    figure = figure5(rows)
    panel = figure.axes[2]
    assert panel.get_title() == "(c) KMNIST\nP(s=1) = 0.7, 3 seeds"
    faint = [line for line in panel.lines if line.get_alpha() == 0.4]
    assert len(faint) == 4
    np.testing.assert_allclose(np.asarray(faint[3].get_ydata(), float), [61.54, 62.21, 62.96, 69.17])
    ours = panel.containers[3]
    np.testing.assert_allclose(np.asarray(ours.lines[0].get_ydata(), float), [68, 70, 72, 74])


def test_a_data_set_the_paper_lacks_stands_alone(rows: pd.DataFrame) -> None:
    figure = figure5(rows.assign(dataset="digits"))
    assert all(len(line.get_xdata()) == 0 for line in figure.axes[0].lines if line.get_alpha() == 0.4)
