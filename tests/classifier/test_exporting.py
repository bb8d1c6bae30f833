"""One ONNX file from pictures to logits."""

import warnings

import numpy as np
import pytest
import torch

from oneof import Answers, UniformQueries, respond
from oneof.classifier import OneOfClassifier
from oneof.classifier.choosing_encoders import choose_encoder
from oneof.classifier.choosing_networks import fit_chosen
from oneof.classifier.exporting import export_classifier, export_model
from oneof.classifier.model import Model
from oneof.items.loading import Items
from oneof.training import Config

onnxruntime = pytest.importorskip("onnxruntime", reason="the onnx extra is not installed")


@pytest.mark.slow
def test_the_mean_over_views_is_part_of_the_file(tmp_path):
    rng = np.random.default_rng(0)
    pictures, labels = rng.integers(0, 256, (60, 1, 8, 8), dtype=np.uint8), rng.integers(0, 3, 60)
    model = OneOfClassifier(backbone="cnn-strided", width=4, epochs=1, views="shift", holdout=0.0, random_state=0)
    model.fit(pictures, Answers.from_labels(labels, 3))
    export_classifier(model, tmp_path / "views.onnx")
    session = onnxruntime.InferenceSession(str(tmp_path / "views.onnx"))
    (logits,) = session.run(["logits"], {"items": pictures[:7].astype(np.float32)})
    np.testing.assert_allclose(np.exp(logits), model.predict_proba(pictures[:7]), atol=1e-4)


class Means(torch.nn.Module):
    def forward(self, pictures):
        return torch.cat([pictures.mean((2, 3)), pictures.amax((2, 3))], dim=1)


@pytest.mark.slow
def test_pictures_through_encoder_and_classifier(tmp_path, monkeypatch):
    monkeypatch.setenv("ONEOF_CACHE", str(tmp_path / "cache"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            Means(), (torch.zeros(2, 3, 16, 16),), str(tmp_path / "means.onnx"), dynamo=True, external_data=False,
            dynamic_shapes={"pictures": {0: torch.export.Dim("batch")}}, verbose=False,
        )  # fmt: skip
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 120)
    pictures = (rng.integers(0, 60, (120, 3, 16, 16)) + 150 * np.eye(3)[labels][:, :, None, None]).astype(np.uint8)
    subsets = UniformQueries(3, 1).draw(120, rng=1)
    answers = Answers(subsets, respond(subsets, labels))
    chosen = choose_encoder(Items(pictures, range(120)), answers, str(tmp_path / "means.onnx"))
    fitted = fit_chosen(chosen.items.x, answers, Config(seed=0), encoded=True)
    model = Model(OneOfClassifier.from_fitted(fitted, range(3), (6,)), chosen.encoder)
    assert export_model(model, tmp_path / "whole.onnx") == "pictures as bytes 0 to 255, (batch, 3, 16, 16)"
    session = onnxruntime.InferenceSession(str(tmp_path / "whole.onnx"))
    (logits,) = session.run(["logits"], {"items": pictures[:7].astype(np.float32)})
    np.testing.assert_allclose(logits.argmax(axis=1), model.predict(pictures[:7]))
    chances = np.exp(logits - logits.max(axis=1, keepdims=True))
    np.testing.assert_allclose(
        chances / chances.sum(axis=1, keepdims=True), model.predict_proba(pictures[:7]), atol=1e-4
    )
