"""Tables I-VI of the paper as pure functions of result rows, the paper's numbers beside ours.

Each function takes the rows of one preset (see `store.COLUMNS`) and returns a `Table`. A cell that was not run says
so. A data set that the paper does not use, such as digits, gets rows of its own after the paper's.
"""

from collections.abc import Callable

import pandas as pd

from oneof.experiments.cells import (
    ABSENT,
    NOT_RUN,
    interval_cells,
    our_cells,
    paired_cells,
    paper_cells,
    seeds_note,
    select,
    swept_datasets,
)
from oneof.experiments.methods import CORRECTIONS, MAIN, from_outside
from oneof.experiments.paper_numbers import paper_table
from oneof.experiments.protocol import BATCH_SIZES, LETTERS, P_YES, SIX, STANDARD_BATCH
from oneof.experiments.table_format import Cell, Table

BEST_NOTE = "Best mean of each block in bold, the paper's and ours apart. ± is the standard deviation over seeds."
PAPER, HERE = Cell("paper", pale=True), Cell("here")


def table1(rows: pd.DataFrame) -> Table:
    """Table I: the data sets and networks, the paper's and what was run here."""
    published = paper_table(1)
    lines: list[tuple[Cell, ...]] = []
    for name in _names(tuple(published["dataset"]), rows):
        for entry in select(published, dataset=name).drop(columns="dataset").to_dict("records"):
            lines.append((Cell(name), PAPER, *(Cell(str(value), pale=True) for value in (*entry.values(), 100, 5))))
        here = select(rows, dataset=name)
        if here.empty:
            lines.append((Cell(name), HERE, NOT_RUN, *[ABSENT] * 6))
        keys = ["train_items", "test_items", "features", "classes", "backbone", "epochs"]
        for values, group in here.groupby(keys, sort=True):
            lines.append((Cell(name), HERE, *(Cell(str(value)) for value in (*values, group["seed"].nunique()))))
    header = ("data set", "source", "train", "test", "features", "classes", "network", "epochs", "seeds")
    return Table("table1", "Table I. Data sets and networks", header, tuple(lines))


def table2(rows: pd.DataFrame) -> Table:
    """Table II: URE-MAE and the transformed baselines."""
    standard = select(rows, batch_size=STANDARD_BATCH)
    columns = _columns(MAIN, standard)
    # The letters have a table of their own, V, and no baselines: here they would be a line of holes.
    standard = standard[standard["method"].isin(columns) & (standard["dataset"] != LETTERS)]
    lines: list[tuple[Cell, ...]] = []
    for p_yes in P_YES:
        for name in _names(SIX, standard):
            label = (Cell(f"{p_yes}"), Cell(name))
            if name in SIX:
                lines.append((*label, PAPER, *paper_cells(2, columns, dataset=name, p_yes=p_yes)))
            lines.append((*label, HERE, *our_cells(standard, columns, dataset=name, p_yes=p_yes)))
    caption = "Table II. Test accuracy (%) under the MAE loss, against transformed baselines"
    header = ("P(s=1)", "data set", "source", *columns)
    return Table("table2", caption, header, tuple(lines), (BEST_NOTE, seeds_note(standard)))


def table3(rows: pd.DataFrame) -> Table:
    """Table III: the corrections under the GCE loss. Data sets are columns, so a block is down a column."""
    standard = _corrections(rows)
    columns = _names(SIX, standard)
    lines: list[tuple[Cell, ...]] = []
    for p_yes in P_YES:
        paper = [
            paper_cells(3, CORRECTIONS, dataset=name, p_yes=p_yes) if name in SIX else [ABSENT] * 3 for name in columns
        ]
        ours = [our_cells(standard, CORRECTIONS, dataset=name, p_yes=p_yes) for name in columns]
        for index, method in enumerate(CORRECTIONS):
            label = (Cell(f"{p_yes}"), Cell(method))
            lines.append((*label, PAPER, *(column[index] for column in paper)))
            lines.append((*label, HERE, *(column[index] for column in ours)))
    caption = "Table III. Test accuracy (%) of the corrections under the GCE loss"
    header = ("P(s=1)", "method", "source", *columns)
    return Table("table3", caption, header, tuple(lines), (BEST_NOTE, seeds_note(standard)))


def table4(rows: pd.DataFrame) -> Table:
    """Table IV: paired differences to the raw objective under GCE at P(s=1) = 0.7, with 95 % t intervals."""
    hard = select(_corrections(rows), p_yes=0.7)
    published = paper_table(4)
    lines: list[tuple[Cell, ...]] = []
    for name in _names(("KMNIST", "SVHN"), hard):
        for better in ("GCE-NN", "GCE-ABS"):
            comparison = f"{better} - GCE-URE"
            paper: tuple[Cell, Cell] = (ABSENT, ABSENT)
            for entry in select(published, dataset=name, comparison=comparison).to_dict("records"):
                ends = entry["ci95_low"], entry["ci95_high"]
                paper = interval_cells(entry["mean_paired_difference"], *ends, pale=True)
            ours = paired_cells(select(hard, dataset=name), better, "GCE-URE")
            lines.append((Cell(name), Cell("0.7"), Cell(comparison), *paper, *ours))
    header = (
        "data set",
        "P(s=1)",
        "comparison",
        "paper: mean",
        "paper: 95 % CI",
        "here: mean",
        "here: 95 % CI",
        "seeds",
    )
    note = "Differences within seeds: the same subsets, answers and initial weights for both methods; t interval."
    caption = "Table IV. Paired differences in test accuracy (points) under the GCE loss"
    return Table("table4", caption, header, tuple(lines), (note, seeds_note(hard)))


def table5(rows: pd.DataFrame) -> Table:
    """Table V: EMNIST-Letters, k = 26."""
    standard = select(rows, batch_size=STANDARD_BATCH, dataset=LETTERS)
    columns = _columns((*CORRECTIONS, "URE-MAE"), standard)
    standard = standard[standard["method"].isin(columns)]
    lines: list[tuple[Cell, ...]] = []
    for p_yes in P_YES:
        lines.append((Cell(f"{p_yes}"), PAPER, *paper_cells(5, columns, p_yes=p_yes)))
        lines.append((Cell(f"{p_yes}"), HERE, *our_cells(standard, columns, p_yes=p_yes)))
    caption = "Table V. Test accuracy (%) on EMNIST-Letters, 26 classes"
    return Table("table5", caption, ("P(s=1)", "source", *columns), tuple(lines), (BEST_NOTE, seeds_note(standard)))


def table6(rows: pd.DataFrame) -> Table:
    """Table VI: the batch size, on KMNIST."""
    columns = ("URE-MAE", "GCE-URE", "GCE-NN", "GCE-ABS")
    compared = rows[rows["method"].isin(columns)]
    swept = compared[compared["dataset"].isin(swept_datasets(compared))]
    lines: list[tuple[Cell, ...]] = []
    for name in _names(("KMNIST",), swept):
        for p_yes in P_YES:
            for batch_size in BATCH_SIZES:
                where = {"p_yes": p_yes, "batch_size": batch_size}
                label = (Cell(name), Cell(f"{p_yes}"), Cell(str(batch_size)))
                if name == "KMNIST":
                    lines.append((*label, PAPER, *paper_cells(6, columns, **where)))
                lines.append((*label, HERE, *our_cells(select(swept, dataset=name), columns, **where)))
    caption = "Table VI. Effect of the batch size on test accuracy (%)"
    header = ("data set", "P(s=1)", "batch", "source", *columns)
    return Table("table6", caption, header, tuple(lines), (BEST_NOTE, seeds_note(swept)))


TABLES: dict[str, Callable[[pd.DataFrame], Table]] = {
    "table1": table1,
    "table2": table2,
    "table3": table3,
    "table4": table4,
    "table5": table5,
    "table6": table6,
}


def _names(of_the_paper: tuple[str, ...], rows: pd.DataFrame) -> tuple[str, ...]:
    """The paper's data sets in its order, then the others that were run."""
    return (*of_the_paper, *(name for name in rows["dataset"].unique() if name not in of_the_paper))


def _columns(of_the_paper: tuple[str, ...], rows: pd.DataFrame) -> tuple[str, ...]:
    """The paper's methods, then the likelihood and methods from outside where they were run."""
    run = set(rows["method"])
    return (*of_the_paper, *(name for name in ("Likelihood", *from_outside()) if name in run))


def _corrections(rows: pd.DataFrame) -> pd.DataFrame:
    standard = select(rows, batch_size=STANDARD_BATCH)
    return standard[standard["method"].isin(CORRECTIONS)]
