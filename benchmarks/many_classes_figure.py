"""Accuracy against the number of questions, a panel for each data set, from the rows of `benchmarks.many_classes`.

python -m benchmarks.many_classes_figure
"""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from benchmarks.many_classes import CLASSES, FRESH, ROWS
from oneof.files.atomic import replacing

PATH = ROWS.with_suffix(".png")
COLOURS = {"adaptive": "#2b6cb0", "watch": "#2f855a", "uniform-5": "#c05621"}
OTHER = "#888888"


def draw() -> None:
    """Write the figure: means over seeds as lines, single runs as thin lines."""
    rows = pd.read_csv(ROWS).query("asking != 'labels'")
    panels = [
        (data, name, part)
        for name, chosen in (("", rows["seed"] < FRESH), (", fresh seeds", rows["seed"] >= FRESH))
        for data in CLASSES
        if len(part := rows[chosen & (rows["data"] == data)])
    ]
    across = -(-len(panels) // 2)
    figure = Figure(figsize=(3.6 * across, 6), layout="constrained")
    places = figure.subplots(2, across, squeeze=False).ravel()
    for axis, (data, name, part) in zip(places, panels, strict=False):
        _panel(axis, f"{data}, {CLASSES[data]} classes{name}", part)
    for axis in places[len(panels) :]:
        axis.axis("off")
    with replacing(PATH) as part_file:
        figure.savefig(part_file, dpi=130, format="png")


def _panel(axis: Axes, title: str, rows: pd.DataFrame) -> None:
    for asking, runs in rows.groupby("asking"):
        colour = COLOURS.get(str(asking), OTHER)
        for _, run in runs.groupby("seed"):
            axis.plot(run["answers"], 100 * run["test"], color=colour, linewidth=0.6, alpha=0.4)
        mean = 100 * runs.groupby("answers")["test"].mean()
        axis.plot(mean.index, mean, color=colour, linewidth=1.8, label=str(asking))
    axis.axhline(80, color=OTHER, linewidth=0.5, linestyle="--")
    axis.set_xscale("log")
    axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.xaxis.set_major_formatter("{x:,.0f}")
    axis.xaxis.set_minor_formatter(NullFormatter())
    axis.set_title(title, fontsize=10)
    axis.set_xlabel("questions")
    axis.set_ylabel("test accuracy, %")
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, fontsize=8, loc="lower right")


if __name__ == "__main__":
    draw()
