import re
from pathlib import Path

import pytest

from oneof.experiments.figures.catalogue import FIGURES
from oneof.experiments.outputs import known, write_item, write_report
from oneof.experiments.store import Evidence
from oneof.experiments.tables import TABLES, table2


def test_a_table_is_markdown_and_latex(tmp_path: Path, evidence: Evidence) -> None:
    paths = write_item("table3", evidence, tmp_path / "out")
    assert [path.name for path in paths] == ["table3.md", "table3.tex"]
    assert "**88.00 ± 0.20**" in paths[0].read_text()
    assert r"\begin{tabular}" in paths[1].read_text()


def test_a_figure_is_png_and_pdf(tmp_path: Path, evidence: Evidence) -> None:
    png, pdf = write_item("figure5", evidence, tmp_path)
    assert png.read_bytes().startswith(b"\x89PNG")
    assert pdf.read_bytes().startswith(b"%PDF")


def test_an_unknown_item_is_named(tmp_path: Path, evidence: Evidence) -> None:
    with pytest.raises(ValueError, match=r"unknown table or figure 'table7'; known: table1, .*figure6"):
        write_item("table7", evidence, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert known("figure1") == "figure1"


@pytest.mark.slow
def test_the_report_is_one_file_that_needs_nothing_else(tmp_path: Path, evidence: Evidence) -> None:
    path = write_report(evidence, tmp_path / "a/report.html", title="A <title>", extra=[table2(evidence.rows)])
    page = path.read_text()
    assert "A &lt;title&gt;" in page
    assert page.count("data:image/svg+xml;base64,") == len(FIGURES)
    for key in (*TABLES, *FIGURES):
        assert f'id="{key}"' in page
        assert f'href="#{key}"' in page
    assert not re.search(r"""(src|href)=["'](https?:|//)""", page)
    assert [file.name for file in path.parent.iterdir()] == ["report.html"]
    again = write_report(evidence, tmp_path / "again.html", title="A <title>", extra=[table2(evidence.rows)])
    assert again.read_bytes() == path.read_bytes(), "the same rows give the same bytes"
