"""The scaling benchmark as small multiples, from its table alone."""

from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from oneof.files.atomic import replacing

COLOUR, GREY = "#2b6cb0", "#888888"


def draw(table: pd.DataFrame, path: Path) -> None:
    """Write the figure; what was not measured stays empty."""
    figure = Figure(figsize=(11, 5.4), layout="constrained")
    axes = figure.subplots(2, 4)
    disk = _numbers(table[table["what"] == "from disk"])
    _curve(axes[0, 0], disk["x"], disk["cost"], "one pass from disk", "answers n", "CPU s / million answers", "x")
    _curve(axes[0, 1], disk["x"], disk["peak"] / 1e3, "its peak memory", "answers n", "GB", "x")
    axes[0, 1].plot(disk["x"], disk["x"] * 22 / 1e9, "--", color=GREY, label="22 bytes an answer")
    axes[0, 1].legend(frameon=False, fontsize=7)
    step = table[table["what"] == "a step"]
    places = {"n": axes[0, 2], "m": axes[1, 0], "answers an item": axes[1, 1], "k": axes[0, 3]}
    names = {"n": "answers n", "m": "labels asked about m", "k": "classes k"}
    for changes, axis in places.items():
        rows = _numbers(step[step["case"].str.startswith(f"{changes} =")])
        log = {"n": "x", "k": "xy"}.get(changes, "")
        title = f"a step, by {changes}"
        _curve(axis, rows["x"], rows["cost"], title, names.get(changes, changes), "CPU µs / answer", log)
    if len(rows):
        _curve(axes[1, 3], rows["x"], rows["peak"], "peak memory of a step", "classes k", "MB", "xy")
        for axis, column in ((axes[0, 3], "cost"), (axes[1, 3], "peak")):
            line = rows[column].iloc[-1] * rows["x"] / rows["x"].iloc[-1]
            axis.plot(rows["x"], line, "--", color=GREY, label="proportional to k")
            axis.legend(frameon=False, fontsize=7)
    pairs = table[table["case"] == "2"]
    bars = axes[1, 2].bar(
        pairs["what"].str.replace(", ", "\n"), 1 / pairs["ratio"].astype(float), color=COLOUR, width=0.6
    )
    axes[1, 2].bar_label(bars, fmt="%.2f", fontsize=8)
    axes[1, 2].axhline(2, color=GREY, linestyle="--")
    axes[1, 2].axhline(1, color=GREY, linewidth=0.5)
    _label(axes[1, 2], "two in place of one", "", "times as fast")
    axes[1, 2].tick_params(axis="x", labelsize=7)
    axes[1, 2].set_ylim(0, 2.3)
    with replacing(path) as part:
        figure.savefig(part, dpi=130)


def _curve(
    axis: Axes, x: "pd.Series[float]", y: "pd.Series[float]", title: str, over: str, unit: str, log: str
) -> None:
    axis.plot(x, y, "o-", color=COLOUR, markersize=4)
    _label(axis, title, over, unit)
    if "x" in log and len(x):
        axis.set_xscale("log")
    if "y" in log and len(y):
        axis.set_yscale("log")
    elif len(y):
        axis.set_ylim(0, 1.25 * y.max())


def _numbers(rows: pd.DataFrame) -> pd.DataFrame:
    """What changes, the cost and the peak, as numbers."""
    return pd.DataFrame(
        {
            "x": rows["case"].str.split("= ").str[1].astype(float),
            "cost": rows["cost"].astype(float),
            "peak": pd.to_numeric(rows["peak MB"]).where(lambda peak: peak > 0),  # too small to be seen
        }
    )


def _label(axis: Axes, title: str, over: str, unit: str) -> None:
    axis.set_title(title, fontsize=10)
    axis.set_xlabel(over, fontsize=8)
    axis.set_ylabel(unit, fontsize=8)
    axis.tick_params(labelsize=8)
    axis.spines[["top", "right"]].set_visible(False)
