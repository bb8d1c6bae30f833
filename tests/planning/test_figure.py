from pathlib import Path

import pandas as pd

from oneof import plan
from oneof.planning.figure import planning_figure
from oneof.planning.learning_curve import fit_curve


def test_three_panels_and_a_fourth_with_a_pilot(tmp_path: Path) -> None:
    table = plan(5, 0.9, 0.1)
    assert len(planning_figure(table).axes) == 3
    points = pd.DataFrame({"answers": [100, 200, 400], "accuracy": [0.6, 0.7, 0.8], "error": [0.03] * 3})
    points = points.assign(low=points["accuracy"] - 0.05, high=points["accuracy"] + 0.05)
    curve = fit_curve(points["answers"], points["accuracy"], points["error"])
    figure = planning_figure(table, curve, points, target=0.9)
    assert len(figure.axes) == 4
    drawn = figure.axes[0].lines[0]
    assert list(drawn.get_ydata()) == table["answers"].tolist()
    figure.savefig(tmp_path / "plan.png")
    assert (tmp_path / "plan.png").stat().st_size > 10_000
