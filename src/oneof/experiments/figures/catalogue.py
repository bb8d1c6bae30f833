"""The six figures by name, with captions, and how they are saved."""

import io
from collections.abc import Callable
from typing import NamedTuple

from matplotlib.figure import Figure

from oneof.experiments.figures.batch_size import figure5
from oneof.experiments.figures.dynamics import figure2, figure6
from oneof.experiments.figures.mechanism import figure1
from oneof.experiments.figures.paired import figure3
from oneof.experiments.figures.per_class import figure4
from oneof.experiments.figures.style import paper_style
from oneof.experiments.store import Evidence


class Entry(NamedTuple):
    """A caption, and a function from the evidence to the figure."""

    caption: str
    draw: Callable[[Evidence], Figure]


FIGURES = {
    "figure1": Entry(
        "Figure 1. The mechanism: a random query, a yes or a no, and the ordinary risk recovered from the two groups.",
        lambda evidence: figure1(),
    ),
    "figure2": Entry(
        "Figure 2. Training under GCE: test accuracy (top) and training risk (bottom), mean ± standard deviation over "
        "seeds. Dashed: the objective minimised. Dotted: the raw risk behind a corrected objective. The scales are "
        "for what follows the first tenth of the epochs.",
        lambda evidence: figure2(evidence.histories),
    ),
    "figure3": Entry(
        "Figure 3. Paired results under GCE at P(s=1) = 0.7. Grey lines join the results of one seed; black: mean and "
        "95 % interval, none for one seed; numbers: mean gain over URE within seeds, and at the foot the paper's.",
        lambda evidence: figure3(evidence.rows),
    ),
    "figure4": Entry(
        "Figure 4. Accuracy of each class under GCE-ABS at P(s=1) = 0.3, mean ± standard deviation over seeds.",
        lambda evidence: figure4(evidence.per_class),
    ),
    "figure5": Entry(
        "Figure 5. Test accuracy against the batch size, mean ± deviation over seeds; dashed: the paper's means.",
        lambda evidence: figure5(evidence.rows),
    ),
    "figure6": Entry(
        "Figure 6. Training under GCE at P(s=1) = 0.7 for four batch sizes, drawn as Figure 2.",
        lambda evidence: figure6(evidence.histories),
    ),
}

# Dates in files would make the same rows give different bytes.
_UNDATED: dict[str, dict[str, str | None]] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None, "ModDate": None},
    "png": {"Software": None},
}


def save(figure: Figure, kind: str) -> bytes:
    """The figure as a "png", "svg" or "pdf" file; the same figure gives the same bytes."""
    if kind not in _UNDATED:
        raise ValueError(f"a figure is saved as {', '.join(_UNDATED)}, not {kind!r}")
    buffer = io.BytesIO()
    with paper_style():
        figure.savefig(buffer, format=kind, metadata=_UNDATED[kind])
    return buffer.getvalue()
