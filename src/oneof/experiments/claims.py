"""The paper's Section V, claim by claim, checked against our rows.

A claim is *confirmed* when it holds in every cell that was run, by means over seeds; *not confirmed* when it fails in
one or more; *not tested* when no cell of it was run, or, for a claim about corrections, when none ever acted because
the raw risk stayed positive. No tolerance: the page shows the figures, and the reader judges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import pandas as pd

from oneof.experiments.cells import blocks, select
from oneof.experiments.methods import CORRECTIONS, MAIN
from oneof.experiments.statistics import paired_difference
from oneof.experiments.store import Evidence
from oneof.experiments.tables import LETTERS, STANDARD_BATCH


@dataclass(frozen=True)
class Check:
    """One cell of a claim: whether it holds there, and the figures."""

    holds: bool
    figures: str


@dataclass(frozen=True)
class Claim:
    """What the paper says, where, and how it is checked."""

    text: str
    where: str
    check: Callable[[Evidence], Iterator[Check]]


@dataclass(frozen=True)
class Verdict:
    """A claim with the outcome of its checks."""

    claim: Claim
    checks: tuple[Check, ...]

    @property
    def status(self) -> str:
        """Return "confirmed", "not confirmed" or "not tested"."""
        if not self.checks:
            return "not tested"
        return "confirmed" if all(check.holds for check in self.checks) else "not confirmed"


def judge(evidence: Evidence) -> list[Verdict]:
    """Check every claim."""
    return [Verdict(claim, tuple(claim.check(evidence))) for claim in CLAIMS]


def _means(rows: pd.DataFrame) -> Iterator[tuple[str, float, dict[str, float]]]:
    """Yield data set, P(s=1) and the mean accuracy of each method, at the standard batch size."""
    for dataset, p_yes, group in blocks(select(rows, batch_size=STANDARD_BATCH)):
        means = group.groupby("method")["test_accuracy"].mean()
        yield dataset, p_yes, {str(name): float(mean) for name, mean in means.items()}


def _acted(rows: pd.DataFrame) -> bool:
    """Say whether a correction changed anything: where the raw risk stays positive, there is nothing to compare."""
    raw, corrected = (select(rows, method=name).set_index("run") for name in ("GCE-URE", "GCE-ABS"))
    return not corrected.empty and sorted(raw["test_accuracy"]) != sorted(corrected["test_accuracy"])


def _corrected(evidence: Evidence) -> Evidence:
    """Return the evidence of the cells in which a correction acted."""
    groups = [group for _, _, group in blocks(evidence.rows) if _acted(group)]
    rows = pd.concat(groups) if groups else evidence.rows.iloc[:0]
    return Evidence(rows, evidence.histories, evidence.per_class)


def _competitive(evidence: Evidence) -> Iterator[Check]:
    for dataset, p_yes, means in _means(evidence.rows):
        others = {name: means[name] for name in MAIN[1:] if name in means}
        if "URE-MAE" in means and others:
            best = max(others, key=lambda name: others[name])
            difference = means["URE-MAE"] - others[best]
            figures = f"{dataset}, {p_yes}: URE-MAE {means['URE-MAE']:.2f}, best baseline {best} {others[best]:.2f}"
            yield Check(difference >= -1, f"{figures} ({difference:+.2f})")


def _ordered(evidence: Evidence) -> Iterator[Check]:
    for dataset, p_yes, means in _means(_corrected(evidence).rows):
        if dataset != LETTERS and set(CORRECTIONS) <= means.keys():
            yield _order_check(dataset, p_yes, means)


def _ordered_letters(evidence: Evidence) -> Iterator[Check]:
    for dataset, p_yes, means in _means(_corrected(evidence).rows):
        if dataset == LETTERS and set(CORRECTIONS) <= means.keys():
            yield _order_check(dataset, p_yes, means)


def _order_check(dataset: str, p_yes: float, means: dict[str, float]) -> Check:
    values = [means[name] for name in CORRECTIONS]
    text = ", ".join(
        f"{name.removeprefix('GCE-')} {value:.2f}" for name, value in zip(CORRECTIONS, values, strict=True)
    )
    return Check(values[0] >= values[1] >= values[2], f"{dataset}, {p_yes}: {text}")


def _by_p(evidence: Evidence, method: str) -> Iterator[tuple[str, list[tuple[float, float]]]]:
    by_dataset: dict[str, list[tuple[float, float]]] = {}
    for dataset, p_yes, means in _means(evidence.rows):
        if method in means:
            by_dataset.setdefault(dataset, []).append((p_yes, means[method]))
    for dataset, points in by_dataset.items():
        if len(points) > 1:
            yield dataset, sorted(points)


def _falls(evidence: Evidence) -> Iterator[Check]:
    for dataset, points in _by_p(evidence, "GCE-URE"):
        values = [value for _, value in points]
        text = ", ".join(f"{value:.2f} at {p_yes}" for p_yes, value in points)
        yield Check(all(a > b for a, b in pairwise(values)), f"{dataset}: GCE-URE {text}")


def _matters_more(evidence: Evidence) -> Iterator[Check]:
    raw, corrected = (dict(_by_p(evidence, name)) for name in ("GCE-URE", "GCE-ABS"))
    for dataset in (name for name in raw if name in corrected):
        gains = {p: value - dict(raw[dataset])[p] for p, value in corrected[dataset] if p in dict(raw[dataset])}
        if {0.3, 0.7} <= gains.keys() and any(gains.values()):
            figures = f"{dataset}: ABS gains {gains[0.3]:+.2f} points over URE at 0.3, {gains[0.7]:+.2f} at 0.7"
            yield Check(gains[0.7] > gains[0.3], figures)


def _paired(evidence: Evidence) -> Iterator[Check]:
    hard = select(_corrected(evidence).rows, p_yes=0.7, batch_size=STANDARD_BATCH)
    for dataset, group in hard.groupby("dataset"):
        results = {name: select(group, method=name).set_index("seed")["test_accuracy"] for name in CORRECTIONS}
        for better in ("GCE-NN", "GCE-ABS"):
            if len(results[better].index.intersection(results["GCE-URE"].index)) > 1:
                found = paired_difference(results[better], results["GCE-URE"])
                figures = f"{dataset}: {better} over URE {found.mean:+.2f} [{found.low:.2f}, {found.high:.2f}]"
                yield Check(found.low > 0, f"{figures}, {found.n} seeds")


def _turns_negative(evidence: Evidence) -> Iterator[Check]:
    runs = select(evidence.histories, method="GCE-URE", p_yes=0.7, batch_size=STANDARD_BATCH)
    for dataset, group in runs.groupby("dataset"):
        lowest = group.groupby("run")["raw"].min().mean()
        yield Check(lowest < 0, f"{dataset}: lowest epoch mean of the raw risk {lowest:.2f}, mean over seeds")


def _mae_stable(evidence: Evidence) -> Iterator[Check]:
    mae, gce = (dict(_by_p(evidence, name)) for name in ("URE-MAE", "GCE-URE"))
    for dataset in (name for name in mae if name in gce):
        ranges = [max(v for _, v in found[dataset]) - min(v for _, v in found[dataset]) for found in (mae, gce)]
        figures = f"{dataset}: over P(s=1), URE-MAE varies by {ranges[0]:.2f} points, GCE-URE by {ranges[1]:.2f}"
        yield Check(ranges[0] < ranges[1], figures)


def _batch_ranges(evidence: Evidence) -> Iterator[tuple[str, float, dict[str, pd.Series]]]:
    """Yield data set, P(s=1) and the mean accuracy by batch size of each correction, over seeds that have them all."""
    rows = _corrected(evidence).rows
    for dataset, p_yes, group in blocks(rows[rows["method"].isin(CORRECTIONS)]):
        # A sweep that was cut off has its last seed at some batch sizes only: there it would shift the mean.
        runs = group.groupby("seed")["run"].transform("size")
        group = group[runs == runs.max()]
        found = {name: select(group, method=name).groupby("batch_size")["test_accuracy"].mean() for name in CORRECTIONS}
        if all(len(means) > 1 for means in found.values()):
            yield dataset, p_yes, found


def _most_sensitive(evidence: Evidence) -> Iterator[Check]:
    for dataset, p_yes, found in _batch_ranges(evidence):
        ranges = {name: means.max() - means.min() for name, means in found.items()}
        text = ", ".join(f"{name.removeprefix('GCE-')} {value:.2f}" for name, value in ranges.items())
        yield Check(max(ranges, key=lambda name: ranges[name]) == "GCE-URE", f"{dataset}, {p_yes}: range {text}")


def _larger_batches_help(evidence: Evidence) -> Iterator[Check]:
    for dataset, p_yes, found in _batch_ranges(evidence):
        if p_yes == 0.7:
            raw = found["GCE-URE"]
            largest = {name.removeprefix("GCE-"): means.iloc[-1] for name, means in found.items()}
            below = largest["URE"] < min(largest["NN"], largest["ABS"])
            figures = f"{dataset}: GCE-URE {raw.iloc[0]:.2f} at {raw.index[0]}, {raw.iloc[-1]:.2f} at {raw.index[-1]}"
            beside = f"there NN {largest['NN']:.2f}, ABS {largest['ABS']:.2f}"
            yield Check(raw.iloc[-1] > raw.iloc[0] and below, f"{figures}; {beside}")


def _few_hard_classes(evidence: Evidence) -> Iterator[Check]:
    chosen = select(evidence.per_class, dataset=LETTERS, method="GCE-ABS", p_yes=0.3, batch_size=STANDARD_BATCH)
    if not chosen.empty:
        errors = 100 - chosen.groupby("class_name", sort=False)["accuracy"].mean()
        hardest = errors.nlargest(5)
        share = 100 * hardest.sum() / errors.sum()
        names = ", ".join(hardest.index)
        yield Check(share > 50, f"the five hardest of {len(errors)} classes ({names}) make {share:.0f} % of the errors")


CLAIMS = (
    Claim(
        "Direct learning is competitive: URE-MAE at most one point below the best baseline", "Table II", _competitive
    ),
    Claim("ABS ≥ NN ≥ URE under GCE", "Table III", _ordered),
    Claim("URE under GCE falls as P(s=1) grows", "Table III", _falls),
    Claim("Corrections matter more at m = 7 than at m = 3", "Tables III and IV", _matters_more),
    Claim("NN and ABS gain over URE at P(s=1) = 0.7, intervals above zero", "Table IV, Figure 3", _paired),
    Claim("The raw risk turns negative under GCE at P(s=1) = 0.7", "Figure 2", _turns_negative),
    Claim("MAE is stable where GCE-URE is not", "Tables II and III", _mae_stable),
    Claim("With 26 classes the order ABS ≥ NN ≥ URE stays", "Table V", _ordered_letters),
    Claim("A few hard classes make most of the errors on EMNIST-Letters", "Figure 4", _few_hard_classes),
    Claim("URE is the most sensitive to the batch size", "Table VI, Figure 5", _most_sensitive),
    Claim("Larger batches help URE at 0.7, which stays below NN and ABS", "Table VI, Figure 6", _larger_batches_help),
)
