from collections.abc import Callable
from pathlib import Path

import pytest

from oneof.experiments.store import Results

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def no_data_sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fresh clone: no data set at hand."""
    monkeypatch.setenv("ONEOF_DATA", str(tmp_path / "empty"))
    monkeypatch.setattr("warnings.showwarning", None)


@pytest.mark.slow
def test_table2_from_a_fresh_clone(tmp_path: Path, oneof: Command) -> None:
    folder = tmp_path / "results"
    code, shown, stderr = oneof(
        "reproduce", "table2", "--preset", "smoke", "--seeds", 1, "--results", folder, "--workers", 1
    )
    assert code == 0, stderr
    assert "| 0.7 | digits | here |" in shown
    assert "| 0.7 | USPS | here | not run |" in shown
    assert (folder / "smoke/table2.tex").is_file()
    rows = Results(folder).rows()
    assert len(rows) == 18
    assert rows["test_accuracy"].min() > 20

    code, _, stderr = oneof("reproduce", "table2", "--preset", "smoke", "--seeds", 1, "--results", folder)
    assert code == 0
    assert "runs" not in stderr

    one = rows["run"].iloc[0]
    code, shown, _ = oneof("reproduce", one, "--results", folder)
    assert code == 0
    assert shown.strip().endswith("the same")


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
def test_mistakes_are_one_line_and_write_nothing(
    tmp_path: Path, arguments: list[str], complaint: str, oneof: Command
) -> None:
    code, _, stderr = oneof("reproduce", *arguments, "--results", tmp_path / "results")
    assert code == 1
    assert stderr.startswith("error: ")
    assert complaint in stderr
    assert len(stderr.strip().splitlines()) == 1
    assert not (tmp_path / "results").exists()


def test_figure1_needs_no_runs(tmp_path: Path, oneof: Command) -> None:
    assert oneof("reproduce", "figure1", "--results", tmp_path)[0] == 0
    assert (tmp_path / "cpu/figure1.png").is_file()


def test_failed_runs_are_told_after_the_table_is_written(
    tmp_path: Path, oneof: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    from oneof.experiments import reproduce

    def fails(*_: object, **__: object) -> None:
        raise reproduce.RunsFailed("1 of 36 runs failed")

    monkeypatch.setattr(reproduce, "run_missing", fails)
    code, _, stderr = oneof("reproduce", "table2", "--preset", "smoke", "--results", tmp_path)
    assert (code, stderr) == (1, "error: 1 of 36 runs failed\n")
    assert (tmp_path / "smoke/table2.md").is_file()


def test_a_dry_run_shows_what_is_missing_and_runs_nothing(tmp_path: Path, oneof: Command) -> None:
    code, shown, stderr = oneof("reproduce", "table3", "--dry-run", "--dataset", "usps", "--results", tmp_path / "new")
    assert code == 0, stderr
    assert "| USPS | cnn-12 | 100 | 0 | 45 | 21 | – |" in shown
    assert not (tmp_path / "new").exists()
