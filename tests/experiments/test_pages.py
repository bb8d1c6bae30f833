import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

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


def test_the_line_of_contents_leads_to_every_section(evidence: Evidence) -> None:
    page = reproduction_page(evidence, preset("cpu"), Path("."))
    (line,) = [line for line in page.splitlines() if line.startswith("On this page: ")]
    linked = re.findall(r"\[(.+?)\]\(#(.+?)\)", line)
    headings = [text.lstrip("# ") for text in page.splitlines() if text.startswith("##")]
    assert [title for title, _ in linked] == [text for text in headings if text not in ("Tables", "Figures")]
    assert all(anchor == title.lower().replace(" ", "-") for title, anchor in linked)
    assert "Lost classes" not in headings


def test_classes_that_were_lost_get_a_table(evidence: Evidence) -> None:
    by_class = evidence.per_class.assign(accuracy=evidence.per_class["accuracy"].mask(by_label(evidence, "3"), 0.5))
    page = reproduction_page(Evidence(evidence.rows, evidence.histories, by_class), preset("cpu"), Path("."))
    assert "### Lost classes\n\n**Lost classes. " in page
    assert "[Lost classes](#lost-classes)" in page


def by_label(evidence: Evidence, label: str) -> pd.Series:
    """Which lines of the accuracies by class are about this class under PLL-Avg."""
    table = evidence.per_class
    return (table["class_name"] == label) & (table["method"] == "PLL-Avg")


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
