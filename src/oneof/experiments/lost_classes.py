"""Which classes a run has lost: hardly an item of them is classified right. It explains accuracies that look odd."""

from collections.abc import Sequence

import pandas as pd

from oneof.experiments.cells import ABSENT, blocks, select
from oneof.experiments.methods import CORRECTIONS, MAIN
from oneof.experiments.protocol import STANDARD_BATCH
from oneof.experiments.table_format import Cell, Table

LOST = 1.0
"""A class is lost where its accuracy, in per cent, is below this."""
METHODS = (*MAIN, *CORRECTIONS, "Likelihood")
WHY = (
    "A bounded loss, most of all the MAE, has almost no gradient where a class is held to be impossible, so a class "
    "that is lost early is found again slowly, if at all."
)


def lost_counts(per_class: pd.DataFrame) -> pd.DataFrame:
    """A row a run at the standard batch size: how many classes it lost, and its accuracy on the other items.

    per_class: as `Results.per_class` gives it. Columns: dataset, p_yes, method, seed, classes, lost, others.
    """
    compared = select(per_class, batch_size=STANDARD_BATCH)
    compared = compared[compared["method"].isin(METHODS)]
    lost = compared["accuracy"] < LOST
    kept = compared["items"].where(~lost, 0)
    counted = compared.assign(lost=lost, kept=kept, right=kept * compared["accuracy"], classes=1)
    keys = ["dataset", "p_yes", "method", "seed"]
    runs = counted.groupby(keys, sort=False)[["classes", "lost", "kept", "right"]].sum().reset_index()
    return runs.assign(others=runs["right"] / runs["kept"])


def lost_table(per_class: pd.DataFrame) -> Table:
    """A line per data set and P(s=1), a column per method that lost a class anywhere; no lines where none did."""
    runs = lost_counts(per_class)
    losing = [name for name in METHODS if select(runs, method=name)["lost"].any()]
    lines: list[tuple[Cell, ...]] = []
    for dataset, p_yes, group in blocks(runs[runs["method"].isin(losing)]):
        cells = [_cell(select(group, method=name)) for name in losing]
        lines.append((Cell(dataset), Cell(f"{p_yes}"), *cells))
    caption = (
        f"Lost classes. How many classes have fewer than {LOST:g} % of their test items right (mean over seeds), and "
        "in brackets the accuracy (%) on all other classes"
    )
    return Table("lost", caption, ("data set", "P(s=1)", *losing), tuple(lines), tuple(_notes(runs, losing)))


def _cell(runs: pd.DataFrame) -> Cell:
    if runs.empty:
        return ABSENT
    lost = f"{runs['lost'].mean():.1f}".removesuffix(".0")
    return Cell(f"{lost} of {runs['classes'].iloc[0]} ({runs['others'].mean():.1f})")


def _notes(runs: pd.DataFrame, losing: Sequence[str]) -> list[str]:
    whole = [name for name in METHODS if name not in losing and (runs["method"] == name).any()]
    return [WHY, *([f"No run of {', '.join(whole)} lost a class."] if whole else [])]
