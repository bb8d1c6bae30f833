"""From rows to the entries of a table: mean ± deviation, the paper's figure, or "not run"."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from oneof.experiments.paper_numbers import paper_table
from oneof.experiments.statistics import Summary, best, paired_difference, summarise
from oneof.experiments.table_format import Cell

NOT_RUN = Cell("not run", pale=True)
ABSENT = Cell("–", pale=True)


def select(rows: pd.DataFrame, **where: Any) -> pd.DataFrame:
    """The rows whose columns have the given values.

    >>> select(pd.DataFrame({"a": [1, 2], "b": [3, 4]}), a=2).to_dict("records")
    [{'a': 2, 'b': 4}]
    """
    chosen = np.ones(len(rows), dtype=np.bool_)
    for column, value in where.items():
        chosen &= (rows[column] == value).to_numpy(dtype=np.bool_)
    return rows[chosen]


def blocks(rows: pd.DataFrame) -> Iterator[tuple[str, float, pd.DataFrame]]:
    """Each data set and P(s=1) with their rows, data sets in order of appearance.

    >>> table = pd.DataFrame({"dataset": ["b", "a", "b"], "p_yes": [0.7, 0.3, 0.3]})
    >>> [(dataset, p_yes, len(group)) for dataset, p_yes, group in blocks(table)]
    [('b', 0.3, 1), ('b', 0.7, 1), ('a', 0.3, 1)]
    """
    for dataset in rows["dataset"].unique():
        for p_yes in sorted(rows.loc[rows["dataset"] == dataset, "p_yes"].unique()):
            yield str(dataset), float(p_yes), select(rows, dataset=dataset, p_yes=p_yes)


def swept_datasets(rows: pd.DataFrame) -> list[str]:
    """The data sets that were run at several batch sizes."""
    sizes = rows.groupby("dataset")["batch_size"].nunique()
    return list(sizes.index[sizes > 1])


def plus_minus(mean: float, std: float) -> str:
    """Mean and deviation as the paper prints them, "mean ± std"; a single seed has no deviation.

    >>> plus_minus(95.4, 0.162), plus_minus(95.4, float("nan"))
    ('95.40 ± 0.16', '95.40')
    """
    return f"{mean:.2f}" if pd.isna(std) else f"{mean:.2f} ± {std:.2f}"


def our_cells(rows: pd.DataFrame, methods: Sequence[str], **where: Any) -> list[Cell]:
    """A cell for each method from our rows, the best in bold."""
    chosen = select(rows, **where)
    accuracies = [select(chosen, method=method)["test_accuracy"] for method in methods]
    return _cells([summarise(values) if len(values) else None for values in accuracies], NOT_RUN, pale=False)


def paper_cells(number: int, methods: Sequence[str], **where: Any) -> list[Cell]:
    """A cell for each method from the paper's table, the best in bold; a method it does not have is a dash."""
    chosen = select(paper_table(number), **where).set_index("method")
    summaries = [
        Summary(float(chosen["accuracy_mean"][method]), float(chosen["accuracy_std"][method]), 5)
        if method in chosen.index
        else None
        for method in methods
    ]
    return _cells(summaries, ABSENT, pale=True)


def paired_cells(rows: pd.DataFrame, better: str, base: str) -> tuple[Cell, Cell, Cell]:
    """Mean difference of two methods within seeds, its interval and the number of seeds, from our rows."""
    results = [select(rows, method=name).set_index("seed")["test_accuracy"] for name in (better, base)]
    shared = results[0].index.intersection(results[1].index)
    if shared.empty:
        return NOT_RUN, ABSENT, ABSENT
    difference = paired_difference(results[0], results[1])
    mean, interval = interval_cells(difference.mean, difference.low, difference.high)
    return mean, interval, Cell(str(difference.n))


def interval_cells(mean: float, low: float, high: float, *, pale: bool = False) -> tuple[Cell, Cell]:
    """A mean and its interval; one seed has no interval."""
    interval = ABSENT if pd.isna(low) else Cell(f"[{low:.2f}, {high:.2f}]", pale=pale)
    return Cell(f"{mean:.2f}", pale=pale), interval


def seeds_note(rows: pd.DataFrame) -> str:
    """A sentence that says how many seeds each data set had and how it was trained."""
    if rows.empty:
        return "Nothing was run here."
    parts = []
    for name, group in rows.groupby("dataset", sort=False):
        seeds = group.groupby(["p_yes", "method", "batch_size"])["seed"].nunique()
        count = f"{seeds.min()}" if seeds.min() == seeds.max() else f"{seeds.min()} to {seeds.max()}"
        networks = ", ".join(sorted(group["backbone"].unique()))
        epochs = ", ".join(str(number) for number in sorted(group["epochs"].unique()))
        parts.append(f"{name}: {networks}, {epochs} epochs, seeds: {count}")
    return "Here: " + "; ".join(parts) + "."


def _cells(summaries: Sequence[Summary | None], missing: Cell, *, pale: bool) -> list[Cell]:
    bold = best([None if summary is None else summary.mean for summary in summaries])
    return [
        missing if summary is None else Cell(plus_minus(summary.mean, summary.std), is_best, pale)
        for summary, is_best in zip(summaries, bold, strict=True)
    ]
