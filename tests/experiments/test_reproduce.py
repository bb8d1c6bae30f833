from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from oneof.engines.base import Report
from oneof.engines.local import Local
from oneof.experiments import reproduce as module
from oneof.experiments.grid import needed
from oneof.experiments.methods import CORRECTED
from oneof.experiments.protocol import Budget, Preset, RunSpec, preset
from oneof.experiments.reproduce import RunsFailed, restrict, run_again, run_missing, write
from oneof.experiments.runner import RunResult
from oneof.experiments.store import Results

Maker = Callable[..., dict[str, Any]]
TINY = Preset("smoke", "paper", (0,), {"digits": Budget("mlp", 2, learning_rate=0.2)})


def test_restriction() -> None:
    cpu = preset("cpu")
    assert list(restrict(cpu, ["usps"]).budgets) == ["usps"]
    assert restrict(cpu, None, 2).seeds == (0, 1)
    with pytest.raises(ValueError, match="the preset cpu has no data set 'digits'; it has usps, mnist"):
        restrict(cpu, ["digits"])
    with pytest.raises(ValueError, match="1 to 5 seeds, not 9"):
        restrict(cpu, None, 9)


def test_runs_then_writes(tmp_path: Path) -> None:
    results = Results(tmp_path)
    summary = run_missing("table4", TINY, results, engine=Local(1), console=None)
    assert summary.done == 3
    assert run_missing("figure3", TINY, results, engine=Local(1), console=None).skipped == 3
    (markdown, _), (picture, _) = write("table4", "smoke", results), write("figure3", "smoke", results)
    assert markdown == tmp_path / "smoke/table4.md"
    assert "digits" in markdown.read_text()
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_all_is_every_item(tmp_path: Path) -> None:
    names = {path.name for path in write("all", "smoke", Results(tmp_path))}
    assert names == {f"table{n}.{kind}" for n in range(1, 7) for kind in ("md", "tex")} | {
        f"figure{n}.{kind}" for n in range(1, 7) for kind in ("png", "pdf")
    }


def test_the_leaderboard_has_a_csv(tmp_path: Path, make_row: Maker) -> None:
    results = Results(tmp_path)
    run = needed("leaderboard", preset("fast"))[0].run
    results.add(make_row(run=run, preset="fast", method="Likelihood", test_accuracy=95.0), [], [])
    paths = write("leaderboard", "fast", results)
    assert [path.name for path in paths] == ["leaderboard.csv", "leaderboard.md", "leaderboard.tex"]
    board = pd.read_csv(tmp_path / "leaderboard.csv")
    assert board.columns[:9].tolist() == (
        [
            "dataset",
            "p_yes",
            "objective",
            "accuracy_mean",
            "accuracy_std",
            "seeds",
            "minutes",
            "paper_best",
            "supervised",
        ]
    )
    assert board["passes"].tolist() == [True]


def test_the_search_goes_first_and_its_choice_is_used(
    tmp_path: Path, make_row: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[RunSpec] = []

    def fake(spec: RunSpec, path: Path, on_epoch: Report) -> RunResult:
        done.append(spec)
        promise = 90.0 if (spec.learning_rate, spec.weight_decay) == (1e-2, 1e-5) else 50.0 + 100 * spec.learning_rate
        promise += 30.0 if spec.learning_rate == 1e-2 else 0.0
        return RunResult(make_row(run=spec.run, label_free_accuracy=promise), [], [])

    monkeypatch.setattr(module, "execute", fake)
    searching = replace(TINY, budgets={"digits": Budget("mlp", 2, search_epochs=1)})
    run_missing("figure4", searching, Results(tmp_path), engine=Local(1), console=None)
    assert [spec.epochs for spec in done] == [1] * 9 + [2]
    assert (done[-1].learning_rate, done[-1].weight_decay) == (1e-2, 1e-5)
    assert done[-1].holdout == 0.0


def test_corrected_risks_are_compared_after_all_runs_that_the_leaderboard_shows(
    tmp_path: Path, make_row: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[RunSpec] = []

    def fake(spec: RunSpec, path: Path, on_epoch: Report) -> RunResult:
        done.append(spec)
        return RunResult(make_row(run=spec.run, held_out_log_likelihood=-1.0 / spec.epochs), [], [])

    monkeypatch.setattr(module, "execute", fake)
    own = Budget("mlp", 2)
    board = replace(TINY, budgets={"digits": own}, candidates={"digits": (replace(own, epochs=5),)})
    run_missing("leaderboard", board, Results(tmp_path), engine=Local(1), console=None)
    assert [spec.epochs for spec in done[:2]] == [2, 5]
    assert {spec.epochs for spec in done[2:]} == {5}, "the budget that held-out answers prefer"
    assert [spec.method for spec in done[-6:]] == list(CORRECTED)
    assert [spec.holdout > 0 for spec in done] == [True] * 2 + [False] * (len(done) - 8) + [True] * 6


def test_failures_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(spec: RunSpec, path: Path, on_epoch: Report) -> RunResult:
        raise MemoryError("too large")

    monkeypatch.setattr(module, "execute", fail)
    message = r"3 runs failed, 0 finished and are kept\. digits P\(s=1\)=0.7 GCE-ABS .*too large"
    with pytest.raises(RunsFailed, match=message):
        run_missing("table4", TINY, Results(tmp_path), engine=Local(1), console=None)


def test_a_search_that_fails_stops_only_the_runs_that_wait_for_it(
    tmp_path: Path, make_row: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[RunSpec] = []

    def fake(spec: RunSpec, path: Path, on_epoch: Report) -> RunResult:
        done.append(spec)
        if (spec.method, spec.learning_rate, spec.epochs) == ("GCE-NN", 1e-2, 1):
            raise MemoryError("too large")
        return RunResult(make_row(run=spec.run, label_free_accuracy=50.0 + spec.learning_rate), [], [])

    monkeypatch.setattr(module, "execute", fake)
    searching = replace(TINY, budgets={"digits": Budget("mlp", 2, search_epochs=1)})
    results = Results(tmp_path)
    with pytest.raises(RunsFailed, match=r"^1 runs failed, 26 finished and are kept, 1 wait for the search\. digits"):
        run_missing("table4", searching, results, engine=Local(1), console=None)
    assert {spec.method for spec in done if spec.epochs == 2} == {"GCE-ABS", "GCE-URE"}
    assert results.failed()["method"].tolist() == ["GCE-NN"]


def test_a_row_run_again_is_the_same_to_the_last_digit(tmp_path: Path) -> None:
    results = Results(tmp_path)
    run_missing("figure4", TINY, results, engine=Local(1), console=None)
    (spec,) = needed("figure4", TINY)
    again = run_again(spec.run, results)
    assert again.same
    assert again.describe().endswith("the same")
    with pytest.raises(ValueError, match=r"rows\.csv has no run 'abc'"):
        run_again("abc", results)
