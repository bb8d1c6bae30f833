"""How a claim is judged: an effect with an interval in each cell, and a verdict by the intervals.

An effect is signed so that a positive one is what the claim says. In a cell it *holds* where its 95 % t interval over
seeds lies above zero, it is *against* the claim where the interval lies below, and *open* where the interval has zero
inside, or where there is one seed and so no interval. Of a claim that says "in every cell" (all but those that say
"mostly") one cell against it decides, and it holds when all cells with an interval do. The intervals are of one cell
each: among many cells one in twenty may miss.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from oneof.experiments.cells import select
from oneof.experiments.sources import Ours, Published, Source
from oneof.experiments.statistics import mean_interval
from oneof.experiments.store import Evidence

HOLDS, AGAINST, OPEN, UNTESTED = "holds", "does not hold", "cannot be told at this budget", "not tested"
STATUSES = (HOLDS, AGAINST, OPEN, UNTESTED)


@dataclass(frozen=True)
class Effect:
    """One cell of a claim. `beside`: shown, but the paper says nothing about this cell, so it decides nothing."""

    dataset: str
    cell: str
    values: pd.Series
    beside: bool = False

    @property
    def mean(self) -> float:
        """The mean over seeds."""
        return float(self.values.mean())

    @property
    def seeds(self) -> int:
        """How many seeds there are."""
        return len(self.values)

    @property
    def standing(self) -> Literal["holds", "against", "open"]:
        """Say where the interval lies."""
        low, high = mean_interval(self.values)
        if low > 0:
            return "holds"
        return "against" if high < 0 else "open"

    def describe(self) -> str:
        """The cell, the effect and its interval in one line."""
        if self.seeds == 1:
            return f"{self.cell}: {self.mean:+.2f}, one seed, no interval"
        low, high = mean_interval(self.values)
        return f"{self.cell}: {self.mean:+.2f} [{low:.2f}, {high:.2f}], {self.seeds} seeds"


@dataclass(frozen=True)
class Claim:
    """What the paper says, where, what is measured, and the effects. `mostly`: in most cells, not in every one."""

    text: str
    where: str
    measure: str
    effects: Callable[[Source], Iterator[Effect]]
    mostly: bool = False


@dataclass(frozen=True)
class Verdict:
    """A claim with its effects here, and in how many of the paper's own cells its means agree with it."""

    claim: Claim
    effects: tuple[Effect, ...]
    paper_holding: int
    paper_cells: int

    @property
    def tested(self) -> tuple[Effect, ...]:
        """The effects of the cells that the paper speaks of."""
        return tuple(effect for effect in self.effects if not effect.beside)

    @property
    def judged(self) -> tuple[Effect, ...]:
        """Those of them that have an interval."""
        return tuple(effect for effect in self.tested if effect.seeds > 1)

    def count(self, standing: str) -> int:
        """In how many of the judged cells the effect stands so."""
        return sum(effect.standing == standing for effect in self.judged)

    @property
    def status(self) -> str:
        """One of `STATUSES`."""
        if not self.tested:
            return UNTESTED
        if not self.judged:
            return OPEN
        cells, holding, against = len(self.judged), self.count("holds"), self.count("against")
        if self.claim.mostly:
            return HOLDS if 2 * holding > cells else AGAINST if 2 * against >= cells else OPEN
        return AGAINST if against else HOLDS if holding == cells else OPEN


def judge(evidence: Evidence, claims: tuple[Claim, ...]) -> list[Verdict]:
    """Judge every claim on the rows of one preset."""
    ours, paper = Ours(evidence), Published()
    verdicts = []
    for claim in claims:
        published = [effect for effect in claim.effects(paper) if effect.seeds and not effect.beside]
        found = tuple(effect for effect in claim.effects(ours) if effect.seeds)
        verdicts.append(Verdict(claim, found, sum(effect.mean > 0 for effect in published), len(published)))
    return verdicts


def coverage(verdict: Verdict, rows: pd.DataFrame) -> str:
    """Say on how much a verdict rests: cells of the paper's, networks, epochs and seeds."""
    if not verdict.tested:
        return "no cell"
    of = f" of {verdict.paper_cells}" if verdict.paper_cells else ""
    single = len(verdict.tested) - len(verdict.judged)
    more = f", and {single} with one seed, which decide nothing" if single else ""
    parts = []
    for name in dict.fromkeys(effect.dataset for effect in verdict.tested):
        runs = select(rows, dataset=name)
        seeds = sorted({effect.seeds for effect in verdict.tested if effect.dataset == name})
        networks = ", ".join(runs["backbone"].unique())
        epochs = ", ".join(str(number) for number in runs["epochs"].unique())
        count = str(seeds[0]) if len(seeds) == 1 else f"{seeds[0]} to {seeds[-1]}"
        parts.append(f"{name}: {networks}, {epochs} epochs, {count} seed{'s' if count != '1' else ''}")
    judged = f"{len(verdict.judged)}{of} cell{'s' if len(verdict.judged) != 1 or of else ''}"
    return f"{judged}{more}. {'; '.join(parts)}"
