from collections.abc import Callable
from pathlib import Path
from typing import Any

from oneof.experiments.pages import reproduction_page, write_pages
from oneof.experiments.protocol import preset
from oneof.experiments.store import Evidence, Results

Maker = Callable[..., dict[str, Any]]


def test_the_page_has_verdicts_tables_and_figures(evidence: Evidence) -> None:
    page = reproduction_page(evidence, preset("cpu"), Path("../results/cpu"))
    assert "## Claim by claim" in page
    assert "**Table VI. " in page
    assert "**Negative risk. " in page
    assert "![Figure 2. " in page
    assert "(../results/cpu/figure2.png)" in page


def test_the_choices_are_told(evidence: Evidence) -> None:
    page = reproduction_page(evidence, preset("cpu"), Path("."))
    assert "Epochs of a search run: usps 10" in page
    assert "Fixed, without a search: 0.2 and 0.0001 for mnist, " in page
    assert "shorter runs: mnist every 6 of 20, " in page
    assert "the whole grids" in reproduction_page(evidence, preset("paper"), Path("."))
    assert "no search in this preset" in reproduction_page(evidence, preset("smoke"), Path("."))


def test_other_networks_have_tables_and_figures_of_their_own(evidence: Evidence) -> None:
    letters = evidence.rows[evidence.rows["dataset"] == "digits"].assign(dataset="EMNIST-Letters")
    other = Evidence(letters, evidence.histories.iloc[:0], evidence.per_class.iloc[:0])
    page = reproduction_page(evidence, preset("cpu"), Path("../results/cpu"), {"cpu-mlp": other})
    section = page[page.index("## With another network: `cpu-mlp`") :]
    assert "26 classes, preset cpu-mlp**" in section
    assert "(../results/cpu-mlp/figure4.png)" in section
    assert "figure5" not in section
    none = Evidence(letters.iloc[:0], other.histories, other.per_class)
    assert "another network" not in reproduction_page(evidence, preset("cpu"), Path("."), {"cpu-mlp": none})


def test_with_nothing_run_the_page_says_so(nothing: Evidence) -> None:
    page = reproduction_page(nothing, preset("cpu"), Path("."))
    assert "claims; holds: 0, does not hold: 0, cannot be told at this budget: 0, not tested: " in page


def test_pages_show_the_pictures_among_the_results(tmp_path: Path, make_row: Maker) -> None:
    results = Results(tmp_path / "results")
    results.add(make_row(preset="cpu"), [], [])
    paths = write_pages(results, "cpu", tmp_path / "docs")
    assert [path.name for path in paths] == ["reproduction.md", "leaderboard.md"]
    assert "(../results/cpu/figure1.png)" in paths[0].read_text()
    assert "(../results/cpu/figure6.png)" in paths[0].read_text()
