"""How a claim is judged: an effect with an interval in each cell, and a verdict by the intervals.

An effect is signed so that a positive one is what the claim says. In a cell it *holds* where its 95 % t interval over
seeds lies above zero, it is *against* the claim where the interval lies below, and *open* where the interval contains
zero, or where there is one seed and so no interval. A claim about every cell (all but those that say "mostly") does not
hold if one cell is against it, and holds if all cells with an interval do. Each interval is for its own cell: among
many cells one in twenty may miss.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from oneof.experiments.sources import Ours, Published, Source
from oneof.experiments.statistics import mean_interval
from oneof.experiments.store import Evidence

HOLDS, AGAINST, OPEN, UNTESTED = "holds", "does not hold", "cannot be told at this budget", "not tested"
STATUSES = (HOLDS, AGAINST, OPEN, UNTESTED)


@dataclass(frozen=True)
class Effect:
    """The effect in one cell of a claim. beside: the paper says nothing about this cell, so it does not decide."""

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
        """Whether the interval lies above zero (holds), below (against), or neither (open)."""
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
    """What the paper says, where, what is measured, and the effects. mostly: in most cells, not in every one."""

    text: str
    where: str
    measure: str
    effects: Callable[[Source], Iterator[Effect]]
    mostly: bool = False


@dataclass(frozen=True)
class Verdict:
    """A claim with its effects here, and the number of the paper's own cells, and of those that agree with it.

    paper_against: the paper's own cells that do not agree, each with its effect.
    """

    claim: Claim
    effects: tuple[Effect, ...]
    paper_holding: int
    paper_cells: int
    paper_against: tuple[str, ...] = ()

    @property
    def tested(self) -> tuple[Effect, ...]:
        """The effects of the cells that the paper speaks of."""
        return tuple(effect for effect in self.effects if not effect.beside)

    @property
    def judged(self) -> tuple[Effect, ...]:
        """The tested effects that have an interval."""
        return tuple(effect for effect in self.tested if effect.seeds > 1)

    def count(self, standing: str) -> int:
        """How many of the judged cells have this standing."""
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
        against = tuple(f"{effect.cell} ({effect.mean:+.2f})" for effect in published if effect.mean <= 0)
        verdicts.append(Verdict(claim, found, len(published) - len(against), len(published), against))
    return verdicts


def coverage(verdict: Verdict) -> str:
    """The data sets that a verdict is based on, with their seeds, and those that have cells of one seed only."""
    parts = []
    for name in dict.fromkeys(effect.dataset for effect in verdict.judged):
        seeds = sorted({effect.seeds for effect in verdict.judged if effect.dataset == name})
        parts.append(f"{name}, {' to '.join(str(number) for number in dict.fromkeys([seeds[0], seeds[-1]]))} seeds")
    single = [effect.dataset for effect in verdict.tested if effect.seeds == 1]
    if single:
        parts.append(f"{len(single)} cell{'s' * (len(single) > 1)} with one seed: {', '.join(dict.fromkeys(single))}")
    return "; ".join(parts) or "no cell"
