"""Figure 4: accuracy of each class, mean over seeds, with standard deviations."""

import pandas as pd
from matplotlib.figure import Figure

from oneof.experiments.cells import select
from oneof.experiments.figures.style import COLOURS, FAINT, INK, paper_style, say_not_run
from oneof.experiments.protocol import LETTERS, STANDARD_BATCH

HARD = "#E69F00"


def figure4(per_class: pd.DataFrame) -> Figure:
    """Draw GCE-ABS at P(s=1) = 0.3 on EMNIST-Letters, or on what was run; the five hardest classes stand out."""
    chosen = select(per_class, method="GCE-ABS", p_yes=0.3, batch_size=STANDARD_BATCH)
    present = list(chosen["dataset"].unique())
    name = LETTERS if LETTERS in present or not present else present[0]
    chosen = select(chosen, dataset=name)
    with paper_style():
        figure = Figure(figsize=(7.2, 2.7), layout="constrained")
        axes = figure.subplots()
        axes.set_title(f"{name}, GCE-ABS, P(s=1) = 0.3")
        if chosen.empty:
            say_not_run(axes)
            return figure
        by_class = chosen.groupby("class_name", sort=False)["accuracy"].agg(["mean", "std"]).fillna({"std": 0.0})
        hardest = set(by_class["mean"].nsmallest(min(5, len(by_class) // 2)).index)
        colours = [HARD if label in hardest else COLOURS["GCE-ABS"] for label in by_class.index]
        places = range(len(by_class))
        axes.bar(places, by_class["mean"], width=0.72, color=colours)
        seeds = chosen["seed"].nunique()
        if seeds > 1:
            deviations = by_class["std"]
            axes.errorbar(places, by_class["mean"], deviations, fmt="none", ecolor=INK, elinewidth=0.8, capsize=1.8)
        mean = by_class["mean"].mean()
        axes.axhline(mean, color=INK, linewidth=0.8, linestyle="--")
        axes.text(len(by_class) - 0.35, mean, f"mean {mean:.1f}", va="center", fontsize=7.5)
        for place, label in enumerate(by_class.index):
            if label in hardest:
                top = by_class["mean"].iloc[place] - by_class["std"].iloc[place]
                axes.text(place, top - 2, f"{by_class['mean'].iloc[place]:.0f}", ha="center", va="top", fontsize=6.5)
        axes.set_xticks(list(places), list(by_class.index))
        axes.set_xlim(-0.6, len(by_class) - 0.4)
        axes.set_ylim(0, 100)
        axes.set_ylabel("accuracy (%)")
        axes.grid(axis="x", visible=False)
        axes.tick_params(axis="x", length=0)
        spread = f"bars: ± one standard deviation over {seeds} seeds" if seeds > 1 else "one seed"
        axes.set_xlabel(f"class; the hardest in orange; {spread}", color=FAINT)
        return figure
