"""Simulate every situation, and keep a row for each.

    python -m benchmarks.coverage [--times 1000] [--only "gold answers each"]

With --only the rows of other situations stay as they are. `python -m benchmarks.pages` then makes the table in
docs/coverage.md.
"""

import argparse
import re

from benchmarks.coverage import keep, simulate
from benchmarks.coverage.situations import situations


def main() -> None:
    """Simulate and keep the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=1000, help="data sets for each situation")
    parser.add_argument("--only", default="", metavar="PATTERN", help="situations whose name this is found in")
    options = parser.parse_args()
    for case in situations():
        if re.search(options.only, case.name):
            row = simulate(case, options.times)
            print(row, flush=True)
            keep(row)


if __name__ == "__main__":
    main()
