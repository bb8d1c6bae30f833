from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from oneof import datasets
from oneof.datasets import DataError, DatasetInfo, registry
from oneof.engines.local import Local
from oneof.experiments import methods, protocol, register
from oneof.experiments.methods import Method
from oneof.experiments.protocol import Budget, Preset, preset
from oneof.experiments.reproduce import run_missing, write
from oneof.experiments.store import Results


@pytest.fixture(autouse=True)
def restored(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is gone after it."""
    monkeypatch.setattr(methods, "_METHODS", list(methods._METHODS))
    monkeypatch.setattr(protocol, "PRESETS", dict(protocol.PRESETS))
    monkeypatch.setattr(registry, "_REGISTRY", dict(registry._REGISTRY))


def stripes(split: Literal["train", "test"]) -> tuple[np.ndarray, np.ndarray]:
    labels = np.random.default_rng(split == "test").integers(3, size=240 if split == "train" else 60)
    images = np.zeros((len(labels), 1, 8, 8), dtype=np.uint8)
    images[np.arange(len(labels)), 0, 2 * labels] = 255
    return images, labels


STRIPES = DatasetInfo("stripes", "Stripes", "", (240, 60), (240, 60), (1, 8, 8), ("a", "b", "c"), read=stripes)


def test_a_method_and_a_data_set_from_outside_stand_in_table_two(tmp_path: Path) -> None:
    register(STRIPES)
    register(Method("Mine", "abs", {"loss": "mse"}))
    register(Preset("mine", "paper", (0,), {"stripes": Budget("mlp", 2, learning_rate=0.2)}, methods=("Mine",)))
    assert datasets.load("Stripes", "test").images.shape == (60, 1, 8, 8)
    results = Results(tmp_path)
    summary = run_missing("table2", preset("mine"), results, engine=Local(1), console=None)
    assert summary.done == 3 * 7
    text = write("table2", "mine", results)[0].read_text()
    assert "| PRODEN | Likelihood | Mine |" in text
    assert "| 0.7 | Stripes | here |" in text


def test_a_name_that_is_taken_or_no_such_thing_is_refused() -> None:
    with pytest.raises(ValueError, match="there is a method 'GCE-ABS' already"):
        register(Method("GCE-ABS", "abs"))
    with pytest.raises(ValueError, match="there is a method 'Supervised' already"):
        register(Method("Supervised", "likelihood"))
    with pytest.raises(ValueError, match="there is a preset 'cpu' already"):
        register(preset("cpu"))
    with pytest.raises(DataError, match="there is a data set 'CIFAR-10' already"):
        register(DatasetInfo("CIFAR-10", "", "", (1, 1), (1, 1), (1, 8, 8), ("a", "b"), read=stripes))
    with pytest.raises(DataError, match="'bare' needs a function `read`"):
        register(DatasetInfo("bare", "", "", (1, 1), (1, 1), (1, 8, 8), ("a", "b")))
    text: Any = "mine"
    with pytest.raises(TypeError, match="not a str"):
        register(text)
