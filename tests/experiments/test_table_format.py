import pytest

from oneof.experiments.table_format import Cell, Table, to_html, to_latex, to_markdown

TABLE = Table(
    "table9",
    "A & B, 100 %",
    ("method", "P(s=1)|x"),
    ((Cell("a_b"), Cell("95.40 ± 0.16", bold=True)), (Cell("<c>"), Cell("not run", pale=True))),
    ("one note",),
)


def test_markdown() -> None:
    text = to_markdown(TABLE)
    assert "| a_b | **95.40 ± 0.16** |" in text
    assert r"P(s=1)\|x" in text
    assert "- one note" in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 4


def test_latex() -> None:
    text = to_latex(TABLE)
    assert r"a\_b & \textbf{95.40 $\pm$ 0.16} \\" in text
    assert r"\caption{A \& B, 100 \%}" in text
    assert r"\textcolor{gray}{not run}" in text
    assert text.count("{") == text.count("}")


def test_html() -> None:
    text = to_html(TABLE)
    assert "<td>&lt;c&gt;</td>" in text
    assert "<strong>95.40 ± 0.16</strong>" in text
    assert '<td class="pale">not run</td>' in text
    assert 'id="table9"' in text


def test_a_short_row_is_refused() -> None:
    with pytest.raises(ValueError, match="row 0: 1 cells under 2 columns"):
        Table("t", "c", ("a", "b"), ((Cell("1"),),))
