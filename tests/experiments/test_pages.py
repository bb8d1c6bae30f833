from collections.abc import Callable
from pathlib import Path
from typing import Any

from oneof.experiments.pages import leaderboard_page, reproduction_page, write_pages
from oneof.experiments.protocol import preset
from oneof.experiments.store import Evidence, Results

Maker = Callable[..., dict[str, Any]]


def test_the_page_tells_what_holds_and_what_does_not(evidence: Evidence) -> None:
    rows = evidence.rows.copy()
    rows.loc[(rows["method"] == "GCE-NN") & (rows["dataset"] == "digits") & (rows["p_yes"] == 0.5), "test_accuracy"] = (
        99.0
    )
    page = reproduction_page(
        Evidence(rows, evidence.histories, evidence.per_class), preset("cpu"), Path("../results/cpu")
    )
    assert "| ABS ≥ NN ≥ URE under GCE | Table III | ✘ not confirmed, 5 of 6 |" in page
    assert "- **against:** digits, 0.5: ABS 87.20, NN 99.00, URE 74.00" in page
    assert "○ not tested here |" in page
    assert "![Figure 2. " in page
    assert "(../results/cpu/figure2.png)" in page


def test_the_choices_are_told(evidence: Evidence) -> None:
    page = reproduction_page(evidence, preset("cpu"), Path("."))
    assert "Epochs of a search run: usps 10" in page
    assert "the whole grids" in reproduction_page(evidence, preset("paper"), Path("."))
    assert "no search in this preset" in reproduction_page(evidence, preset("smoke"), Path("."))


def test_runs_with_dropout_stand_beside_those_without(evidence: Evidence) -> None:
    rows = evidence.rows[evidence.rows["dataset"] == "digits"].copy()
    rows.loc[rows["method"] == "GCE-NN", "test_accuracy"] = 99.0
    dropout = Evidence(rows, evidence.histories.iloc[:0], evidence.per_class.iloc[:0])
    page = reproduction_page(evidence, preset("cpu"), Path("."), dropout)
    assert f"as the preset `cpu-dropout`: {len(rows)} runs" in page
    assert "| ABS ≥ NN ≥ URE under GCE | ✔ confirmed, 3 of 3 | ✘ not confirmed, 0 of 3 |" in page
    none = Evidence(rows.iloc[:0], dropout.histories, dropout.per_class)
    assert "## With dropout" not in reproduction_page(evidence, preset("cpu"), Path("."), none)


def test_with_nothing_run_the_pages_say_so(nothing: Evidence) -> None:
    page = reproduction_page(nothing, preset("cpu"), Path("."))
    assert "0 are confirmed, 0 are not, and 11 were not tested here" in page
    assert leaderboard_page(nothing).count("not run") == 21


def test_pages_show_the_pictures_among_the_results(tmp_path: Path, make_row: Maker) -> None:
    results = Results(tmp_path / "results")
    results.add(make_row(preset="cpu"), [], [])
    paths = write_pages(results, "cpu", tmp_path / "docs")
    assert [path.name for path in paths] == ["reproduction.md", "leaderboard.md"]
    assert "(../results/cpu/figure1.png)" in paths[0].read_text()
    assert "(../results/cpu/figure6.png)" in paths[0].read_text()
