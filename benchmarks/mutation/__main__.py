"""Make mistakes in a sample of places, and keep what became of them.

    python -m benchmarks.mutation [--sample 100] [--seed 0] [PACKAGE ...]
    python -m benchmarks.mutation --rest             # only those of the sample that no test is known to notice

Rows go to results/mutation.csv as they come, so that a run that was stopped goes on with `--rest`;
`python -m benchmarks.pages` then tells the shares.
"""

import argparse
from functools import partial
from typing import Any

import pandas as pd

from benchmarks.mutation import COLUMNS, PACKAGES, ROWS, read
from benchmarks.mutation.mutants import Mutant, drawn
from benchmarks.mutation.trials import try_all


def place(row: Any) -> tuple[str, int, int, str]:
    """What tells a mutant, or its row, from the others."""
    return row.file, row.line, row.column, row.change


def keep(package: str, mutant: Mutant, by: str) -> None:
    """Write a row, in place of the mutant's last one."""
    old = read()
    others = old[[place(row) != place(mutant) for row in old.itertuples()]]
    write(pd.concat([others, pd.DataFrame([(package, *place(mutant), by)], columns=COLUMNS)]))


def write(rows: pd.DataFrame) -> None:
    """All rows, sorted."""
    part = ROWS.with_suffix(".part")
    rows.sort_values(list(COLUMNS[:4])).to_csv(part, index=False)
    part.replace(ROWS)


def main() -> None:
    """Package by package."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", default=list(PACKAGES))
    parser.add_argument("--sample", type=int, default=100, help="mutants a package, or fewer if it has fewer")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rest", action="store_true", help="only those of the sample that no test is known to notice")
    options = parser.parse_args()
    for package in options.packages:
        sample = drawn(package, options.sample, options.seed)
        here, old = {place(mutant) for mutant in sample}, read()
        write(old[[row.package != package or place(row) in here for row in old.itertuples()]])
        last = {place(row): str(row.killed_by) for row in old.itertuples()}
        chosen = [(mutant, last.get(place(mutant), "")) for mutant in sample]
        try_all(package, [(mutant, by) for mutant, by in chosen if not (options.rest and by)], partial(keep, package))


if __name__ == "__main__":
    main()
