"""Model folders and ONNX files."""

import errno
import json
import os
import resource
import signal
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import torch
from torch import nn

from oneof import Answers, OneOfClassifier, UniformQueries, WeightedQueries, respond
from oneof.classifier.exporting import export_classifier
from oneof.encoders import exporting
from oneof.training import Config, Fitted, Network


def classifier(backbone: str = "mlp", shape: tuple[int, ...] = (6,), seed: int = 0, **options) -> OneOfClassifier:
    """Fitted for one epoch, on noise: what it predicts does not matter here."""
    rng = np.random.default_rng(seed)
    x = rng.normal(3, 2, size=(40, *shape)).astype(np.float32)
    subsets = UniformQueries(4, 2).draw(40, rng)
    answers = Answers(subsets, respond(subsets, rng.integers(4, size=40)), class_names=["a", "b", "c", "d"])
    return OneOfClassifier(backbone=backbone, width=4, epochs=1, random_state=seed, **options).fit(x, answers)


def items(model: OneOfClassifier, n: int = 9) -> np.ndarray:
    return np.random.default_rng(1).normal(3, 2, size=(n, *model.shape_)).astype(np.float32)


@pytest.fixture
def saved(tmp_path):
    model = classifier()
    model.save(tmp_path / "model")
    return model, tmp_path / "model"


def test_a_folder_that_says_auto_holds_the_network_that_the_first_release_took(tmp_path):
    """Later ones say which network it is."""
    model = classifier("auto", shape=(1, 16, 16))
    model.save(tmp_path / "model")
    path = tmp_path / "model" / "model.json"
    facts = json.loads(path.read_text())
    assert facts["config"]["backbone"] == "cnn"
    facts["config"]["backbone"] = "auto"
    path.write_text(json.dumps(facts))
    again = OneOfClassifier.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_proba(items(model)), model.predict_proba(items(model)))


@pytest.mark.parametrize(
    ("backbone", "shape"), [("mlp", (6,)), ("cnn", (1, 9, 8)), ("resnet9", (3, 9, 8)), ("resnet34", (3, 8, 8))]
)
def test_a_model_comes_back(backbone, shape, tmp_path):
    model = classifier(backbone, shape)
    model.save(tmp_path / "deep" / "model")
    loaded = OneOfClassifier.load(tmp_path / "deep" / "model")
    np.testing.assert_array_equal(loaded.predict_proba(items(model)), model.predict_proba(items(model)))
    np.testing.assert_array_equal(loaded.predict(items(model)), model.predict(items(model)))
    for name in ("history_", "best_epoch_", "accuracy_", "config_", "shape_", "n_features_in_", "n_iter_"):
        assert getattr(loaded, name) == getattr(model, name), name
    assert sorted(path.name for path in (tmp_path / "deep" / "model").iterdir()) == [
        "model.json",
        "weights.safetensors",
    ]
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["model"]


def test_a_loaded_model_can_be_fitted_again_and_saved_again(saved, tmp_path):
    model, path = saved
    loaded = OneOfClassifier.load(path)
    loaded.save(tmp_path / "again")
    np.testing.assert_array_equal(
        OneOfClassifier.load(tmp_path / "again").predict(items(model)), model.predict(items(model))
    )
    assert loaded.get_params()["epochs"] == 1


def test_the_json_tells_everything(saved):
    _, path = saved
    facts = json.loads((path / "model.json").read_text())
    assert facts["classes"] == ["a", "b", "c", "d"]
    assert facts["config"]["recipe"] == "fast"
    assert facts["config"]["epochs"] == 1
    assert set(facts) >= {"format", "version", "shape", "accuracy", "history", "best_epoch", "queries"}


def test_queries_come_back(tmp_path):
    table = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]
    model = classifier(queries=WeightedQueries(table, [0.5, 0.25, 0.25]), holdout=0.0)
    model.save(tmp_path / "model")
    loaded = OneOfClassifier.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.queries.subsets, np.array(table, dtype=bool))
    np.testing.assert_array_equal(loaded.queries.probabilities, [0.5, 0.25, 0.25])
    model.queries = object()
    with pytest.raises(ValueError, match="queries of type object cannot be saved"):
        model.save(tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_saving_replaces_a_model_and_nothing_else(saved, tmp_path):
    _, path = saved
    other = classifier(seed=5)
    other.save(path)
    np.testing.assert_array_equal(
        OneOfClassifier.load(path).predict_proba(items(other)), other.predict_proba(items(other))
    )
    assert [entry.name for entry in tmp_path.iterdir()] == ["model"]
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis.txt").write_text("all of it")
    with pytest.raises(ValueError, match="precious exists and is not a model: choose another place"):
        other.save(precious)
    assert (precious / "thesis.txt").read_text() == "all of it"


def test_a_model_that_cannot_be_replaced_stays(saved, tmp_path, monkeypatch):
    model, path = saved
    rename = Path.rename

    def fail_for_the_new_one(self, target):
        if target == path and self.name != "old":
            raise PermissionError(errno.EACCES, "Permission denied", str(target))
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail_for_the_new_one)
    with pytest.raises(PermissionError):
        classifier(seed=5).save(path)
    np.testing.assert_array_equal(OneOfClassifier.load(path).predict(items(model)), model.predict(items(model)))
    assert [entry.name for entry in tmp_path.iterdir()] == ["model"]


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.99])
def test_truncated_weights(saved, share):
    _, path = saved
    whole = (path / "weights.safetensors").read_bytes()
    (path / "weights.safetensors").write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(ValueError, match=r"weights\.safetensors: not the weights of this model"):
        OneOfClassifier.load(path)


def test_weights_of_another_model(saved, tmp_path):
    _, path = saved
    classifier("cnn", (1, 8, 8)).save(tmp_path / "other")
    (tmp_path / "other" / "weights.safetensors").replace(path / "weights.safetensors")
    with pytest.raises(ValueError, match=r"weights\.safetensors: not the weights of this model"):
        OneOfClassifier.load(path)


def test_weights_that_are_not_there(saved):
    _, path = saved
    (path / "weights.safetensors").unlink()
    with pytest.raises(ValueError, match=r"weights\.safetensors: not the weights"):
        OneOfClassifier.load(path)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"format": 2}', '{"format": 1}', "\udcff", "null", "3"])
def test_a_wrong_json(saved, text):
    _, path = saved
    (path / "model.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ValueError, match=r"model\.json: not the description of a model"):
        OneOfClassifier.load(path)


@pytest.mark.parametrize(
    ("key", "value"),
    [("classes", 3), ("shape", "wide"), ("config", {"epoch": 3}), ("config", None), ("accuracy", {"worth": 1})],
)
def test_a_json_with_a_wrong_entry(saved, key, value):
    _, path = saved
    facts = json.loads((path / "model.json").read_text()) | {key: value}
    (path / "model.json").write_text(json.dumps(facts))
    with pytest.raises(ValueError, match=r"model\.json: not the description of a model"):
        OneOfClassifier.load(path)


def test_what_is_not_a_model(tmp_path):
    with pytest.raises(ValueError, match=r"not a model, there is no model\.json in it"):
        OneOfClassifier.load(tmp_path)
    with pytest.raises(ValueError, match="not a model"):
        OneOfClassifier.load(tmp_path / "nothing")


def test_loading_never_unpickles(saved, monkeypatch):
    _, path = saved

    def refuse(*args, **options):
        raise AssertionError("unpickled")

    for module, name in (("pickle", "load"), ("pickle", "loads"), ("pickle", "Unpickler"), ("torch", "load")):
        monkeypatch.setattr(__import__(module), name, refuse)
    OneOfClassifier.load(path)


@pytest.mark.parametrize("target", ["os.fsync", "file size"])
def test_a_full_disk_leaves_the_old_model_and_nothing_else(saved, target, monkeypatch):
    model, path = saved
    expected = model.predict_proba(items(model))
    other = classifier(seed=5)

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    limits, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        if target == "os.fsync":
            monkeypatch.setattr(os, "fsync", full)
        else:
            resource.setrlimit(resource.RLIMIT_FSIZE, (300, limits[1]))
        with pytest.raises(OSError, match=r"No space left|is the disk full"):
            other.save(path)
        with pytest.raises(OSError, match=r"No space left|is the disk full"):
            other.save(path.with_name("new"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert [entry.name for entry in path.parent.iterdir()] == ["model"]
    np.testing.assert_array_equal(OneOfClassifier.load(path).predict_proba(items(model)), expected)


CONVOLUTIONS = (("cnn", (3, 28, 28)), ("resnet9", (3, 32, 32)), ("resnet34", (1, 16, 16)))


@pytest.mark.parametrize(
    ("backbone", "shape"), [("mlp", (6,)), *(pytest.param(*each, marks=pytest.mark.slow) for each in CONVOLUTIONS)]
)
def test_onnx_agrees_at_every_batch_size(backbone, shape, tmp_path):
    model = classifier(backbone, shape)
    export_classifier(model, tmp_path / "model.onnx")
    assert [path.name for path in tmp_path.iterdir()] == ["model.onnx"]
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx")
    for batch in (1, 2, 7, 64):
        x = items(model, batch)
        (logits,) = session.run(["logits"], {"items": x})
        expected = model.network_(torch.from_numpy(x)).detach().numpy()
        np.testing.assert_allclose(logits, expected, atol=1e-4, rtol=0)


def test_onnx_of_an_own_network(tmp_path):
    torch.manual_seed(0)
    network = Network(nn.Sequential(nn.Flatten(), nn.Linear(12, 3)), torch.zeros(3, 1, 1), torch.ones(3, 1, 1))
    fitted = Fitted(network, Config().resolve(10, image=True), [], 1, None)
    model = OneOfClassifier.from_fitted(fitted, range(3), (3, 2, 2), network.backbone)
    export_classifier(model, tmp_path / "own.onnx")
    x = items(model, 5)
    (logits,) = onnxruntime.InferenceSession(tmp_path / "own.onnx").run(None, {"items": x})
    np.testing.assert_allclose(logits, network(torch.from_numpy(x)).detach().numpy(), atol=1e-5)


def test_without_onnx_the_error_says_what_to_install(saved, monkeypatch, tmp_path):
    monkeypatch.setattr(exporting, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"pip install 'oneof\[onnx\]'"):
        export_classifier(saved[0], tmp_path / "model.onnx")
    assert not (tmp_path / "model.onnx").exists()
