from oneof.experiments.negative_risk import negative_table
from oneof.experiments.store import Evidence


def test_a_line_a_data_set_p_and_batch_size(evidence: Evidence) -> None:
    rows = evidence.rows.copy()
    rows.loc[rows["method"] == "GCE-URE", "negative_share"] = 0.5
    rows = rows[~((rows["dataset"] == "digits") & (rows["method"] == "URE-MAE"))]
    table = negative_table(rows)
    lines = [[cell.text for cell in line] for line in table.rows]
    assert len(lines) == 3 * 4 + 3
    assert lines[0] == ["KMNIST", "0.3", "128", "25.0", "50.0", "25.0", "25.0"]
    assert lines[-1] == ["digits", "0.7", "128", "–", "50.0", "25.0", "25.0"]


def test_nothing_run_is_an_empty_table(nothing: Evidence) -> None:
    assert negative_table(nothing.rows).rows == ()
