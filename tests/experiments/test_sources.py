import pandas as pd

from oneof.experiments.sources import Ours, Published
from oneof.experiments.store import Evidence


def test_the_papers_cells_come_from_its_tables() -> None:
    paper = Published()
    assert paper.accuracy("MNIST", 0.5, "PRODEN").tolist() == [98.73]
    assert paper.accuracy("EMNIST-Letters", 0.5, "URE-MAE").tolist() == [72.51]
    assert paper.accuracy("KMNIST", 0.7, "GCE-ABS", 512).tolist() == [81.28]
    assert paper.accuracy("SVHN", 0.7, "GCE-ABS", 512).empty
    assert paper.negative_share("KMNIST", 0.7, "GCE-URE").empty
    assert paper.lowest_risk("KMNIST", 0.7, "GCE-URE").empty
    assert paper.hardest_share("EMNIST-Letters", 0.3, "GCE-ABS", 5).empty
    assert paper.corrected("KMNIST", 0.7)


def test_ours_have_an_entry_a_seed(evidence: Evidence) -> None:
    ours = Ours(evidence)
    pd.testing.assert_series_equal(
        ours.accuracy("KMNIST", 0.3, "GCE-ABS"),
        pd.Series([87.8, 88.0, 88.2], index=[0, 1, 2]),
        check_names=False,
    )
    assert ours.negative_share("KMNIST", 0.3, "GCE-ABS").tolist() == [25.0] * 3
    assert ours.lowest_risk("KMNIST", 0.3, "GCE-URE").round(6).tolist() == [-1.34] * 3
    assert ours.accuracy("SVHN", 0.3, "GCE-ABS").empty


def test_the_hardest_classes_make_a_share_of_the_errors(evidence: Evidence) -> None:
    # Eight classes with 12 % of errors and two with 37 %, at seed 1.
    share = Ours(evidence).hardest_share("KMNIST", 0.3, "GCE-ABS", 2)
    assert abs(share[1] - 100 * 2 * 37 / (8 * 12 + 2 * 37)) < 1e-9


def test_a_correction_acts_only_where_a_batch_was_negative(evidence: Evidence) -> None:
    rows = evidence.rows.assign(negative_share=0.0)
    assert not Ours(Evidence(rows, evidence.histories, evidence.per_class)).corrected("KMNIST", 0.7)
    one = (rows["method"] == "GCE-NN") & (rows["seed"] == 2) & (rows["p_yes"] == 0.7)
    rows.loc[one, "negative_share"] = 0.001
    changed = Ours(Evidence(rows, evidence.histories, evidence.per_class))
    assert changed.corrected("KMNIST", 0.7)
    assert not changed.corrected("KMNIST", 0.3)
