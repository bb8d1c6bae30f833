"""Texts about the leaderboard for the front page, from the rows of `oneof reproduce leaderboard`."""

import pandas as pd

from benchmarks.pages import RESULTS
from oneof.experiments.leaderboard_page import likelihood_in_table2
from oneof.experiments.store import Results

WORDS = ("no", "one", "two", "three", "four", "five")


def facts() -> dict[str, str]:
    """How often the likelihood passes the paper's best, over how many seeds, under which recipe; its gap to labels."""
    cells = pd.read_csv(RESULTS / "leaderboard.csv").query("objective == 'Likelihood'")
    passed, least, most = int(cells["passes"].sum()), int(cells["seeds"].min()), int(cells["seeds"].max())
    share = f"all {passed} cells" if passed == len(cells) else f"{passed} of {len(cells)} cells"
    seeds = f"{WORDS[least]} to {WORDS[most]}" if least < most else WORDS[most]
    names, best = likelihood_in_table2(Results(RESULTS).evidence("cpu").rows)
    below = (cells["supervised"] - cells["accuracy_mean"]).groupby(cells["dataset"]).max().dropna().sort_values()
    ends = [f"{points:.1f} ({name})" for name, points in (*below.head(1).items(), *below.tail(1).items())]
    return {
        "passed": share,
        "seeds": f"{seeds} seeds",
        "paper-recipe": f"{len(best)} of {len(names)} cells",
        "below": f"{ends[0]} to {ends[1]} points",
    }
