"""How often the raw risk of a batch is negative: a table that the paper does not have, though it argues from it."""

import pandas as pd

from oneof.experiments.cells import ABSENT, blocks, seeds_note, select
from oneof.experiments.protocol import STANDARD_BATCH
from oneof.experiments.table_format import Cell, Table

METHODS = ("URE-MAE", "GCE-URE", "GCE-NN", "GCE-ABS")


def negative_table(rows: pd.DataFrame) -> Table:
    """The mean share of batches with a negative raw risk, a line per data set, P(s=1) and batch size."""
    compared = rows[rows["method"].isin(METHODS)]
    lines: list[tuple[Cell, ...]] = []
    for dataset, p_yes, group in blocks(compared):
        for batch_size in sorted(group["batch_size"].unique()):
            shares = select(group, batch_size=batch_size).groupby("method")["negative_share"].mean()
            cells = [Cell(f"{100 * shares[name]:.1f}") if name in shares.index else ABSENT for name in METHODS]
            lines.append((Cell(dataset), Cell(f"{p_yes}"), Cell(str(batch_size)), *cells))
    header = ("data set", "P(s=1)", "batch", *METHODS)
    notes = (
        "Mean over all epochs and seeds. NN and ABS train on the corrected risk; what is counted is the raw one.",
        "Under the MAE it cannot be negative unless a batch has no yes (docs/mathematics.md, section 2); the paper "
        "only says that it is much less prone to be.",
        seeds_note(compared),
    )
    caption = f"Negative risk. Share of training batches with a negative raw risk (%); the paper has {STANDARD_BATCH}"
    return Table("negative", caption, header, tuple(lines), notes)
