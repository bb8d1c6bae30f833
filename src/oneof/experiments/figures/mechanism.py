"""Figure 1: the mechanism, from a hidden class to a risk that needs no labels. A drawing; it needs no runs."""

from collections.abc import Collection

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from oneof.experiments.figures.style import COLOURS, INK, paper_style

CLASSES = 10
QUERY = (1, 3, 8)
YES, NO, ASKED, PANEL = "#0072B2", "#B4500A", "#E69F00", "#F6F6F4"
WIDTH, HEIGHT = 144.0, 56.0


def figure1() -> Figure:
    """Draw item, query, the two answers, the identity, and the corrections, from left to right."""
    with paper_style():
        figure = Figure(figsize=(7.2, 2.8))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_xlim(0, WIDTH)
        axes.set_ylim(0, HEIGHT)
        axes.axis("off")
        _item(figure, axes)
        _query(axes)
        _answer(axes, 33.0, "yes", "s = 1", QUERY, YES, "the class is in $L$")
        others = [label for label in range(CLASSES) if label not in QUERY]
        _answer(axes, 4.0, "no", "s = 0", others, NO, "the class is not in $L$")
        _identity(axes)
        _corrections(figure, axes)
        axes.text(80, 28, "$P(s=1) = m/k$", ha="center", va="center", fontsize=7)
        _arrow(axes, (20, 29), (26.5, 29))
        _arrow(axes, (56.5, 33), (61.5, 40))
        _arrow(axes, (56.5, 25), (61.5, 16))
        _arrow(axes, (98.5, 42.5), (103.5, 38.5))
        _arrow(axes, (98.5, 16), (103.5, 35.5))
        return figure


def _item(figure: Figure, axes: Axes) -> None:
    from sklearn.datasets import load_digits

    axes.text(11.2, 51, "an item $x$", ha="center", fontweight="bold")
    picture = figure.add_axes((3.2 / WIDTH, 21 / HEIGHT, 16 / WIDTH, 16 / HEIGHT))
    picture.imshow(load_digits().images[3], cmap="gray_r", interpolation="nearest")
    picture.set_xticks([])
    picture.set_yticks([])
    picture.grid(False)
    for spine in picture.spines.values():
        spine.set_visible(True)
    axes.text(11.2, 15, "class $y$: hidden,\nnobody names it", ha="center", va="center", fontsize=7, color="#666666")


def _query(axes: Axes) -> None:
    axes.text(41.5, 51, "a random query $L$", ha="center", fontweight="bold")
    _box(axes, 27, 12, 29, 34.5)
    axes.text(41.5, 40, "“Is it one of these?”", ha="center", va="center", fontsize=8, style="italic")
    _chips(axes, 30.2, 24.5, QUERY, ASKED, step=4.9, per_row=5, size=4.2)
    axes.text(
        41.5, 15.5, "$m = 3$ of $k = 10$ labels,\nevery subset equally likely", ha="center", va="center", fontsize=6.5
    )


def _answer(
    axes: Axes, bottom: float, word: str, symbol: str, left_over: Collection[int], colour: str, meaning: str
) -> None:
    _box(axes, 62, bottom, 36, 19, edge=colour)
    axes.text(64, bottom + 15, word, color=colour, fontweight="bold", fontsize=9.5, va="center")
    axes.text(96.3, bottom + 15, symbol, color=colour, ha="right", va="center", fontsize=8)
    _chips(axes, 63.3, bottom + 7.4, left_over, colour, step=3.4, per_row=10, size=3.0)
    axes.text(80, bottom + 3.5, f"{meaning}: these are left", ha="center", va="center", fontsize=6.3)


def _identity(axes: Axes) -> None:
    axes.text(123.5, 51, "the risk, without labels", ha="center", fontweight="bold")
    _box(axes, 104, 29.5, 39, 17)
    axes.text(105.5, 42, "$R(f)\\ =$", fontsize=8, va="center")
    axes.text(117.5, 42, r"$m\;\mathbb{E}[\,\bar\ell\;|\;s=1\,]$", fontsize=8, va="center", color=YES)
    axes.text(114.0, 36.8, r"$-\;(m-1)\;\mathbb{E}[\,\bar\ell\;|\;s=0\,]$", fontsize=8, va="center", color=NO)
    axes.text(123.5, 32, r"$\bar\ell$: mean loss over the queried labels", fontsize=6, ha="center", va="center")


def _corrections(figure: Figure, axes: Axes) -> None:
    axes.text(123.5, 24.5, "in a batch it may turn negative: correct it", ha="center", fontsize=6.8, va="center")
    plot = figure.add_axes((109 / WIDTH, 6.5 / HEIGHT, 25 / WIDTH, 15.5 / HEIGHT))
    raw = np.linspace(-1, 1, 201)
    for name, corrected in (("URE", raw), ("NN", np.maximum(raw, 0)), ("ABS", np.abs(raw))):
        colour = COLOURS[f"GCE-{name}"]
        plot.plot(raw[raw <= 0], corrected[raw <= 0], color=colour, linewidth=1.5)
        plot.annotate(
            name,
            (-1, corrected[0]),
            xytext=(-3, 0),
            textcoords="offset points",
            color=colour,
            ha="right",
            va="center",
            fontsize=6.5,
            fontweight="bold",
        )
    plot.plot(raw[raw >= 0], raw[raw >= 0], color=INK, linewidth=1.5)
    plot.axvline(0, color="#999999", linewidth=0.6)
    plot.set_xticks([0], ["0"])
    plot.set_yticks([])
    plot.grid(False)
    plot.spines["left"].set_visible(False)
    plot.set_xlabel("raw risk of the batch", fontsize=6.5, labelpad=1)
    plot.set_ylim(-1.1, 1.1)


def _chips(
    axes: Axes,
    left: float,
    bottom: float,
    filled: Collection[int],
    colour: str,
    *,
    step: float,
    per_row: int,
    size: float,
) -> None:
    rows = CLASSES // per_row
    for label in range(CLASSES):
        x = left + step * (label % per_row)
        y = bottom + step * (rows - 1 - label // per_row)
        on = label in filled
        style = "round,pad=0,rounding_size=0.7"
        chip = FancyBboxPatch(
            (x, y),
            size,
            size,
            boxstyle=style,
            facecolor=colour if on else "white",
            edgecolor=colour if on else "#CCCCCC",
            linewidth=0.7,
        )
        axes.add_patch(chip)
        axes.text(
            x + size / 2,
            y + size / 2 - 0.1,
            str(label),
            ha="center",
            va="center",
            fontsize=1.6 * size,
            color="white" if on else "#999999",
        )


def _box(axes: Axes, x: float, y: float, width: float, height: float, edge: str = "#CFCFCF") -> None:
    style = "round,pad=0,rounding_size=1.4"
    axes.add_patch(
        FancyBboxPatch((x, y), width, height, boxstyle=style, facecolor=PANEL, edgecolor=edge, linewidth=0.8)
    )


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    axes.add_patch(FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=8, color="#555555", linewidth=0.9))
