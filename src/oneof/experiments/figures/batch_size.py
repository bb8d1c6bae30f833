"""Figure 5: test accuracy against the batch size, a panel for each P(s=1)."""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from oneof.experiments.cells import select
from oneof.experiments.figures.dynamics import swept_dataset
from oneof.experiments.figures.style import COLOURS, FAINT, MARKERS, paper_style, seeds_of
from oneof.experiments.paper_numbers import paper_table
from oneof.experiments.protocol import BATCH_SIZES, P_YES

METHODS = ("URE-MAE", "GCE-ABS", "GCE-NN", "GCE-URE")


def figure5(rows: pd.DataFrame) -> Figure:
    """Draw our means with standard deviations; the paper's means as faint dashed lines where it has them."""
    name = swept_dataset(rows)
    ours = select(rows, dataset=name)
    ours = ours[ours["method"].isin(METHODS)]
    published = select(paper_table(6), dataset=name)
    sizes = [int(size) for size in BATCH_SIZES if size in {*published["batch_size"], *ours["batch_size"]}]
    with paper_style():
        figure = Figure(figsize=(7.2, 2.9), layout="constrained")
        axes = figure.subplots(1, 3, sharey=True)
        for letter, panel, p_yes in zip("abc", axes, P_YES, strict=True):
            panel.set_title(f"({letter}) {name}\nP(s=1) = {p_yes}{seeds_of(select(ours, p_yes=p_yes))}")
            for method in METHODS:
                colour, marker = COLOURS[method], MARKERS[method]
                paper = select(published, p_yes=p_yes, method=method)
                panel.plot(paper["batch_size"], paper["accuracy_mean"], "--", color=colour, alpha=0.4, linewidth=0.9)
                runs = select(ours, p_yes=p_yes, method=method)
                over_seeds = runs.groupby("batch_size")["test_accuracy"].agg(["mean", "std"]).fillna({"std": 0.0})
                if len(over_seeds):
                    panel.errorbar(
                        over_seeds.index,
                        over_seeds["mean"],
                        over_seeds["std"],
                        color=colour,
                        marker=marker,
                        markersize=4,
                        capsize=2,
                        elinewidth=0.8,
                        label=method,
                    )
            if select(ours, p_yes=p_yes).empty:
                panel.text(0.5, 0.5, "not run here", transform=panel.transAxes, ha="center", color=FAINT, fontsize=11)
            panel.set_xscale("log", base=2)
            panel.xaxis.set_major_locator(FixedLocator(sizes))
            panel.xaxis.set_minor_locator(NullLocator())
            panel.set_xticks(sizes, [str(size) for size in sizes])
            panel.set_xlabel("batch size")
        axes[0].set_ylabel("test accuracy (%)")
        handles, labels = axes[0].get_legend_handles_labels()
        if not published.empty:
            handles.append(axes[0].plot([], [], "--", color=FAINT, linewidth=0.9)[0])
            labels.append("the paper")
        figure.legend(handles, labels, loc="outside lower center", ncols=5)
        return figure
