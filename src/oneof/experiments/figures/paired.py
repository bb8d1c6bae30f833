"""Figure 3: paired results at P(s=1) = 0.7. A thin line is a seed; black is the mean with its 95 % interval."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from oneof.experiments.cells import select
from oneof.experiments.figures.style import COLOURS, FAINT, INK, paper_style, say_not_run, seeds_of
from oneof.experiments.paper_numbers import paper_table
from oneof.experiments.protocol import STANDARD_BATCH
from oneof.experiments.statistics import mean_interval, paired_difference

ORDER = ("GCE-URE", "GCE-NN", "GCE-ABS")
PAPER = ("KMNIST", "SVHN")
ACROSS = 4
"""Panels in a row."""


def figure3(rows: pd.DataFrame) -> Figure:
    """Draw a panel for each data set, on one scale: those in which all three were run, else the paper's as not run."""
    hard = select(rows, p_yes=0.7, batch_size=STANDARD_BATCH)
    hard = hard[hard["method"].isin(ORDER)]
    methods = hard.groupby("dataset")["method"].nunique()
    whole = set(methods.index[methods == len(ORDER)])
    # A panel without results would take the ticks of the shared scale from the others.
    names = [name for name in dict.fromkeys((*PAPER, *hard["dataset"])) if name in whole] or list(PAPER)
    with paper_style():
        down, across = -(-len(names) // ACROSS), min(len(names), ACROSS)
        figure = Figure(figsize=(max(1.85 * across + 0.4, 3.0), 2.5 * down + 0.3), layout="constrained")
        grid = figure.subplots(down, across, squeeze=False, sharey=True)
        for unused in grid.flat[len(names) :]:
            figure.delaxes(unused)
        for letter, panel, name in zip("abcdefgh", grid.flat, names, strict=False):
            runs = select(hard, dataset=name)
            panel.set_title(f"({letter}) {name}{seeds_of(runs)}")
            results = runs.pivot_table(index="seed", columns="method", values="test_accuracy")
            if set(ORDER) <= set(results.columns):
                _draw(panel, results[list(ORDER)].dropna())
                _say_paper(panel, name)
            else:
                say_not_run(panel)
        for panel in grid[:, 0]:
            panel.set_ylabel("test accuracy (%)")
        return figure


def _say_paper(panel: Axes, name: str) -> None:
    """Write the paper's mean gains at the foot of the panel, where it has them."""
    for comparison, gain in select(paper_table(4), dataset=name)[["comparison", "mean_paired_difference"]].to_numpy():
        place = ORDER.index(comparison.partition(" ")[0])
        panel.text(
            place,
            0.03,
            f"paper\n{gain:+.1f}",
            transform=panel.get_xaxis_transform(),
            ha="center",
            va="bottom",
            color=FAINT,
            fontsize=7,
        )


def _draw(panel: Axes, results: pd.DataFrame) -> None:
    places = range(len(ORDER))
    for _, seed in results.iterrows():
        panel.plot(places, seed, color="#B5B5B5", linewidth=0.7, zorder=1)
        panel.scatter(places, seed, s=9, color=[COLOURS[name] for name in ORDER], alpha=0.75, linewidths=0, zorder=2)
    for place, name in zip(places, ORDER, strict=True):
        mean = results[name].mean()
        low, high = mean_interval(results[name])
        # Beside the points rather than on them: with good pairing they would hide each other.
        ends = None if pd.isna(low) else [[mean - low], [high - mean]]
        panel.errorbar(
            place + 0.13, mean, ends, fmt="o", color=INK, markersize=3.6, capsize=2.5, linewidth=1.1, zorder=3
        )
    for place, name in zip((1, 2), ORDER[1:], strict=True):
        gain = paired_difference(results[name], results["GCE-URE"]).mean
        highest = max([results[name].max(), *(end for end in mean_interval(results[name]) if not pd.isna(end))])
        panel.annotate(
            f"{gain:+.1f}",
            (place + 0.06, highest),
            xytext=(0, 5),
            textcoords="offset points",
            ha="center",
            color=COLOURS[name],
            fontweight="bold",
        )
    panel.set_xticks(list(places), [name.removeprefix("GCE-") for name in ORDER])
    panel.set_xlim(-0.4, 2.5)
    panel.margins(y=0.18)
    panel.grid(axis="x", visible=False)
