"""The claims as a section of the reproduction page: a table of verdicts, then the effects behind each."""

from __future__ import annotations

from collections.abc import Mapping

from oneof.experiments.claims import CLAIMS
from oneof.experiments.store import Evidence
from oneof.experiments.verdicts import AGAINST, HOLDS, OPEN, STATUSES, UNTESTED, Verdict, coverage, judge

MARKS = {HOLDS: "✔", AGAINST: "✘", OPEN: "?", UNTESTED: "○"}
STANDINGS = {"holds": "", "against": "**against:** ", "open": "open: "}
BESIDE = ", beside the claim"

RULE = (
    "Each claim is the paper's, in our words, with what we measure. *Paper* counts those of the paper's own published "
    "cells whose means agree with it (no number where only a figure shows it). *Here* is decided by 95 % t intervals "
    "over seeds, of differences within a seed: a claim **holds** when the interval lies on its side of zero in every "
    "cell that has one (where it says *often*, in most), it **does not hold** when a cell's interval lies on the other "
    "side, and otherwise it **cannot be told at this budget**: a cell with one seed has no interval and decides "
    "nothing. Each interval stands for its own cell; among many, one in twenty may miss. A claim about corrections is "
    "tested only in cells where the raw risk of some batch turned negative, so that there was something to correct."
)
NETWORKS = (
    "The networks are not the paper's, and one was changed after its results were seen: KMNIST was first run with a "
    "multilayer perceptron with dropout (`cpu-dropout`), showed far less overfitting than the paper, and was run again "
    "without (`cpu-mlp`, with EMNIST-Letters). The strided CNN of `cpu` was then chosen for its speed and because the "
    "paper has a CNN there; its width of 8 was fixed after one trial of three epochs on KMNIST, with its test accuracy "
    "in sight (86.3 %, against 88.8 % with 12), and before any run that is shown. All three stand side by side."
)


def claims_section(name: str, evidence: Evidence, others: Mapping[str, Evidence]) -> list[str]:
    """The section's paragraphs.

    name: the preset that is judged.
    evidence: its runs.
    others: runs with other networks, by preset; they get a column each and decide nothing.
    """
    everything = {name: evidence} | dict(others)
    verdicts = {key: judge(given, CLAIMS) for key, given in everything.items()}
    ours = verdicts[name]
    counts = [f"{status}: {sum(verdict.status == status for verdict in ours)}" for status in STATUSES]
    head = ["claim", f"here (`{name}`)", "it rests on", "paper", *(f"`{key}`" for key in others)]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for number, verdict in enumerate(ours):
        paper = f"{verdict.paper_holding} of {verdict.paper_cells}" if verdict.paper_cells else "figure"
        beside = [_outcome(verdicts[key][number]) for key in others]
        basis, text = coverage(verdict, evidence.rows), f"{verdict.claim.text} ({verdict.claim.where})"
        cells = [text, _outcome(verdict), basis, paper, *beside]
        lines.append("| " + " | ".join(cells) + " |")
    return [
        "## Claim by claim",
        f"{len(ours)} claims; {', '.join(counts)}. {RULE}",
        *([NETWORKS] if others else []),
        "\n".join(lines),
        "### The effects behind the verdicts",
        *_details(verdicts),
    ]


def _outcome(verdict: Verdict) -> str:
    of = f"; the paper has {verdict.paper_cells}" if verdict.paper_cells else ""
    tally = f" ({verdict.count('holds')} of {len(verdict.judged)} judged{of})" if verdict.judged else ""
    return f"{MARKS[verdict.status]} {verdict.status}{tally}"


def _details(verdicts: Mapping[str, list[Verdict]]) -> list[str]:
    paragraphs = []
    for number, claim in enumerate(CLAIMS):
        lines = [
            f"- {STANDINGS[effect.standing]}{effect.describe()}{BESIDE if effect.beside else ''} (`{key}`)"
            for key, found in verdicts.items()
            for effect in found[number].effects
        ]
        if lines:
            paragraphs.append("\n".join([f"**{claim.text}** ({claim.measure})", "", *lines]))
    return paragraphs
