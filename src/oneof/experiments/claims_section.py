"""The claims on the reproduction page: a section with a table of verdicts, and one with the effects behind each."""

from collections import Counter
from collections.abc import Mapping, Sequence

import pandas as pd

from oneof.experiments.cells import select
from oneof.experiments.claims import CLAIMS
from oneof.experiments.lost_classes import lost_counts
from oneof.experiments.store import Evidence
from oneof.experiments.verdicts import AGAINST, HOLDS, OPEN, STATUSES, UNTESTED, Verdict, coverage, judge

MARKS = {HOLDS: "✔", AGAINST: "✘", OPEN: "?", UNTESTED: "○"}
STANDINGS = {"holds": "", "against": "**against:** ", "open": "open: "}
BESIDE = ", beside the claim"

RULE = (
    "Each claim is the paper's, in our words, with what we measure. *Paper* counts the published cells whose means "
    "agree with the claim (no number where only a figure shows it). *Here* is decided by 95 % t intervals over seeds, "
    "of differences within a seed. A claim **holds** if the interval is on its side of zero in every cell that has one "
    "(where it says *often*, in most). It **does not hold** if the interval of a cell is on the other side. Otherwise "
    "it **cannot be told at this budget**: a cell with one seed has no interval and decides nothing. Each interval is "
    "for its own cell; among many, one in twenty may miss. A claim about corrections is tested only in cells where "
    "the raw risk of some batch was negative, so that there was something to correct."
)
NETWORKS = (
    "The networks are not the paper's, and one was changed after its results were seen: KMNIST was first run with a "
    "multilayer perceptron with dropout (`cpu-dropout`), showed far less overfitting than the paper, and was run again "
    "without (`cpu-mlp`, with EMNIST-Letters). The strided CNN of `cpu` was then chosen for its speed and because the "
    "paper has a CNN there; its width of 8 was fixed after one trial of three epochs on KMNIST, with knowledge of its "
    "test accuracy (86.3 %, and 88.8 % with 12), and before any run that is shown. All three are shown side by side."
)


def claims_section(name: str, evidence: Evidence, others: Mapping[str, Evidence]) -> list[str]:
    """The paragraphs of the section about a preset (name) and its runs (evidence).

    others: runs with other networks, by preset; they get a column each and decide nothing.
    """
    everything = {name: evidence} | dict(others)
    verdicts = {key: judge(given, CLAIMS) for key, given in everything.items()}
    ours = verdicts[name]
    counts = [f"{status}: {sum(verdict.status == status for verdict in ours)}" for status in STATUSES]
    head = ["claim", f"here (`{name}`)", "based on", "paper", *(f"`{key}`" for key in others)]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for number, verdict in enumerate(ours):
        paper = f"{verdict.paper_holding} of {verdict.paper_cells}" if verdict.paper_cells else "figure"
        beside = [_status(verdicts[key][number]) for key in others]
        text = f"{verdict.claim.text} ({verdict.claim.where})"
        cells = [text, _status(verdict), coverage(verdict), paper, *beside]
        lines.append("| " + " | ".join(cells) + " |")
    return [
        "## Claim by claim",
        f"{len(ours)} claims; {', '.join(counts)}.{_alone(ours)} The numbers behind each verdict are [at the "
        f"end](#the-effects-behind-the-verdicts). {RULE}",
        *([NETWORKS] if others else []),
        f"Networks of `{name}`: {_networks(evidence.rows)}.{_lost(evidence)}",
        "\n".join(lines),
    ]


def effects_section(name: str, evidence: Evidence, others: Mapping[str, Evidence]) -> list[str]:
    """The paragraphs of the section with the effects, a line a cell, the presets in the order of `claims_section`."""
    everything = {name: evidence} | dict(others)
    return [
        "## The effects behind the verdicts",
        "A positive effect is what the claim says; in brackets its 95 % interval.",
        *_details({key: judge(given, CLAIMS) for key, given in everything.items()}),
    ]


def _alone(verdicts: Sequence[Verdict]) -> str:
    """A sentence that says how many of the claims that hold were judged on a single data set."""
    holding = [verdict for verdict in verdicts if verdict.status == HOLDS]
    bases = [{effect.dataset for effect in verdict.judged} for verdict in holding]
    single = Counter(name for base in bases if len(base) == 1 for name in base)
    rest = [f"{count} on {name} alone" for name, count in single.items()]
    return f" Of those that hold, judged by intervals: {', '.join(rest)}." if rest else ""


def _lost(evidence: Evidence) -> str:
    """A warning where runs of URE-MAE lost classes, as the verdicts about it are then about that."""
    runs = select(lost_counts(evidence.per_class), method="URE-MAE")
    losing = int((runs["lost"] > 0).sum())
    if not losing:
        return ""
    return (
        f" **{losing} of the {len(runs)} runs of URE-MAE lost whole classes** ([lost classes](#lost-classes)): what is "
        "said here about URE-MAE is first of all that, and may be the network's or the rate's doing."
    )


def _networks(rows: pd.DataFrame) -> str:
    """The network and the epochs of the runs, with the data sets that have them."""
    used: dict[str, list[str]] = {}
    for dataset, runs in rows.groupby("dataset", sort=False):
        networks = f"{', '.join(runs['backbone'].unique())} for {', '.join(map(str, runs['epochs'].unique()))} epochs"
        used.setdefault(networks, []).append(str(dataset))
    return "; ".join(f"{networks} on {', '.join(names)}" for networks, names in used.items()) or "no runs yet"


def _status(verdict: Verdict) -> str:
    of = f"; the paper has {verdict.paper_cells}" if verdict.paper_cells else ""
    tally = f" ({verdict.count('holds')} of {len(verdict.judged)} judged{of})" if verdict.judged else ""
    return f"{MARKS[verdict.status]} {verdict.status}{tally}"


def _details(verdicts: Mapping[str, list[Verdict]]) -> list[str]:
    paragraphs = []
    verdicts_of_first = next(iter(verdicts.values()))  # the paper's numbers are the same for all
    for number, claim in enumerate(CLAIMS):
        lines = [
            f"- {STANDINGS[effect.standing]}{effect.describe()}{BESIDE if effect.beside else ''} (`{key}`)"
            for key, found in verdicts.items()
            for effect in found[number].effects
        ]
        against = verdicts_of_first[number].paper_against
        if against:
            lines.insert(0, f"- **the paper's own numbers do not agree** in {'; '.join(against)}")
        if lines:
            paragraphs.append("\n".join([f"**{claim.text}** ({claim.measure})", "", *lines]))
    return paragraphs
