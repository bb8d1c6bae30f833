import pandas as pd
import pytest

from oneof.experiments.lost_classes import lost_counts, lost_table
from oneof.experiments.store import Evidence


@pytest.fixture
def by_class(evidence: Evidence) -> pd.DataFrame:
    """PLL-Avg at 0.3 loses class 1 in every run on digits, and class 2 in the first one; others lose none."""
    table = evidence.per_class[evidence.per_class["batch_size"] == 128].copy()
    chosen = (table["dataset"] == "digits") & (table["method"] == "PLL-Avg") & (table["p_yes"] == 0.3)
    table.loc[chosen, "accuracy"] = 90.0
    table.loc[chosen & (table["class_name"] == "0"), ["items", "accuracy"]] = [700, 50.0]
    table.loc[chosen & (table["class_name"] == "1"), "accuracy"] = 0.0
    table.loc[chosen & (table["class_name"] == "2") & (table["seed"] == 0), "accuracy"] = 0.9
    return table


def test_lost_classes_and_the_accuracy_on_all_other_items(by_class: pd.DataFrame) -> None:
    runs = lost_counts(by_class)
    chosen = runs[(runs["lost"] > 0)].sort_values("seed")
    assert chosen[["dataset", "method", "classes", "lost"]].to_numpy().tolist() == [
        ["digits", "PLL-Avg", 10, 2],
        ["digits", "PLL-Avg", 10, 1],
        ["digits", "PLL-Avg", 10, 1],
    ]
    # 350 of 700 right, and 90 of 100 in each of the seven or eight other classes that were kept.
    assert chosen["others"].tolist() == pytest.approx([70.0, 100 * 1070 / 1500, 100 * 1070 / 1500])


def test_only_methods_that_lost_a_class_have_a_column(by_class: pd.DataFrame) -> None:
    table = lost_table(by_class)
    assert table.header == ("data set", "P(s=1)", "PLL-Avg")
    lines = {(line[0].text, line[1].text): line[2].text for line in table.rows}
    assert lines["digits", "0.3"] == "1.3 of 10 (70.9)"
    assert lines["KMNIST", "0.3"].startswith("0 of 10 (")
    assert (
        "No run of URE-MAE, TMCL-EXP, TMCL-MAE, PRODEN, GCE-ABS, GCE-NN, GCE-URE, Likelihood lost a class."
        in table.notes
    )


def test_without_a_lost_class_there_is_no_table(evidence: Evidence, nothing: Evidence) -> None:
    assert lost_table(evidence.per_class).rows == ()
    assert lost_table(nothing.per_class).rows == ()
