"""Which runs a table or figure still needs, and about how long they take; nothing is trained to find out.

The time of a run is estimated from finished runs: of the same network on the same data set, else of the same network by
epochs and items, else of any network by its rough cost. Rows have the time of one thread.
"""

from dataclasses import replace
from statistics import median

import pandas as pd

from oneof.datasets import info
from oneof.experiments.cells import ABSENT
from oneof.experiments.grid import needed
from oneof.experiments.progress import work
from oneof.experiments.protocol import Preset, RunSpec
from oneof.experiments.selection import chosen, chosen_budget, comparisons, stages
from oneof.experiments.table_format import Cell, Table


def missing(key: str, preset: Preset, rows: pd.DataFrame) -> tuple[list[RunSpec], list[RunSpec]]:
    """The runs of the search that are not finished, and those of the table.

    Where something is still to be chosen, the runs that depend on it count as missing, and a second stage of the search
    may follow the first.
    """
    specs = needed(key, preset)
    finished = set(rows["run"])
    compared = [spec for spec in comparisons(specs, preset, rows) if spec.run not in finished]
    search = [*stages(specs, preset, rows), *compared]
    waiting = [spec for spec in specs if stages([spec], preset, rows)]
    ready = [chosen(spec, preset, rows) for spec in specs if spec not in set(waiting)]
    return search, [*(spec for spec in ready if spec.run not in finished), *waiting]


def seconds(spec: RunSpec, rows: pd.DataFrame) -> float:
    """About how long a run takes on one thread; NaN where there is no finished run to estimate it from."""
    same = rows[(rows["backbone"] == spec.network) & (rows["seconds"] > 0)]
    here = same[same["dataset"] == info(spec.dataset).title]
    if len(here):
        return float(median(here["seconds"] / here["epochs"])) * spec.epochs
    if len(same):
        items = info(spec.dataset).paper_sizes[0]
        return float(median(same["seconds"] / same["epochs"] / same["train_items"])) * spec.epochs * items
    known = [(RunSpec.from_json(text), took) for text, took in zip(rows["configuration"], rows["seconds"], strict=True)]
    paces = [took / work(done) / done.epochs for done, took in known if took > 0]
    return median(paces) * work(spec) * spec.epochs if paces else float("nan")


def outstanding(key: str, preset: Preset, rows: pd.DataFrame, workers: int) -> Table:
    """A line per data set: what it is trained with, how many runs are done and missing, and the hours.

    key: a table or figure, "all" or "leaderboard". rows: the finished runs of a results folder, of any preset. workers:
    how many runs are done side by side.
    """
    search, runs = missing(key, preset, rows)
    everything = needed(key, preset)
    lines: list[tuple[Cell, ...]] = []
    total = 0.0
    for name in dict.fromkeys(spec.dataset for spec in everything):
        wanted = [spec for spec in everything if spec.dataset == name]
        left = [spec for spec in runs if spec.dataset == name]
        first = [spec for spec in search if spec.dataset == name]
        hours = sum(seconds(spec, rows) for spec in (*first, *left)) / 3600 / workers
        total += hours
        first_run = replace(wanted[0], **chosen_budget(name, preset, rows).settings())
        numbers = (first_run.epochs, len(wanted) - len(left), len(left), len(first))
        cells = (Cell(str(number)) for number in numbers)
        lines.append((Cell(info(name).title), Cell(first_run.network), *cells, _hours(hours)))
    header = ("data set", "network", "epochs", "done", "missing", "of the search", "hours")
    caption = f"What {key} still needs, preset {preset.name}: {len(runs)} runs and {len(search)} of the search"
    notes = (
        f"{_hours(total).text} hours in all, with {workers} run{'s' if workers > 1 else ''} side by side, judged by "
        "the runs that are finished.",
    )
    return Table("outstanding", caption, header, tuple(lines), notes)


def _hours(hours: float) -> Cell:
    return ABSENT if hours != hours else Cell(f"{hours:.1f}")
