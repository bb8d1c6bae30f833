"""A figure of the plan: the cost and the use of each size of question, and the forecast if there is a pilot."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator, StrMethodFormatter

from oneof.planning.learning_curve import LearningCurve

# The colours of Okabe and Ito, which colour-blind readers can distinguish; markers help where there is no colour.
WEIGHTS = {
    "variance_paper": ("the paper's", "#D55E00", "s"),
    "variance_minimum_norm": ("minimum norm", "#0072B2", "o"),
    "variance_agreement": ("agreement", "#009E73", "^"),
}
INK = "#0072B2"
WIDE = 50
"""An axis whose largest value is more than this many times its smallest one is logarithmic."""


def planning_figure(
    table: pd.DataFrame,
    curve: LearningCurve | None = None,
    points: pd.DataFrame | None = None,
    target: float | None = None,
) -> Figure:
    """A figure of the table of `oneof.plan`; with a curve also the pilot's points, the forecast and the target.

    >>> from oneof import plan
    >>> len(planning_figure(plan(classes=4, accuracy=0.9, width=0.1)).axes)
    3
    """
    panels = 3 if curve is None else 4
    figure = Figure(figsize=(3.1 * panels, 2.9), layout="constrained")
    axes = figure.subplots(1, panels)
    for panel in axes:
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(color="#E4E4E4", linewidth=0.5)
        panel.set_axisbelow(True)
    for panel in axes[:3]:
        panel.set_xlabel("labels in a question, m")
        panel.xaxis.set_major_locator(MaxNLocator(integer=True))
    judged = table.astype({"answers": float, "decoys": float})
    _line(axes[0], judged, "answers", "held-out answers needed", color=INK, marker="o", label="uniform questions")
    _line(axes[0], judged, "decoys", "held-out answers needed", color="#D55E00", marker="s", label="among decoys")
    axes[0].legend(frameon=False, fontsize="small")
    if judged["answers"].max() > WIDE * judged["decoys"].min():
        axes[0].set_yscale("log")
    else:
        axes[0].set_ylim(bottom=0)
    if table["size"].max() > WIDE:
        for panel in axes[:3]:
            panel.set_xscale("log")
    _line(axes[1], table, "bits", "bits per answer", color=INK, marker="o")
    axes[1].set_ylim(0, 1.05)
    for column, (label, colour, marker) in WEIGHTS.items():
        _line(axes[2], table, column, "second moment of the weights", color=colour, marker=marker, label=label)
    axes[2].set_yscale("log")
    axes[2].yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes[2].yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes[2].yaxis.set_minor_locator(NullLocator())
    axes[2].legend(frameon=False, fontsize="small")
    if curve is not None:
        _forecast(axes[3], curve, points, target)
    return figure


def _line(axes: Axes, table: pd.DataFrame, column: str, title: str, **look: Any) -> None:
    axes.plot(table["size"], table[column], markersize=4, linewidth=1.3, **look)
    axes.set_title(title, fontsize="medium")


def _forecast(axes: Axes, curve: LearningCurve, points: pd.DataFrame | None, target: float | None) -> None:
    most = 10 * curve.pilot
    if target is not None:
        needed = curve.answers_for(target).value
        most = int(min(max(most, 2 * needed if np.isfinite(needed) else most), 100 * curve.pilot))
        axes.axhline(target, color="#666666", linestyle="--", linewidth=0.9, label="target")
    first = curve.pilot / 8 if points is None else float(points["answers"].min())
    grid = np.geomspace(first, most, 60)
    forecast = np.array([curve.accuracy(n)[:3] for n in grid])
    axes.fill_between(grid, forecast[:, 1], forecast[:, 2], color=INK, alpha=0.18, linewidth=0, label="95 % interval")
    axes.plot(grid, forecast[:, 0], color=INK, linewidth=1.3, label="forecast")
    if points is not None:
        margins = np.clip([points["accuracy"] - points["low"], points["high"] - points["accuracy"]], 0, None)
        axes.errorbar(
            points["answers"], points["accuracy"], margins, fmt="o", color="#D55E00", markersize=4, label="pilot"
        )
    axes.set_xscale("log")
    axes.set_ylim(top=1.0)
    axes.set_xlabel("answers to train on")
    axes.set_title("accuracy, from the pilot", fontsize="medium")
    axes.legend(frameon=False, fontsize="small", loc="lower right")
