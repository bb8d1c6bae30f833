import pandas as pd
import pytest

from oneof.experiments.claims import CLAIMS, judge
from oneof.experiments.store import Evidence


def status(evidence: Evidence) -> dict[str, str]:
    return {verdict.claim.text: verdict.status for verdict in judge(evidence)}


ORDER = "ABS ≥ NN ≥ URE under GCE"
FALLS = "URE under GCE falls as P(s=1) grows"
LETTERS = "With 26 classes the order ABS ≥ NN ≥ URE stays"


def test_with_nothing_run_nothing_is_tested(nothing: Evidence) -> None:
    assert set(status(nothing).values()) == {"not tested"}
    assert len(status(nothing)) == len(CLAIMS)


def test_what_holds_is_confirmed(evidence: Evidence) -> None:
    found = status(evidence)
    assert found.pop(LETTERS) == "not tested"
    assert found.pop("A few hard classes make most of the errors on EMNIST-Letters") == "not tested"
    assert set(found.values()) == {"confirmed"}


def test_one_cell_against_it_is_enough(evidence: Evidence) -> None:
    rows = evidence.rows.copy()
    rows.loc[
        (rows["dataset"] == "digits") & (rows["p_yes"] == 0.3) & (rows["method"] == "GCE-URE"), "test_accuracy"
    ] = 99.0
    changed = Evidence(rows, evidence.histories, evidence.per_class)
    assert status(changed)[ORDER] == "not confirmed"
    verdict = next(verdict for verdict in judge(changed) if verdict.claim.text == ORDER)
    assert [check.figures for check in verdict.checks if not check.holds] == [
        "digits, 0.3: ABS 88.00, NN 86.00, URE 99.00"
    ]


def test_letters_have_claims_of_their_own(evidence: Evidence) -> None:
    letters = evidence.rows[evidence.rows["dataset"] == "digits"].assign(dataset="EMNIST-Letters")
    hard = evidence.per_class[evidence.per_class["dataset"] == "digits"].assign(dataset="EMNIST-Letters")
    found = status(Evidence(letters, evidence.histories, hard))
    assert found[LETTERS] == "confirmed"
    assert found[ORDER] == "not tested"
    assert found["A few hard classes make most of the errors on EMNIST-Letters"] == "confirmed"


@pytest.mark.parametrize("method", ["GCE-URE"])
def test_a_rise_is_not_a_fall(evidence: Evidence, method: str) -> None:
    rows = evidence.rows.copy()
    rows.loc[(rows["method"] == method) & (rows["p_yes"] == 0.7), "test_accuracy"] = 95.0
    assert status(Evidence(rows, evidence.histories, evidence.per_class))[FALLS] == "not confirmed"


def test_one_seed_gives_no_interval(evidence: Evidence) -> None:
    single: pd.DataFrame = evidence.rows[evidence.rows["seed"] == 0]
    found = status(Evidence(single, evidence.histories, evidence.per_class))
    assert found["NN and ABS gain over URE at P(s=1) = 0.7, intervals above zero"] == "not tested"


def test_corrections_that_never_acted_are_not_tested(evidence: Evidence) -> None:
    rows = evidence.rows.copy()
    for seed in range(3):
        rows.loc[rows["method"].isin(["GCE-ABS", "GCE-NN", "GCE-URE"]) & (rows["seed"] == seed), "test_accuracy"] = (
            80.0 + seed
        )
    found = status(Evidence(rows, evidence.histories, evidence.per_class))
    assert found[ORDER] == "not tested"
    assert found["Corrections matter more at m = 7 than at m = 3"] == "not tested"
    assert found["URE is the most sensitive to the batch size"] == "not tested"


def test_a_seed_without_all_batch_sizes_does_not_count_in_their_comparison(evidence: Evidence) -> None:
    rows = evidence.rows.copy()
    cut_off = (rows["seed"] == rows["seed"].max()) & (rows["batch_size"] > 128)
    extreme = (rows["seed"] == rows["seed"].max()) & (rows["method"] == "GCE-ABS")
    rows.loc[extreme, "test_accuracy"] = 1.0
    whole, part = (
        next(v for v in judge(Evidence(kept, evidence.histories, evidence.per_class)) if "sensitive" in v.claim.text)
        for kept in (rows, rows[~cut_off])
    )
    assert {check.figures for check in part.checks} != {check.figures for check in whole.checks}
    assert part.status == "confirmed"
