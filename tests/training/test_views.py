"""Views of an image: what they are, and that the mean of predictions over them is judged, saved and exported."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from oneof import Answers, OneOfClassifier, UniformQueries, respond
from oneof.training import Config, Features, fit
from oneof.training.fitting import predict_logits
from oneof.training.views import WAYS, averaged, views_of


def images(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A bright bar on the left, in the middle or on the right of 9 x 9 pixels, in noise."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=n)
    pictures = rng.integers(0, 120, (n, 1, 9, 9), dtype=np.uint8)
    for column in range(3):
        pictures[np.arange(n), 0, :, 3 * labels + column] += 100
    return pictures, labels


@pytest.fixture(scope="module")
def told() -> tuple[np.ndarray, Answers, np.ndarray]:
    pictures, labels = images(400)
    subsets = UniformQueries(3, 1).draw(400, rng=1)
    return pictures, Answers(subsets, respond(subsets, labels)), labels


def test_views_are_the_image_its_mirror_image_and_moves_by_a_pixel() -> None:
    x = torch.arange(12.0).reshape(1, 1, 3, 4)
    assert torch.equal(views_of(x, "mirror")[1], x.flip(3))
    still, down, up, right, left = (view[0, 0] for view in views_of(x, "shift"))
    assert torch.equal(still, x[0, 0])
    assert torch.equal(down[1:], x[0, 0, :-1])
    assert torch.equal(up[:-1], x[0, 0, 1:])
    assert torch.equal(right[:, 1:], x[0, 0, :, :-1])
    assert torch.equal(left[:, :-1], x[0, 0, :, 1:])
    assert torch.equal(down[0], x[0, 0, 0]), "the edge is repeated"


def test_probabilities_are_averaged_and_not_logits() -> None:
    logits = [torch.tensor([[1e4, 0.0]]), torch.tensor([[0.0, 1.0]])]
    expected = torch.stack([torch.softmax(part, 1) for part in logits]).mean(0)
    torch.testing.assert_close(torch.softmax(averaged(logits), 1), expected)


@pytest.mark.parametrize("way", WAYS)
def test_predictions_are_averaged_training_is_the_same_and_the_folder_keeps_it(
    way: str, told: tuple[Any, ...], tmp_path: Path
) -> None:
    pictures, answers, _ = told
    settings: dict[str, Any] = {"backbone": "cnn-strided", "width": 4, "epochs": 2, "random_state": 0}
    plain = OneOfClassifier(**settings).fit(pictures, answers)
    model = OneOfClassifier(**settings, views=way).fit(pictures, answers)
    new, _ = images(20, seed=5)
    views = [np.pad(new, ((0, 0), (0, 0), (1, 1), (1, 1)), mode="edge")[:, :, 1 - d : 10 - d, 1 - r : 10 - r]
             for d, r in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))]  # fmt: skip
    seen = {"none": [new], "mirror": [new, new[..., ::-1]], "shift": views}[way]
    expected = np.mean([plain.predict_proba(np.ascontiguousarray(view)) for view in seen], axis=0)
    np.testing.assert_allclose(model.predict_proba(new), expected, atol=1e-5)
    model.save(tmp_path / "model")
    np.testing.assert_allclose(OneOfClassifier.load(tmp_path / "model").predict_proba(new), expected, atol=1e-5)


def test_held_out_answers_choose_and_others_judge(told: tuple[Any, ...]) -> None:
    pictures, answers, labels = told
    config = Config(backbone="cnn-strided", width=4, epochs=4, holdout=0.3, views="auto")
    fitted = fit(Features(pictures), answers, config)
    held = 120
    assert fitted.accuracy is not None
    assert fitted.accuracy.n == held // 2, "the other half chose"
    # A mirror image has another class here; that costs likelihood, as every answer can tell.
    assert fitted.config.views in ("none", "shift")
    right = predict_logits(fitted.network, Features(pictures)).argmax(1).numpy() == labels
    assert right.mean() > 0.9


def test_without_answers_to_choose_by_there_is_one_view_and_numbers_have_no_others(told: tuple[Any, ...]) -> None:
    pictures, answers, _ = told
    config = Config(backbone="cnn-strided", width=4, epochs=1, holdout=0.0, views="auto")
    assert fit(Features(pictures), answers, config).config.views == "none"
    assert Config(views="auto").resolve(100, image=False).views == "none"
    with pytest.raises(ValueError, match="views='mirror' is for images"):
        Config(views="mirror").resolve(100, image=False)
