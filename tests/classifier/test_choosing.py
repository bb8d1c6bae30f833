"""Encoders and networks chosen by held-out answers."""

import numpy as np
import pytest

from oneof import Answers, UniformQueries, respond
from oneof.classifier import choosing
from oneof.classifier.choosing import choose_encoder, fit_encoded
from oneof.encoders import registry
from oneof.items.loading import Items
from oneof.training import Config

TOPICS = ("red apple pie sugar", "fast train rail engine", "deep sea fish whale")


def texts(n, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, n)
    x = np.array([" ".join(rng.choice(TOPICS[label].split(), 3)) for label in labels], dtype=object)
    subsets = UniformQueries(3, 1).draw(n, rng=seed + 1)
    ids = np.array([f"t{row}" for row in range(n)])
    return Items(x, ids, kind="texts"), labels, Answers(subsets, respond(subsets, labels), item_names=ids.tolist())


def test_auto_takes_what_held_out_answers_like_best(monkeypatch):
    items, _, answers = texts(150)
    monkeypatch.setattr(choosing, "CANDIDATES", {"texts": ("words", "words+words")})
    chosen = choose_encoder(items, answers)
    assert {row["encoder"] for row in chosen.table} == {"words", "words+words"}
    best = max(chosen.table, key=lambda row: row["log_likelihood"])
    assert chosen.encoder.name == best["encoder"]
    assert all(0.8 < row["accuracy"] <= 1 for row in chosen.table)


def test_auto_takes_what_is_installed(monkeypatch):
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    items, _, answers = texts(60)
    assert choose_encoder(items, answers).encoder.name == "words"
    pictures = Items(np.zeros((3, 8, 8), np.uint8), range(3), kind="pictures")
    assert choose_encoder(pictures, answers).encoder.name == "pixels"


def test_what_does_not_fit_is_refused():
    items, _, answers = texts(60)
    with pytest.raises(ValueError, match="the encoder pixels takes pictures, but the items are texts"):
        choose_encoder(items, answers, "pixels")
    with pytest.raises(ValueError, match="numbers need no encoder"):
        choose_encoder(Items(np.zeros((3, 2)), range(3)), answers)


def test_encoded_items_get_a_linear_layer_that_is_saved_like_any_network():
    items, _, answers = texts(300)
    chosen = choose_encoder(items, answers, "words")
    fitted = fit_encoded(chosen.items.x, chosen.items.align(answers), Config(seed=0))
    assert fitted.config.backbone == "linear"
    assert fitted.accuracy.n == 30
    assert fitted.accuracy.value > 0.8
    kept = fit_encoded(chosen.items.x, chosen.items.align(answers), Config(seed=0), held_out=np.arange(100))
    assert kept.accuracy.n == 100


def test_settings_that_are_given_are_followed():
    items, _, answers = texts(80)
    x = choose_encoder(items, answers, "words").items
    fitted = fit_encoded(x.x, x.align(answers), Config(backbone="mlp", epochs=2, width=8))
    assert (fitted.config.backbone, len(fitted.history)) == ("mlp", 2)
    assert fit_encoded(x.x, x.align(answers), Config(epochs=2)).config.backbone == "linear"


def test_hidden_layers_are_tried_where_there_are_enough_answers(monkeypatch):
    monkeypatch.setattr(choosing, "ENOUGH_FOR_HIDDEN_LAYERS", 200)
    rng = np.random.default_rng(0)
    x = rng.normal(0, 1, (500, 2)).astype(np.float32)
    labels = ((x[:, 0] > 0) ^ (x[:, 1] > 0)).astype(int) + 2 * (np.hypot(*x.T) > 1.6)
    subsets = UniformQueries(4, 2).draw(500, rng=1)
    answers = Answers(subsets, respond(subsets, labels))
    assert fit_encoded(x, answers, Config(seed=0)).config.backbone == "mlp"


def test_contradictions_are_refused():
    subsets = np.array([[True, False], [True, False]])
    with pytest.raises(ValueError, match="contradict each other"):
        fit_encoded(np.zeros((1, 2), np.float32), Answers(subsets, [True, False], items=[0, 0]), Config(holdout=0.0))
