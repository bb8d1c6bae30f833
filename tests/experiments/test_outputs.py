import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from oneof.experiments.figures.catalogue import FIGURES
from oneof.experiments.outputs import before_overwriting, write_output, write_report
from oneof.experiments.store import Evidence, Results
from oneof.experiments.tables import TABLES, table2


def test_a_table_is_markdown_and_latex(tmp_path: Path, evidence: Evidence) -> None:
    paths = write_output("table3", evidence, tmp_path / "out")
    assert [path.name for path in paths] == ["table3.md", "table3.tex"]
    assert "**88.00 ± 0.20**" in paths[0].read_text()
    assert r"\begin{tabular}" in paths[1].read_text()


def test_a_figure_is_png_and_pdf(tmp_path: Path, evidence: Evidence) -> None:
    png, pdf = write_output("figure5", evidence, tmp_path)
    assert png.read_bytes().startswith(b"\x89PNG")
    assert pdf.read_bytes().startswith(b"%PDF")


def test_an_unknown_table_is_named(tmp_path: Path, evidence: Evidence) -> None:
    with pytest.raises(ValueError, match=r"unknown table or figure 'table7'; known: table1, .*figure6"):
        write_output("table7", evidence, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_the_report_is_one_file_that_needs_nothing_else(tmp_path: Path, evidence: Evidence) -> None:
    path = write_report(evidence, tmp_path / "a/report.html", title="A <title>", extra=[table2(evidence.rows)])
    page = path.read_text()
    assert "A &lt;title&gt;" in page
    assert f'<meta name="oneof-runs" content="cpu {len(evidence.rows)}">' in page
    assert page.count("data:image/svg+xml;base64,") == len(FIGURES)
    for key in (*TABLES, *FIGURES):
        assert f'id="{key}"' in page
        assert f'href="#{key}"' in page
    assert not re.search(r"""(src|href)=["'](https?:|//)""", page)
    assert [file.name for file in path.parent.iterdir()] == ["report.html"]
    again = write_report(evidence, tmp_path / "again.html", title="A <title>", extra=[table2(evidence.rows)])
    assert again.read_bytes() == path.read_bytes(), "the same rows give the same bytes"


def test_what_a_report_replaces_is_said_or_refused(tmp_path: Path, make_row: Callable[..., dict[str, Any]]) -> None:
    results, page = Results(tmp_path), tmp_path / "report.html"
    assert before_overwriting(page, "cpu", results) == []
    page.write_text('<meta name="oneof-runs" content="cpu 2">')
    with pytest.raises(ValueError, match=r"has no finished run of the preset cpu, .* by preset: none"):
        before_overwriting(page, "cpu", results)
    results.add(make_row(preset="smoke"), [], [])
    with pytest.raises(ValueError, match=r"by preset: smoke \(1\)\. Choose one with --preset"):
        before_overwriting(tmp_path / "new.html", "cpu", results)
    assert before_overwriting(tmp_path / "new.html", "smoke", results) == []
    (remark,) = before_overwriting(page, "smoke", results)
    assert remark.endswith("showed 2 runs of the preset cpu; now it shows 1 of smoke")
    page.write_text('<meta name="oneof-runs" content="smoke 1">')
    assert before_overwriting(page, "smoke", results) == []
