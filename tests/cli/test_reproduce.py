from pathlib import Path

import pytest
from typer.testing import CliRunner

from oneof.cli.reproduce import app
from oneof.experiments.store import Results

runner = CliRunner()


@pytest.fixture(autouse=True)
def no_data_sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fresh clone: no data set at hand."""
    monkeypatch.setenv("ONEOF_DATA", str(tmp_path / "empty"))
    monkeypatch.setattr("warnings.showwarning", None)


def test_table2_from_a_fresh_clone(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    result = runner.invoke(app, ["table2", "--preset", "smoke", "--results", str(folder), "--workers", "1"])
    assert result.exit_code == 0, result.output
    assert "| 0.7 | digits | here |" in result.stdout
    assert "| 0.7 | USPS | here | not run |" in result.stdout
    assert (folder / "smoke/table2.tex").is_file()
    rows = Results(folder).rows()
    assert len(rows) == 36
    assert rows["test_accuracy"].min() > 20

    again = runner.invoke(app, ["table2", "--preset", "smoke", "--results", str(folder)])
    assert again.exit_code == 0
    assert "runs" not in again.stderr

    one = rows["run"].iloc[0]
    repeated = runner.invoke(app, [one, "--results", str(folder)])
    assert repeated.exit_code == 0
    assert repeated.stdout.strip().endswith("the same")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["table7"], "unknown table or figure 'table7'; known: table1 to table6, figure1 to figure6, all, leaderboard"),
        (["table1", "--preset", "gpu"], "unknown preset 'gpu'; known: paper, cpu, cpu-mlp, cpu-dropout, fast, smoke"),
        (["table2", "--dataset", "imagenet"], "unknown data set 'imagenet'"),
        (["table2", "--dataset", "digits"], "the preset cpu has no data set 'digits'"),
        (["table2", "--dataset", "USPS", "--seeds", "7"], "has 1 to 5 seeds, not 7"),
        (["table2", "--dataset", "usps"], "Fetch it with `oneof data fetch usps`"),
        (["0123456789ab"], "has no run '0123456789ab'"),
    ],
)
def test_mistakes_are_one_line_and_write_nothing(tmp_path: Path, arguments: list[str], complaint: str) -> None:
    result = runner.invoke(app, [*arguments, "--results", str(tmp_path / "results")])
    assert result.exit_code == 2
    assert complaint in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "results").exists()


def test_figure1_needs_no_runs(tmp_path: Path) -> None:
    result = runner.invoke(app, ["figure1", "--results", str(tmp_path)])
    assert result.exit_code == 0
    assert (tmp_path / "cpu/figure1.png").is_file()
