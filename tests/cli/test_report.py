from pathlib import Path

from typer.testing import CliRunner

from oneof.cli.report import app

runner = CliRunner()


def test_a_page_even_when_nothing_was_run(tmp_path: Path) -> None:
    result = runner.invoke(app, ["--results", str(tmp_path), "--docs", str(tmp_path / "docs")])
    assert result.exit_code == 0, result.output
    page = (tmp_path / "report.html").read_text()
    assert "not run" in page
    assert 'id="leaderboard"' in page
    assert (tmp_path / "docs/reproduction.md").is_file()
    for name in ("cpu/table3.md", "cpu/figure2.png", "leaderboard.csv"):
        assert (tmp_path / name).is_file()


def test_a_broken_results_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
    result = runner.invoke(app, ["--results", str(tmp_path)])
    assert result.exit_code == 2
    assert "rows.csv: the columns are not those of this version" in result.stderr
    assert not (tmp_path / "report.html").exists()


def test_an_unknown_preset_is_named(tmp_path: Path) -> None:
    result = runner.invoke(app, ["--results", str(tmp_path), "--preset", "gpu"])
    assert result.exit_code == 2
    assert "unknown preset 'gpu'" in result.stderr
