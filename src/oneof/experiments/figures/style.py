"""One look for all figures: colours that colour-blind readers can tell apart, thin lines, small type."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

# Okabe and Ito's palette: distinct under the common forms of colour blindness, and in grey by the markers below.
COLOURS = {
    "GCE-URE": "#D55E00",
    "GCE-NN": "#0072B2",
    "GCE-ABS": "#009E73",
    "URE-MAE": "#4D4D4D",
    "Likelihood": "#CC79A7",
}
MARKERS = {"GCE-URE": "s", "GCE-NN": "^", "GCE-ABS": "o", "URE-MAE": "D", "Likelihood": "v"}
INK, FAINT = "#222222", "#9A9A9A"

_SETTINGS: Any = {
    "font.family": "sans-serif",
    "font.size": 8,
    "axes.titlesize": 8.5,
    "axes.labelsize": 8,
    "axes.edgecolor": "#666666",
    "axes.labelcolor": INK,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#E4E4E4",
    "grid.linewidth": 0.5,
    "axes.axisbelow": True,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "xtick.color": "#444444",
    "ytick.color": "#444444",
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 7.5,
    "lines.linewidth": 1.4,
    "figure.dpi": 100,
    "savefig.dpi": 200,
    # A fixed salt and no date make the same rows give the same bytes.
    "svg.hashsalt": "oneof",
    "svg.fonttype": "path",
}


@contextmanager
def paper_style() -> Iterator[None]:
    """Within this block matplotlib draws in the style of the figures; afterwards it has the user's settings again."""
    import matplotlib as mpl

    with mpl.rc_context(_SETTINGS):
        yield


def seeds_of(runs: pd.DataFrame) -> str:
    """How many seeds each cell of these runs has, for a title, with a comma before it.

    >>> cells = {"p_yes": 0.7, "method": ["a", "a", "b"], "batch_size": 128}
    >>> seeds_of(pd.DataFrame(cells | {"seed": [0, 1, 0]}))
    ', 1 to 2 seeds'
    """
    counts = runs.groupby(["p_yes", "method", "batch_size"])["seed"].nunique()
    if counts.empty:
        return ""
    ends = dict.fromkeys((counts.min(), counts.max()))
    return f", {' to '.join(map(str, ends))} seed{'s' if counts.max() > 1 else ''}"


def say_not_run(axes: Axes) -> None:
    """Mark a panel whose runs are missing."""
    axes.text(0.5, 0.5, "not run", transform=axes.transAxes, ha="center", va="center", color=FAINT, fontsize=11)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.grid(False)
