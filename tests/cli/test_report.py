from collections.abc import Callable
from pathlib import Path

import pytest

Command = Callable[..., tuple[int, str, str]]


@pytest.mark.slow
def test_a_page_even_when_nothing_was_run(tmp_path: Path, oneof: Command) -> None:
    code, _, stderr = oneof("report", "--results", tmp_path, "--docs", tmp_path / "docs")
    assert code == 0, stderr
    page = (tmp_path / "report.html").read_text()
    assert "not run" in page
    assert 'id="leaderboard"' in page
    assert (tmp_path / "docs/reproduction.md").is_file()
    for name in ("cpu/table3.md", "cpu/figure2.png", "leaderboard.csv"):
        assert (tmp_path / name).is_file()


def test_a_broken_results_file_is_named(tmp_path: Path, oneof: Command) -> None:
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
    code, _, stderr = oneof("report", "--results", tmp_path)
    assert code == 1
    assert "rows.csv: the columns are not those of this version" in stderr
    assert not (tmp_path / "report.html").exists()


def test_a_folder_that_is_not_there_is_named_and_not_made(tmp_path: Path, oneof: Command) -> None:
    code, _, stderr = oneof("report", "--results", tmp_path / "resutls")
    assert code == 1
    assert "resutls: there is no such folder" in stderr
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_preset_is_named(tmp_path: Path, oneof: Command) -> None:
    code, _, stderr = oneof("report", "--results", tmp_path, "--preset", "gpu")
    assert code == 1
    assert "error: unknown preset 'gpu'" in stderr


@pytest.mark.slow
def test_the_page_tells_negative_risks_and_lost_classes(tmp_path: Path, oneof: Command) -> None:
    committed = Path(__file__).parents[2] / "results"
    for name in ("rows.csv", "per_class.csv"):
        (tmp_path / name).write_text((committed / name).read_text())
    code, _, stderr = oneof("report", "--results", tmp_path, "--output", tmp_path / "page.html")
    assert code == 0, stderr
    page = (tmp_path / "page.html").read_text()
    for key in ("negative", "lost", "leaderboard"):
        assert f'<figure id="{key}" class="table">' in page
        assert f'<a href="#{key}">' in page


def test_a_report_with_runs_is_not_replaced_by_an_empty_one(tmp_path: Path, oneof: Command) -> None:
    rows = Path(__file__).parents[2] / "results/rows.csv"
    lines = [line for line in rows.read_text().splitlines() if not line.startswith("run,") and ",smoke," not in line]
    (tmp_path / "rows.csv").write_text("\n".join([rows.read_text().splitlines()[0], *lines[:3]]) + "\n")
    code, _, stderr = oneof("report", "--results", tmp_path, "--preset", "smoke")
    assert code == 1
    assert "has no finished run of the preset smoke" in stderr
    assert "finished runs by preset: fast (3)" in stderr
    assert not (tmp_path / "report.html").exists()
