"""Texts about the leaderboard for the front page, from the rows of `oneof reproduce leaderboard`."""

import pandas as pd

from benchmarks.pages import RESULTS

WORDS = ("no", "one", "two", "three", "four", "five")


def facts() -> dict[str, str]:
    """In how many cells the likelihood passes the paper's best, and over how many seeds."""
    cells = pd.read_csv(RESULTS / "leaderboard.csv").query("objective == 'Likelihood'")
    passed, least, most = int(cells["passes"].sum()), int(cells["seeds"].min()), int(cells["seeds"].max())
    share = f"all {passed} cells" if passed == len(cells) else f"{passed} of {len(cells)} cells"
    seeds = f"{WORDS[least]} to {WORDS[most]}" if least < most else WORDS[most]
    return {"passed": share, "seeds": f"{seeds} seeds"}
