"""The leaderboard: for each of the paper's 21 cells the best number, ours, and full supervision."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from oneof.datasets import info
from oneof.experiments.cells import ABSENT, NOT_RUN, plus_minus, select
from oneof.experiments.grid import needed
from oneof.experiments.methods import LEADERBOARD, SUPERVISED
from oneof.experiments.paper_numbers import paper_best
from oneof.experiments.protocol import preset
from oneof.experiments.selection import shown, waiting
from oneof.experiments.statistics import mean_interval, summarise
from oneof.experiments.store import Evidence, Results
from oneof.experiments.table_format import Cell, Table

DERIVED, BEFORE = " †", " ‡"

_ACCURACIES = ("accuracy_mean", "accuracy_std", "supervised")
COLUMNS = (
    "dataset", "p_yes", "objective", "accuracy_mean", "accuracy_std", "seeds", "minutes", "paper_best", "supervised",
    "passes",
)  # fmt: skip


def leaderboard_runs(results: Results, preset_name: str = "fast") -> Evidence:
    """The rows of the leaderboard's runs, those of one recipe for each data set (see `selection.shown_budget`)."""
    recipe = preset(preset_name)
    return results.evidence(preset_name).of(shown(needed("leaderboard", recipe), recipe, results.rows()))


def not_shown_yet(rows: pd.DataFrame, preset_name: str = "fast") -> dict[str, str]:
    """The titles of data sets whose cells wait for runs of the chosen recipe, and how many of these are finished.

    rows: of all finished runs, the search included.
    """
    recipe = preset(preset_name)
    return {info(name).title: runs for name, runs in waiting(needed("leaderboard", recipe), recipe, rows).items()}


def leaderboard(rows: pd.DataFrame) -> pd.DataFrame:
    """One row for each cell and objective that were run, with the columns of `COLUMNS`.

    rows: of the fast recipe. Those of the method "Supervised" give the ceiling; full supervision does not depend on the
    questions, so that a ceiling from any P(s=1) counts for all. Accuracies are in per cent, minutes are the mean of a
    run, and `passes` says whether our mean is above the paper's best.
    """
    lines = []
    for cell in paper_best().to_dict("records"):
        runs = select(rows, dataset=cell["dataset"])
        ceiling = select(runs, method=SUPERVISED)["test_accuracy"]
        runs = runs[(runs["p_yes"] == cell["p_yes"]) & runs["method"].isin(LEADERBOARD)]
        for method, group in runs.groupby("method", sort=False):
            result = summarise(group["test_accuracy"])
            lines.append(
                {
                    "dataset": cell["dataset"],
                    "p_yes": cell["p_yes"],
                    "objective": method,
                    "accuracy_mean": result.mean,
                    "accuracy_std": result.std,
                    "seeds": result.n,
                    "minutes": group["seconds"].mean() / 60,
                    "paper_best": cell["accuracy_mean"],
                    "supervised": ceiling.mean() if len(ceiling) else float("nan"),
                    "passes": result.mean > cell["accuracy_mean"],
                }
            )
    return pd.DataFrame(lines, columns=list(COLUMNS))


def leaderboard_csv(rows: pd.DataFrame) -> str:
    """The lines of `leaderboard` as a CSV file, rounded."""
    return leaderboard(rows).round({**dict.fromkeys(_ACCURACIES, 3), "minutes": 1}).to_csv(index=False)


def leaderboard_table(rows: pd.DataFrame, behind: Mapping[str, str] | None = None) -> Table:
    """The leaderboard as a table of 21 lines, one column per objective; a mean above the paper's best is bold.

    behind: data sets that show the recipe set by hand, as `not_shown_yet` finds them.
    """
    behind = behind or {}
    board = leaderboard(rows)
    objectives = list(board["objective"].unique())
    derived = set(rows.loc[~rows["official_files"].astype(bool), "dataset"])
    lines: list[tuple[Cell, ...]] = []
    for cell in paper_best().to_dict("records"):
        entries = select(board, dataset=cell["dataset"], p_yes=cell["p_yes"]).to_dict("records")
        ours = {entry["objective"]: entry for entry in entries}
        results = [_result(ours.get(name)) for name in objectives] or [NOT_RUN]
        lines.append(
            (
                Cell(
                    f"{cell['dataset']}{DERIVED if cell['dataset'] in derived else ''}"
                    f"{BEFORE if cell['dataset'] in behind else ''}"
                ),
                Cell(str(cell["p_yes"])),
                Cell(f"{cell['accuracy_mean']:.2f} ({cell['method']})", pale=True),
                *results,
                _range([entry["supervised"] for entry in entries if not pd.isna(entry["supervised"])], ".2f"),
                _range([entry["minutes"] for entry in entries], ".1f"),
                _range([entry["seeds"] for entry in entries], "d"),
            )
        )
    header = ("data set", "P(s=1)", "paper's best", *(objectives or ["here"]), "supervised", "minutes", "seeds")
    caption = "Leaderboard. The fast recipe against the paper's best number of each cell (test accuracy, %)"
    return Table("leaderboard", caption, header, tuple(lines), tuple(_notes(board, rows, len(lines), behind)))


def _result(entry: Mapping[Any, Any] | None) -> Cell:
    if entry is None:
        return NOT_RUN
    return Cell(plus_minus(entry["accuracy_mean"], entry["accuracy_std"]), bold=bool(entry["passes"]))


def _range(values: list[Any], form: str) -> Cell:
    if not values:
        return ABSENT
    ends = [format(end, form) for end in (min(values), max(values))]
    return Cell(ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}")


def _interval(rows: pd.DataFrame, entry: Mapping[Any, Any]) -> tuple[float, float]:
    runs = select(rows, dataset=entry["dataset"], p_yes=entry["p_yes"], method=entry["objective"])
    return mean_interval(runs["test_accuracy"])


def _notes(board: pd.DataFrame, rows: pd.DataFrame, cells: int, behind: Mapping[str, str]) -> list[str]:
    notes = [
        f"{name}: {group['passes'].sum()} of {len(group)} cells pass the paper's best (bold)"
        f"{'.' if len(group) == cells else f'; {cells - len(group)} were not run.'}"
        for name, group in board.groupby("objective", sort=False)
    ]
    for name, group in board[board["passes"].astype(bool)].groupby("objective", sort=False):
        if doubtful := [
            f"{entry['dataset']} {entry['p_yes']} (by {entry['accuracy_mean'] - entry['paper_best']:.2f})"
            for entry in group.to_dict("records")
            if not _interval(rows, entry)[0] > entry["paper_best"]
        ]:
            notes.append(
                f"{name}: where the 95 % t interval over our seeds, if there are two or more, does not lie above "
                f"the paper's mean as a whole, the seeds do not settle it: {', '.join(doubtful)}."
            )
    for name, group in board.dropna(subset="supervised").groupby("objective", sort=False):
        below = (group["supervised"] - group["accuracy_mean"]).groupby(group["dataset"], sort=False).max()
        worst = ", ".join(f"{dataset} {points:.2f}" for dataset, points in below.items())
        notes.append(f"{name}, points below full supervision in each data set's worst cell: {worst}.")
    for threads in sorted(rows["threads"].unique()):
        cores = f"{threads} CPU thread{'s' if threads > 1 else ''}"
        notes.append(f"Minutes: wall-clock time of training a run on {cores}, often beside other work on the machine.")
    for name in rows.loc[~rows["official_files"].astype(bool), "dataset"].unique():
        notes.append(
            f"{name}{DERIVED}: the files here are a derived copy, not the official ones that the paper used; its cells "
            "compare like with nearly like."
        )
    for name, runs in behind.items():
        notes.append(
            f"{name}{BEFORE}: the recipe that was set by hand. Held-out answers chose another one, which has {runs} so "
            "far; it is shown once each cell that has a number here has one of its runs."
        )
    return [*notes, "Supervised: the same network and recipe trained with every label, the ceiling."]
