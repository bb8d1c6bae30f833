"""Do label-free intervals contain the truth as often as they promise, in every situation that judging meets?

`situations` lists them, `questions`, `noise` and `skips` simulate data sets, and `python -m benchmarks.coverage` keeps
a row for each situation in results/coverage.csv. `before` is the share of intervals that contained the truth as the
first edition would have judged (answers taken as exact, skips left out, rates taken as known, one look), `after` the
same as judged now, and `refused` the share of data sets that are refused.
"""

import zlib
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import pages
from benchmarks.coverage.situations import Situation, situations
from oneof.files.atomic import replacing

ROWS = pages.RESULTS / "coverage.csv"


def simulate(case: Situation, times: int) -> dict[str, Any]:
    """The row of one situation."""
    # The name of a situation is its seed, so that its draws do not depend on the other situations.
    rng = np.random.default_rng(zlib.crc32(case.name.encode()))
    before, after, widths, refused = [], [], [], 0
    for _ in range(times):
        truth, judge_before, judge = case.draw(rng, case.n)
        if judge_before is not None:
            found = judge_before()
            before.append(found.low <= truth <= found.high)
        try:
            found = judge()
        except ValueError:
            refused += 1
            continue
        after.append(found.low <= truth <= found.high)
        widths.append(found.width)
    row: dict[str, Any] = {"situation": case.name, "n": case.n, "accuracy": truth, "times": times}
    row |= {"promise": case.promise, "before": float(np.mean(before)) if before else np.nan}
    row |= {"after": float(np.mean(after)) if after else np.nan, "width": float(np.mean(widths)) if after else np.nan}
    row |= {"refused": refused / times}
    return row


def keep(row: dict[str, Any]) -> None:
    """Put a row into the file, in place of an older one, in the order of the situations."""
    old = pd.read_csv(ROWS) if ROWS.exists() else pd.DataFrame(columns=list(row))
    names = [case.name for case in situations()]
    others = old[(old["situation"] != row["situation"]) & old["situation"].isin(names)]
    rows = pd.concat([part for part in (others, pd.DataFrame([row])) if len(part)])
    rows = rows.sort_values("situation", key=lambda column: column.map(names.index))
    with replacing(ROWS) as part:
        rows.round(4).to_csv(part, index=False, lineterminator="\n")


def facts() -> dict[str, str]:
    """Texts for the pages, from the rows."""
    rows = pd.read_csv(ROWS)
    shown = {
        "situation": rows["situation"],
        "n": rows["n"].map("{:,}".format),
        "truth": (100 * rows["accuracy"]).map("{:.0f} %".format),
        "data sets": rows["times"].map("{:,}".format),
        "promise": rows["promise"],
        "covered before": (100 * rows["before"]).map("{:.1f} %".format, na_action="ignore"),
        "covered now": (100 * rows["after"]).map("{:.1f} %".format, na_action="ignore"),
        "mean width": rows["width"].map("{:.3f}".format, na_action="ignore"),
        "refused": (100 * rows["refused"]).map("{:.1f} %".format),
    }
    known = set(rows["situation"])
    missing = [{"situation": case.name, "n": f"{case.n:,}", "data sets": "not run"} for case in situations()]
    missing = [row for row in missing if row["situation"] not in known]
    table = pd.concat([pd.DataFrame(shown), pd.DataFrame(missing)]).fillna("")
    return {"table": pages.table(table), "error": f"{100 * np.sqrt(0.05 * 0.95 / rows['times'].min()):.1f}"}
