from oneof.experiments.claims import CLAIMS
from oneof.experiments.claims_section import NETWORKS, claims_section, effects_section
from oneof.experiments.store import Evidence


def test_verdict_coverage_and_other_networks_stand_in_one_line(evidence: Evidence) -> None:
    rows = evidence.rows[evidence.rows["seed"] == 0]
    single = Evidence(rows, evidence.histories.iloc[:0], evidence.per_class.iloc[:0])
    section = "\n".join(claims_section("cpu", evidence, {"cpu-mlp": single}))
    assert (
        "| NN improves over the raw URE (V-E, Table III) | ✔ holds (3 of 3 judged; the paper has 18) "
        "| KMNIST, 3 seeds | 18 of 18 | ? cannot be told at this budget |"
    ) in section
    assert "| ○ not tested | no cell | 3 of 3 | ○ not tested |" in section
    assert NETWORKS in section
    assert "Networks of `cpu`: mlp for 40 epochs on " in section
    assert f"{len(CLAIMS)} claims; holds: " in section


def test_the_effects_say_how_they_stand_and_whose_they_are(evidence: Evidence) -> None:
    rows = evidence.rows.copy()
    rows.loc[(rows["method"] == "GCE-NN") & (rows["p_yes"] == 0.5), "test_accuracy"] -= 20
    mixed = Evidence(rows, evidence.histories, evidence.per_class)
    section = "\n".join(effects_section("cpu", mixed, {}))
    assert "- KMNIST, 0.3: +6.00 [6.00, 6.00], 3 seeds (`cpu`)" in section
    assert "- **against:** KMNIST, 0.5: " in section
    assert NETWORKS not in "\n".join(claims_section("cpu", mixed, {}))
    assert "- **the paper's own numbers do not agree** in KMNIST, 0.3 (-2.22)" in section


def test_what_rests_on_one_data_set_is_said(evidence: Evidence) -> None:
    summary = claims_section("cpu", evidence, {})[1]
    holding = int(summary.partition("holds: ")[2].partition(",")[0])
    assert f" Of those that hold, judged by intervals: {holding} on KMNIST alone." in summary
    one_seed = Evidence(
        *(table[table["seed"] == 0] for table in (evidence.rows, evidence.histories, evidence.per_class))
    )
    assert "Of those that hold" not in claims_section("cpu", one_seed, {})[1]


def test_lost_classes_are_told_where_the_verdicts_are_read(evidence: Evidence) -> None:
    assert "lost whole classes" not in "\n".join(claims_section("cpu", evidence, {}))
    by_class = evidence.per_class.copy()
    chosen = (by_class["method"] == "URE-MAE") & (by_class["seed"] == 0) & (by_class["class_name"] == "3")
    by_class.loc[chosen, "accuracy"] = 0.0
    section = "\n".join(claims_section("cpu", Evidence(evidence.rows, evidence.histories, by_class), {}))
    assert "**6 of the 18 runs of URE-MAE lost whole classes**" in section


def test_cells_that_the_paper_does_not_have_are_marked(evidence: Evidence) -> None:
    letters = evidence.rows[evidence.rows["dataset"] == "digits"].assign(dataset="EMNIST-Letters")
    section = "\n".join(effects_section("cpu", Evidence(letters, evidence.histories, evidence.per_class), {}))
    assert "- EMNIST-Letters, NN - URE: +16.40 [16.40, 16.40], 3 seeds, beside the claim (`cpu`)" in section
