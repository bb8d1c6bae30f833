"""Pictures of a judgement: a reliability diagram, a confusion matrix, and precision and recall of each class.

Pure functions from the tables of `class_report`, `estimate_confusion` and `estimate_calibration` to matplotlib figures.
Matplotlib is imported only when one is drawn.
"""

from io import StringIO
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from oneof.evaluation.by_class import Confusion

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The colours of Okabe and Ito, which colour-blind readers can distinguish; markers help where there is no colour.
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#666666"

MOST = 30
"""The most classes in a picture that can still be read; those with the most answers are shown."""

LONGEST = 18
"""Letters of a class's name that fit beside an axis."""


def reliability_diagram(table: pd.DataFrame) -> "Figure":
    """Accuracy against confidence, from the table of `estimate_calibration`; the diagonal is a calibrated model.

    >>> table = pd.DataFrame({"confidence": [0.55, 0.9], "accuracy": [0.5, 0.8], "low": [0.4, 0.7],
    ...                       "high": [0.6, 0.9], "n": [80, 200]})
    >>> reliability_diagram(table).axes[0].get_xlabel()
    'confidence of the model'
    """
    figure, axes = _figure(4.2, 3.8)
    axes.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=0.9)
    _whiskers(axes, table["confidence"], table, "accuracy", ("low", "high"), BLUE, "o")
    share = table["n"] / max(1, table["n"].sum())
    axes.bar(table["confidence"], 0.25 * share / share.max(), 0.035, color=BLUE, alpha=0.18, label="share of answers")
    axes.set(xlim=(0, 1.03), ylim=(0, 1.03), xlabel="confidence of the model", ylabel="accuracy, by answers")
    axes.legend(frameon=False, fontsize="small", loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    return figure


def confusion_heat_map(confusion: Confusion) -> "Figure":
    """The matrix of `estimate_confusion`, in percent of all items; cells within two standard errors of zero are pale.

    >>> found = Confusion(np.eye(3) / 3, np.full((3, 3), 0.01), 900, ("ant", "bee", "cat"))
    >>> confusion_heat_map(found).axes[0].get_xlabel()
    'predicted'
    """
    kept = np.sort(np.argsort(-confusion.value.sum(axis=0), kind="stable")[:MOST])
    value, error = confusion.value[np.ix_(kept, kept)], confusion.error[np.ix_(kept, kept)]
    side = min(9.0, 1.8 + 0.3 * len(kept))
    figure, axes = _figure(side + 0.3, side)
    axes.grid(False)
    sure = value > 2 * error
    # Mistakes are the interesting cells, and they are small: so colours show the square root.
    shade = np.sqrt(np.clip(np.where(sure, value, 0.0), 0, None))
    axes.imshow(shade, cmap="Blues", vmin=0, vmax=max(float(shade.max()), 1e-9) * 1.15)
    names = _short([confusion.classes[place] for place in kept])
    axes.set_xticks(range(len(kept)), names, rotation=60 if max(map(len, names)) > 2 else 0, ha="center")
    axes.set_yticks(range(len(kept)), names)
    axes.set(xlabel="predicted", ylabel="truth")
    size = 7.0 if len(kept) <= 12 else 5.5
    for row, column in np.argwhere(sure | np.eye(len(kept), dtype=np.bool_)) if len(kept) <= 20 else ():
        dark = shade[row, column] > 0.6 * shade.max()
        text = f"{100 * value[row, column]:.1f}"
        axes.text(column, row, text, ha="center", va="center", fontsize=size, color="white" if dark else "black")
    return figure


def class_whiskers(report: pd.DataFrame) -> "Figure":
    """Precision and recall of each class in the table of `class_report`, with their intervals.

    >>> ends = {f"{name}{end}": [0.9] for name in ("precision", "recall") for end in ("", "_low", "_high")}
    >>> class_whiskers(pd.DataFrame({"class": ["ant"], "n": [50], **ends})).axes[0].get_yticklabels()[0].get_text()
    'ant'
    """
    shown = report.loc[np.sort(report["n"].to_numpy().argsort(kind="stable")[::-1][:MOST])]
    figure, axes = _figure(4.8, 1.0 + 0.32 * len(shown))
    place = np.arange(len(shown), dtype=np.float64)
    for name, colour, marker, shift in (("precision", BLUE, "o", -0.14), ("recall", ORANGE, "s", 0.14)):
        known = shown[name].notna().to_numpy()
        if not known.any():
            continue
        ends = f"{name}_low", f"{name}_high"
        _whiskers(axes, place[known] + shift, shown[known], name, ends, colour, marker, across=True)
    axes.set_yticks(place, _short(shown["class"].tolist()))
    axes.set(xlim=(-0.02, 1.02), ylim=(len(shown) - 0.5, -0.5))
    axes.legend(frameon=False, fontsize="small", loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    return figure


def as_svg(figure: "Figure") -> str:
    """A figure as an <svg> element to be put into a page, the same in every run."""
    import matplotlib

    out = StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "oneof", "svg.fonttype": "none"}):
        figure.savefig(out, format="svg", metadata={"Date": None}, transparent=True)
    text = out.getvalue()
    return text[text.index("<svg") :]


def _figure(width: float, height: float) -> tuple["Figure", "Axes"]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#E4E4E4", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=8)
    return figure, axes


def _whiskers(
    axes: "Axes", place: Any, table: pd.DataFrame, name: str, ends: tuple[str, str], colour: str, marker: str,
    *, across: bool = False,
) -> None:  # fmt: skip
    """Draw points with their intervals."""
    value = table[name].to_numpy()
    margin = np.maximum([value - table[ends[0]].to_numpy(), table[ends[1]].to_numpy() - value], 0)
    look: dict[str, Any] = {"color": colour, "linestyle": "", "marker": marker, "markersize": 4.5, "capsize": 2}
    if across:
        axes.errorbar(value, place, xerr=margin, label=name, **look)
    else:
        axes.errorbar(place, value, yerr=margin, label=f"{name}, 95 % interval", **look)


def _short(names: list[str]) -> list[str]:
    # A dollar sign would start a formula.
    cut = [name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…" for name in map(str, names)]
    return [name.replace("$", r"\$") for name in cut]
