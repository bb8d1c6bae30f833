"""Do the tests notice? Small mistakes are made in the source, one at a time, and the tests are run on each.

`mutants` finds where a mistake can be made, `trials` tries one, and `python -m benchmarks.mutation` keeps a row for
each mutant in results/mutation.csv, with the test that killed it, if one did.
"""

from pathlib import Path

import pandas as pd

from benchmarks.mutation.reasons import WHY

PACKAGES = ("objectives", "evaluation", "answers", "queries", "noise")
ROWS = Path(__file__).parent.parent.parent / "results" / "mutation.csv"
COLUMNS = ("package", "file", "line", "column", "change", "killed_by")


def read() -> pd.DataFrame:
    """The rows; `killed_by` is empty for survivors."""
    return pd.read_csv(ROWS, keep_default_na=False) if ROWS.exists() else pd.DataFrame(columns=COLUMNS)


def facts() -> dict[str, str]:
    """Texts for the pages, from the rows."""
    from benchmarks.pages import table  # not above: this loads the library, and mutants have to come before it

    rows = read()
    killed = rows["killed_by"] != ""
    parts = rows.assign(killed=killed).groupby("package", sort=False)["killed"].agg(["sum", "size", "mean"])
    shown = pd.DataFrame(
        {
            "package": [f"`{name}`" for name in parts.index],
            "mistakes": parts["size"],
            "noticed": parts["sum"],
            "share": (100 * parts["mean"]).map("{:.0f} %".format),
        }
    )
    left = rows[~killed]
    files = left["file"].str.removeprefix("src/oneof/")
    whys = [WHY.get(key, "no test notices it yet") for key in zip(files, left["change"], strict=True)]
    survivors = pd.DataFrame(
        {
            "where": [f"`{file}`, line {line}" for file, line in zip(files, left["line"], strict=True)],
            "mistake": ["`" + change.replace("|", "\\|") + "`" for change in left["change"]],
            "why": whys,
        }
    )
    return {"table": table(shown), "share": f"{100 * killed.mean():.0f}", "survivors": table(survivors)}
