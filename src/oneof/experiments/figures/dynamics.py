"""Figures 2 and 6: how training goes under GCE. Accuracy above, the training objective below, bands over seeds."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from oneof.experiments.cells import select, swept_datasets
from oneof.experiments.figures.style import COLOURS, FAINT, INK, paper_style, seeds_of
from oneof.experiments.methods import CORRECTIONS
from oneof.experiments.protocol import BATCH_SIZES, STANDARD_BATCH

PAPER = ("KMNIST", "SVHN")
Panel = tuple[str, dict[str, Any]]
"""A title, and the column values that choose its runs."""


def figure2(histories: pd.DataFrame) -> Figure:
    """Draw Figure 2: KMNIST and SVHN at m = 3 and m = 7; where these were not run, another data set."""
    standard = select(histories, batch_size=STANDARD_BATCH)
    present = list(standard["dataset"].unique())
    shown = [*(name for name in PAPER if name in present), *(name for name in present if name not in PAPER)][:2]
    panels = [
        (f"{name}\nP(s=1) = {p_yes}", {"dataset": name, "p_yes": p_yes})
        for name in shown or PAPER
        for p_yes in (0.3, 0.7)
    ]
    return draw(standard, panels)


def figure6(histories: pd.DataFrame) -> Figure:
    """Draw Figure 6: P(s=1) = 0.7 at four batch sizes."""
    name = swept_dataset(histories)
    panels = [
        (f"{name}\nbatch size {size}", {"dataset": name, "p_yes": 0.7, "batch_size": size}) for size in BATCH_SIZES
    ]
    return draw(histories, panels)


def swept_dataset(rows: pd.DataFrame) -> str:
    """KMNIST, as in the paper; another data set where only that one was run at several batch sizes."""
    swept = swept_datasets(rows)
    return "KMNIST" if "KMNIST" in swept or not swept else swept[0]


def draw(histories: pd.DataFrame, panels: Sequence[Panel]) -> Figure:
    """Draw accuracy (top) and objective (bottom) against the epoch, one column per panel."""
    with paper_style():
        figure = Figure(figsize=(max(1.85 * len(panels) + 0.3, 4.8), 3.7), layout="constrained")
        axes = figure.subplots(2, len(panels), sharex="col", squeeze=False, height_ratios=(1.15, 1))
        for column, (title, where) in enumerate(panels):
            accuracy, risk = axes[0][column], axes[1][column]
            chosen = select(histories, **where)
            chosen = chosen[chosen["method"].isin(CORRECTIONS)]
            accuracy.set_title(f"({'abcdefgh'[column]}) {title}{seeds_of(chosen)}")
            if chosen.empty:
                for panel in (accuracy, risk):
                    panel.text(0.5, 0.5, "not run", transform=panel.transAxes, ha="center", va="center", color=FAINT)
                    panel.tick_params(bottom=False, labelbottom=False)
                    panel.grid(False)
                continue
            for method in CORRECTIONS:
                _draw_method(accuracy, risk, select(chosen, method=method), COLOURS[method])
            risk.axhline(0, color=INK, linewidth=0.7)
            risk.set_xlabel("epoch")
        _common_scales(axes, histories, panels)
        axes[0][0].set_ylabel("test accuracy (%)")
        axes[1][0].set_ylabel("training risk")
        figure.legend(handles=_legend(), loc="outside lower center", ncols=5 if len(panels) > 2 else 3)
        return figure


def _common_scales(axes: Any, histories: pd.DataFrame, panels: Sequence[Panel]) -> None:
    """Give the panels of a data set one scale, for what comes after the first tenth of the epochs.

    In the first epochs all methods do the same, and fall from so high that later differences would not be visible.
    """
    for name in dict.fromkeys(where["dataset"] for _, where in panels):
        columns = [number for number, (_, where) in enumerate(panels) if where["dataset"] == name]
        shown = pd.concat([select(histories, **panels[number][1]) for number in columns])
        shown = shown[shown["method"].isin(CORRECTIONS)]
        late = shown[shown["epoch"] > 0.1 * shown["epoch"].max()]
        for row, values in enumerate((late[["test_accuracy"]], late[["objective", "raw"]].assign(zero=0.0))):
            for number in columns[1:]:
                axes[row][number].sharey(axes[row][columns[0]])
                axes[row][number].tick_params(labelleft=False)
            if len(late):
                low, high = values.min().min(), values.max().max()
                margin = 0.08 * (high - low)
                axes[row][columns[0]].set_ylim(low - margin, high + margin)


def _draw_method(accuracy: Axes, risk: Axes, runs: pd.DataFrame, colour: str) -> None:
    if runs.empty:
        return
    _band(accuracy, runs, "test_accuracy", colour, "-")
    _band(risk, runs, "objective", colour, "--")
    corrected = (runs["objective"] - runs["raw"]).abs().max() > 0
    if corrected:
        _band(risk, runs, "raw", colour, ":", shade=False)


def _band(axes: Axes, runs: pd.DataFrame, column: str, colour: str, line: str, *, shade: bool = True) -> None:
    over_seeds = runs.groupby("epoch")[column].agg(["mean", "std"]).fillna({"std": 0.0})
    width = 0.9 if line == ":" else 1.4
    axes.plot(over_seeds.index, over_seeds["mean"], line, color=colour, linewidth=width)
    if shade:
        low, high = over_seeds["mean"] - over_seeds["std"], over_seeds["mean"] + over_seeds["std"]
        axes.fill_between(over_seeds.index, low, high, color=colour, alpha=0.18, linewidth=0)


def _legend() -> list[Line2D]:
    methods = [Line2D([], [], color=COLOURS[name], label=name) for name in CORRECTIONS]
    corrected = Line2D([], [], color=INK, linestyle="--", label="objective minimised")
    raw = Line2D([], [], color=INK, linestyle=":", linewidth=0.9, label="raw risk, where corrected")
    return [*methods, corrected, raw]
