from collections.abc import Iterator

import pandas as pd
import pytest

from oneof.experiments.sources import Source
from oneof.experiments.store import Evidence
from oneof.experiments.verdicts import AGAINST, HOLDS, OPEN, UNTESTED, Claim, Effect, Verdict, coverage, judge

CLEAR, AGAINST_IT, WIDE, SINGLE = [2.0, 2.1, 1.9], [-2.0, -2.1, -1.9], [6.0, 1.0, -1.0], [9.0]


def effect(values: list[float], *, beside: bool = False) -> Effect:
    return Effect("USPS", "USPS, 0.3", pd.Series(values), beside)


def verdict(*effects: Effect, mostly: bool = False) -> Verdict:
    return Verdict(Claim("it is so", "V", "the effect", lambda source: iter(effects), mostly), effects, 0, 0)


@pytest.mark.parametrize(
    ("values", "standing"), [(CLEAR, "holds"), (AGAINST_IT, "against"), (WIDE, "open"), (SINGLE, "open")]
)
def test_the_interval_decides_and_not_the_mean(values: list[float], standing: str) -> None:
    assert effect(values).standing == standing
    assert effect(WIDE).mean > 0


def test_an_effect_in_words() -> None:
    assert effect(CLEAR).describe() == "USPS, 0.3: +2.00 [1.75, 2.25], 3 seeds"
    assert effect(SINGLE).describe() == "USPS, 0.3: +9.00, one seed, no interval"


@pytest.mark.parametrize(
    ("cells", "status"),
    [
        ([], UNTESTED),
        ([SINGLE], OPEN),
        ([CLEAR, CLEAR], HOLDS),
        ([CLEAR, SINGLE], HOLDS),
        ([CLEAR, WIDE], OPEN),
        ([CLEAR, CLEAR, AGAINST_IT], AGAINST),
    ],
)
def test_a_claim_about_every_cell(cells: list[list[float]], status: str) -> None:
    assert verdict(*map(effect, cells)).status == status


@pytest.mark.parametrize(
    ("cells", "status"),
    [
        ([CLEAR, CLEAR, AGAINST_IT], HOLDS),
        ([CLEAR, WIDE], OPEN),
        ([CLEAR, AGAINST_IT], AGAINST),
        ([WIDE, WIDE, AGAINST_IT], OPEN),
    ],
)
def test_a_claim_about_most_cells(cells: list[list[float]], status: str) -> None:
    assert verdict(*map(effect, cells), mostly=True).status == status


def test_cells_beside_the_claim_decide_nothing() -> None:
    assert verdict(effect(CLEAR), effect(AGAINST_IT, beside=True)).status == HOLDS
    assert verdict(effect(CLEAR, beside=True)).status == UNTESTED


def test_the_same_question_is_asked_of_the_paper(evidence: Evidence) -> None:
    def gains(source: Source) -> Iterator[Effect]:
        for name in ("KMNIST", "SVHN"):
            values = source.accuracy(name, 0.3, "URE-MAE") - source.accuracy(name, 0.3, "PRODEN")
            yield Effect(name, name, values.dropna())

    (found,) = judge(evidence, (Claim("better", "Table II", "difference", gains),))
    assert (found.paper_holding, found.paper_cells, found.paper_against) == (2, 2, ())
    assert [cell.dataset for cell in found.tested] == ["KMNIST"]
    assert coverage(found) == "KMNIST, 3 seeds"


def test_the_papers_own_cells_that_do_not_agree_are_named(evidence: Evidence) -> None:
    def gains(source: Source) -> Iterator[Effect]:
        for p_yes in (0.5, 0.7):
            yield Effect("SVHN", f"SVHN, {p_yes}", source.accuracy("SVHN", p_yes, "URE-MAE") - 90)

    (found,) = judge(evidence, (Claim("above 90", "Table II", "difference", gains),))
    assert (found.paper_holding, found.paper_cells, found.paper_against) == (1, 2, ("SVHN, 0.5 (-0.03)",))


def test_coverage_names_data_sets_and_single_seeds() -> None:
    assert coverage(verdict(effect(CLEAR), effect(SINGLE))) == "USPS, 3 seeds; 1 cell with one seed: USPS"
    assert coverage(verdict(effect(CLEAR), effect(CLEAR[:2]), effect(SINGLE), effect(SINGLE))) == (
        "USPS, 2 to 3 seeds; 2 cells with one seed: USPS"
    )
    assert coverage(verdict()) == "no cell"
