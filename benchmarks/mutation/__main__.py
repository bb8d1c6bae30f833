"""Make mistakes in a sample of places, and keep what became of them.

    python -m benchmarks.mutation [--sample 100] [--seed 0] [PACKAGE ...]
    python -m benchmarks.mutation --survivors        # only those of the sample that no test noticed the last time

Rows go to results/mutation.csv, package by package; `python -m benchmarks.pages` then tells the shares.
"""

import argparse
from typing import Any

import pandas as pd

from benchmarks.mutation import COLUMNS, PACKAGES, ROWS, read
from benchmarks.mutation.mutants import drawn
from benchmarks.mutation.trials import outcomes


def place(row: Any) -> tuple[str, int, int, str]:
    """What tells a mutant, or its row, from the others."""
    return row.file, row.line, row.column, row.change


def main() -> None:
    """Package by package."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", default=list(PACKAGES))
    parser.add_argument("--sample", type=int, default=100, help="mutants a package, or fewer if it has fewer")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--survivors", action="store_true", help="only those of the sample that survived the last time")
    options = parser.parse_args()
    for package in options.packages:
        old = read()
        last = {place(row): str(row.killed_by) for row in old.itertuples()}
        chosen = drawn(package, options.sample, options.seed)
        if options.survivors:
            chosen = [mutant for mutant in chosen if last.get(place(mutant)) == ""]
        found = outcomes(package, [(mutant, last.get(place(mutant), "")) for mutant in chosen])
        rows = [(package, *place(mutant), by) for mutant, by in found]
        again = {row[1:5] for row in rows}
        kept = [row.package != package or (options.survivors and place(row) not in again) for row in old.itertuples()]
        part = ROWS.with_suffix(".part")
        new = pd.concat([old[kept], pd.DataFrame(rows, columns=COLUMNS)])
        new.sort_values(list(COLUMNS[:4])).to_csv(part, index=False)
        part.replace(ROWS)


if __name__ == "__main__":
    main()
