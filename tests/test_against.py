"""The comparison with other people's code: the adapter of the page runs, and a mistake in one is told."""

import re
from pathlib import Path

import pandas as pd
import pytest

from benchmarks import against

PAGE = Path(__file__).parents[1] / "docs/against.md"
WRONG = """
import numpy as np


class Guess:
    def __init__(self, seed):
        pass

    def fit(self, X, candidates):
        pass

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


class Words(Guess):
    def predict(self, X):
        return ["0"] * len(X)


class Short(Guess):
    def predict(self, X):
        return super().predict(X)[1:]


class High(Guess):
    def predict(self, X):
        return super().predict(X) + 3


class Seedless(Guess):
    def __init__(self):
        pass


class Dumb:
    def __init__(self, seed):
        pass
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, where modules are found, with rows of its own and none of our learners."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(against, "ROWS", tmp_path / "against.csv")
    monkeypatch.setattr(against, "OURS", ())
    return tmp_path


def test_the_adapter_of_the_page_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (folder / "page_adapters.py").write_text(code)
    against.main(["--adapter", "page_adapters:Logistic", "--dataset", "iris", "--seeds", "2"])
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "Logistic" in line]
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells[:5] == ["iris", "3", "1", "105", "page_adapters:Logistic"]
    assert float(cells[5].split()[0]) > 60  # chance is 33
    assert cells[-1] == "2"
    assert not against.ROWS.exists()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Words", "predict must give 45 classes, whole numbers from 0 to 2; it gave an array of <U1"),
        ("Short", r"shape \(44,\)"),
        ("High", r"such as \[3, 3, 3\]"),
        ("Seedless", r"the class is called with a seed, Seedless\(0\)"),
        ("Dumb", "Dumb has no fit and no predict"),
        ("Absent", "expected module:Class that can be imported"),
    ],
)
def test_a_mistake_in_an_adapter_is_told(folder: Path, name: str, message: str) -> None:
    (folder / "wrong_adapters.py").write_text(WRONG)
    with pytest.raises(SystemExit, match=message):
        against.main(["--adapter", f"wrong_adapters:{name}", "--dataset", "iris", "--seeds", "1"])


def test_an_unknown_data_set_is_told(folder: Path) -> None:
    (folder / "wrong_adapters.py").write_text(WRONG)
    with pytest.raises(SystemExit, match="--dataset irsi: expected one of iris, wine, digits, mnist"):
        against.main(["--adapter", "wrong_adapters:Guess", "--dataset", "irsi", "--seeds", "1"])


def test_kept_rows_replace_those_of_the_same_seed_only(folder: Path) -> None:
    def rows(*seeds: int, accuracy: float) -> pd.DataFrame:
        return pd.DataFrame(
            [{"dataset": "iris", "learner": "oneof a", "seed": seed, "test_accuracy": accuracy} for seed in seeds]
        )

    against.keep(rows(0, 1, 2, accuracy=90.0))
    against.keep(rows(1, 3, accuracy=95.0))
    kept = pd.read_csv(against.ROWS)
    assert kept[["seed", "test_accuracy"]].to_numpy().tolist() == [[0, 90], [1, 95], [2, 90], [3, 95]]
