"""oneof export."""

import json
from functools import partial

import numpy as np
import onnxruntime
import pytest
import torch

from oneof import Answers, OneOfClassifier, UniformQueries, respond


@pytest.fixture
def run(oneof):
    return partial(oneof, "export")


@pytest.fixture
def model(tmp_path):
    rng = np.random.default_rng(0)
    subsets = UniformQueries(3, 1).draw(60, rng)
    answers = Answers(subsets, respond(subsets, rng.integers(3, size=60)))
    model = OneOfClassifier(epochs=1, width=8, random_state=0).fit(rng.normal(size=(60, 2)), answers)
    model.save(tmp_path / "model")
    return model


def test_raw_items_in_logits_out(model, tmp_path, run):
    out = tmp_path / "model.onnx"
    code, text, err = run(tmp_path / "model", "--onnx", out, "--json")
    assert code == 0
    assert (json.loads(text), err) == ({"out": str(out), "takes": "items, (batch, 2)"}, "")
    x = np.random.default_rng(1).normal(size=(5, 2)).astype(np.float32)
    (logits,) = onnxruntime.InferenceSession(out).run(["logits"], {"items": x})
    np.testing.assert_allclose(logits, model.network_(torch.from_numpy(x)).detach().numpy(), atol=1e-4)


def test_bad_input(model, tmp_path, run):
    for words, message in (
        ([tmp_path, "--onnx", tmp_path / "m.onnx"], "not a model, there is no model.json in it"),
        ([tmp_path / "model", "--onnx", tmp_path / "none" / "m.onnx"], "none"),
        ([tmp_path / "model"], "Missing option '--onnx'"),
    ):
        code, out, err = run(*words)
        assert code == (2 if "Missing" in message else 1), message
        assert message in err
        assert "Traceback" not in err
        assert out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
