"""Make mistakes in a sample of places, and keep which test notices each.

    python -m benchmarks.mutation [--sample 100] [--seed 0] [PACKAGE ...]
    python -m benchmarks.mutation --unnoticed        # only those of the sample that no test is known to notice

Rows go to results/mutation.csv one by one, so that a run that was stopped goes on with `--unnoticed`;
`python -m benchmarks.pages` then puts the shares into the pages.
"""

import argparse
from functools import partial
from typing import Any

import pandas as pd

from benchmarks.mutation import COLUMNS, PACKAGES, ROWS, read
from benchmarks.mutation.mutants import Mutant, drawn
from benchmarks.mutation.trials import try_all


def place(row: Any) -> tuple[str, int, int, str]:
    """What identifies a mutant, or its row."""
    return row.file, row.line, row.column, row.change


def keep(package: str, mutant: Mutant, by: str) -> None:
    """Write a row, in place of the mutant's last one."""
    old = read()
    others = old[[place(row) != place(mutant) for row in old.itertuples()]]
    write(pd.concat([others, pd.DataFrame([(package, *place(mutant), by)], columns=COLUMNS)]))


def write(rows: pd.DataFrame) -> None:
    """Replace the file by these rows, sorted. Without the library, which must not be loaded before the mutants."""
    part = ROWS.with_suffix(".part")
    rows.sort_values(list(COLUMNS[:4])).to_csv(part, index=False)
    part.replace(ROWS)


def main() -> None:
    """Try the mutants of one package after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", default=list(PACKAGES))
    parser.add_argument("--sample", type=int, default=100, help="mutants of each package, or all if it has fewer")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--unnoticed", action="store_true", help="only those that no test is known to notice")
    options = parser.parse_args()
    for package in options.packages:
        sample = drawn(package, options.sample, options.seed)
        here, old = {place(mutant) for mutant in sample}, read()
        write(old[[row.package != package or place(row) in here for row in old.itertuples()]])
        last = {place(row): str(row.killed_by) for row in old.itertuples()}
        chosen = [(mutant, last.get(place(mutant), "")) for mutant in sample]
        try_all(
            package, [(mutant, by) for mutant, by in chosen if not (options.unnoticed and by)], partial(keep, package)
        )


if __name__ == "__main__":
    main()
