"""Callbacks are called once for every epoch, and write what TensorBoard and MLflow show."""

import sys
from copy import deepcopy
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from oneof import OneOfClassifier
from oneof.training import callbacks
from oneof.training.callbacks import MLflow, TensorBoard, create

X, LABELS = np.repeat(np.eye(3), 20, axis=0), np.repeat([0, 1, 2], 20)


def test_a_function_is_called_with_each_row() -> None:
    seen: list[dict[str, Any]] = []
    model = OneOfClassifier(epochs=3, random_state=0, callbacks=[seen.append]).fit(X, LABELS)
    assert seen == model.history_
    assert [row["epoch"] for row in seen] == [1, 2, 3]


def test_what_a_callback_changes_stays_with_it() -> None:
    model = OneOfClassifier(epochs=1, random_state=0, callbacks=[dict.clear]).fit(X, LABELS)
    assert model.history_[0]["epoch"] == 1


def test_tensorboard_holds_the_history(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard", reason="the extra tensorboard is not installed")
    log = TensorBoard(str(tmp_path / "runs"))
    model = clone(OneOfClassifier(epochs=2, random_state=0, callbacks=[log])).fit(X, LABELS)
    clone(model)  # also with a file that is open
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    found = EventAccumulator(str(tmp_path / "runs"))
    found.Reload()
    drawn = [(event.step, event.value) for event in found.Scalars("objective")]
    assert [step for step, _ in drawn] == [1, 2]
    assert [value for _, value in drawn] == pytest.approx([row["objective"] for row in model.history_], rel=1e-6)


class Server(ModuleType):
    """Stands in for mlflow: the calls that are made, with the meaning that its documentation gives them."""

    def __init__(self) -> None:
        super().__init__("mlflow")
        self.__spec__ = ModuleSpec("mlflow", None)
        self.runs: list[list[tuple[int, dict[str, float]]]] = []
        self.experiments: list[str] = []
        self.open: Any = None

    def get_experiment_by_name(self, name: str) -> None:
        if name == "unreachable":
            raise ConnectionError("API request failed\nand a page more")

    def set_experiment(self, name: str) -> None:
        self.experiments.append(name)

    def active_run(self) -> Any:
        return self.open

    def start_run(self) -> Any:
        assert self.open is None
        self.runs.append([])
        self.open = SimpleNamespace(info=SimpleNamespace(run_id=f"run {len(self.runs)}"))
        return self.open

    def end_run(self) -> None:
        self.open = None

    def log_metrics(self, metrics: dict[str, float], step: int) -> None:
        self.runs[-1].append((step, metrics))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    server = Server()
    monkeypatch.setitem(sys.modules, "mlflow", server)
    return server


def test_each_training_is_a_run_of_the_experiment(server: Server) -> None:
    model = OneOfClassifier(epochs=2, random_state=0, callbacks=[create("mlflow:birds")])
    history = model.fit(X, LABELS).history_
    model.fit(X, LABELS)
    assert server.experiments == ["birds", "birds"]
    assert [[step for step, _ in run] for run in server.runs] == [[1, 2], [1, 2]]
    assert server.runs[0][1][1]["objective"] == history[1]["objective"]


def test_a_run_of_the_users_is_used_and_left_open(server: Server) -> None:
    mine = server.start_run()
    OneOfClassifier(epochs=1, random_state=0, callbacks=[MLflow("birds")]).fit(X, LABELS)
    assert len(server.runs) == 1
    assert server.active_run() is mine
    assert not server.experiments


def test_a_package_that_is_missing_is_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callbacks, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"tensorboard needs .*: pip install 'oneof\[tensorboard\]'"):
        create("tensorboard:runs")
    with pytest.raises(ValueError, match="pip install mlflow"):
        create("mlflow:birds")


@pytest.mark.parametrize("text", ["tensorboard", "tensorboard:", "elsewhere:runs", ""])
def test_what_is_not_understood_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected tensorboard:FOLDER or mlflow:EXPERIMENT"):
        create(text)


def test_copies_do_not_share_a_file(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard", reason="the extra tensorboard is not installed")
    log = TensorBoard(str(tmp_path))
    log({"epoch": 1, "objective": 0.5})
    assert deepcopy(log)._writer is None


def test_a_server_that_cannot_be_reached_is_noticed_before_training(server: Server) -> None:
    with pytest.raises(
        ValueError, match=r"^mlflow:unreachable: API request failed \(MLFLOW_TRACKING_URI names a server"
    ):
        create("mlflow:unreachable")
    assert server.runs == []
