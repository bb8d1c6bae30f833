"""The recipes of CONTRIBUTING, followed to the letter: what each says to write is run, and used as it says."""

import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from oneof import OneOfClassifier, datasets, encoders, estimate_accuracy, losses, objectives, respond
from oneof.answers import Answers
from oneof.datasets import registry as known_datasets
from oneof.encoders import registry as known_encoders
from oneof.experiments import methods, protocol
from oneof.experiments.grid import needed
from oneof.objectives import registry as known_objectives
from oneof.queries.moment import unbiased_weights

TEXT = (Path(__file__).parent.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")


def followed(heading: str) -> dict[str, Any]:
    """What the Python under a heading defines."""
    section = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## )", TEXT, flags=re.MULTILINE | re.DOTALL)
    assert section is not None, f"CONTRIBUTING has no section {heading!r}"
    code = re.findall(r"^```python\n(.*?)^```", section[1], flags=re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {"__name__": "recipe", "torch": torch}
    exec("\n".join(code), names)
    return names


@pytest.fixture(autouse=True)
def _restored(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a recipe registers is gone after it."""
    monkeypatch.setattr(losses, "_LOSSES", dict(losses._LOSSES))
    monkeypatch.setattr(known_objectives, "_REGISTRY", dict(known_objectives._REGISTRY))
    monkeypatch.setattr(known_encoders, "_HOMES", dict(known_encoders._HOMES))
    monkeypatch.setattr(known_datasets, "_REGISTRY", dict(known_datasets._REGISTRY))
    monkeypatch.setattr(methods, "_METHODS", list(methods._METHODS))
    monkeypatch.setattr(protocol, "PRESETS", dict(protocol.PRESETS))


def test_add_a_loss() -> None:
    root = followed("Add a loss")["root"]
    assert torch.allclose(root(torch.zeros(1, 4)), torch.full((1, 4), 0.5))
    assert torch.isfinite(root(torch.tensor([[1e4, -1e4]]))).all()
    asked = torch.tensor([[True, False, False], [False, True, False]])
    risk = objectives.create("abs", loss=root)(torch.zeros(2, 3), asked, torch.tensor([True, False]))
    assert torch.isfinite(risk.value)
    X = np.eye(3, dtype=np.float32).repeat(10, axis=0)
    subsets = np.eye(3, dtype=np.bool_)[np.arange(30) % 3]
    answers = Answers(subsets, respond(subsets, np.arange(30) // 10))
    for loss in (root, "root"):
        model = OneOfClassifier("abs", loss=loss, epochs=1, holdout=0.0, random_state=0).fit(X, answers)
        assert model.predict(X).shape == (30,)


def test_add_an_objective() -> None:
    followed("Add an objective")
    objective = objectives.create("one-minus")
    logits = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    asked = torch.tensor([[True, False, False], [True, True, False], [False, True, False], [False, True, True]])
    said = torch.tensor([True, False, False, True])
    p = torch.softmax(logits, dim=1)
    assert torch.allclose(objective(logits, asked, said).value, 1 - (p * (asked == said[:, None])).sum(1).mean())
    objective(logits, asked, said).backward()
    assert logits.grad is not None


def test_add_a_query_law() -> None:
    queries = followed("Add a query law")["NeighbourQueries"](10)
    rng, labels = np.random.default_rng(0), np.arange(4000) % 10
    every, (one, two) = queries._every(), np.split(queries._every(), 2)
    assert (one.sum(), two.sum(), queries.p_yes) == (10, 20, every.mean())
    weights = sum(unbiased_weights(queries, every, every[:, y])[:, y].mean() for y in range(10))
    assert weights == pytest.approx(10)
    subsets = queries.draw(4000, rng)
    answers = Answers(subsets, respond(subsets, labels))
    predictions = np.where(np.arange(4000) % 5 == 0, (labels + 3) % 10, labels)
    found = estimate_accuracy(predictions, answers, queries=queries)
    assert found.low < 0.8 < found.high
    objectives.create("abs", weights="minimum-norm", queries=queries)


def test_add_an_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    length = followed("Add an encoder")["Length"]
    monkeypatch.setitem(sys.modules, "oneof.encoders.length", SimpleNamespace(Length=length))
    monkeypatch.setitem(known_encoders._HOMES, "length", ("oneof.encoders.length", "Length"))
    assert encoders.create("length").fit(["a text"]).transform(["one", "two words"]).tolist() == [[1, 3], [2, 9]]


def test_add_a_data_set(tmp_path: Path) -> None:
    load_records = followed("Add a data set")["load_records"]
    assert datasets.info("lamps").downloads[0].urls == ("https://example.org/lamps/train.bin",)
    with pytest.raises(datasets.MissingDataError, match="oneof data fetch lamps"):
        datasets.load("lamps", "train", root=tmp_path)
    folder = tmp_path / "lamps"
    folder.mkdir()
    for name, count in (("train.bin", 4), ("test.bin", 2)):
        pictures = [bytes([row % 2]) + bytes([200 * (row % 2)]) * 64 for row in range(count)]
        (folder / name).write_bytes(b"".join(pictures))
    train = datasets.load("lamps", "train", root=tmp_path)
    assert (train.images.shape, train.labels.tolist(), train.class_names) == ((4, 1, 8, 8), [0, 1, 0, 1], ("off", "on"))
    assert datasets.check("lamps", tmp_path)
    (folder / "test.bin").write_bytes(b"short")
    with pytest.raises(datasets.ChecksumError, match=r"test\.bin"):
        datasets.load("lamps", "test", root=tmp_path)
    with pytest.raises(datasets.FormatError, match="whole records"):
        load_records(folder / "test.bin")


def test_a_method_and_a_data_set_of_your_own() -> None:
    followed("Compare a method of your own with the paper's, without editing this package")
    train, test = datasets.load("bars", "train"), datasets.load("bars", "test")
    assert (len(train), len(test), train.images.shape[1:]) == (800, 200, (1, 8, 8))
    runs = needed("table2", protocol.preset("mine"))
    assert len(runs) == 2 * 3 * 7
    assert {run.method for run in runs} >= {"GCE-ABS, all sets", "PRODEN"}
