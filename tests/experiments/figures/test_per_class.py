import pandas as pd
from matplotlib.colors import to_hex

from oneof.experiments.cells import select
from oneof.experiments.figures.per_class import HARD, figure4


def test_bars_are_means_and_the_hardest_stand_out(per_class: pd.DataFrame) -> None:
    axes = figure4(select(per_class, dataset="digits")).axes[0]
    bars = axes.patches
    assert len(bars) == 10
    assert [round(bar.get_height(), 2) for bar in bars[7:]] == [88.0, 63.0, 63.0]
    assert {to_hex(bar.get_facecolor()).upper() for bar in bars[8:]} == {HARD}
    assert axes.get_ylim() == (0, 100)
    assert "3 seeds" in axes.get_xlabel()


def test_one_seed_has_no_deviation(per_class: pd.DataFrame) -> None:
    several, one = (figure4(select(per_class, dataset="digits", **where)).axes[0] for where in ({}, {"seed": 0}))
    assert several.containers[1:]
    assert not one.containers[1:]
    assert one.get_xlabel().endswith("one seed")
