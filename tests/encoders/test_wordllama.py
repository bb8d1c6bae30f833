"""Static embeddings of texts."""

import pickle

import numpy as np
import pytest

from oneof.encoders import wordllama
from oneof.encoders.wordllama import WordLlama

pytest.importorskip("wordllama", reason="the pretrained extra is not installed")


def test_texts_of_one_topic_are_near_each_other():
    encoder = WordLlama()
    x = encoder.fit([]).transform(["a web browser", "browse the internet", "protein sequence alignment", ""])
    assert x.shape == (4, 256)
    np.testing.assert_allclose(np.linalg.norm(x[:3], axis=1), 1, rtol=1e-5)
    assert x[0] @ x[1] > x[0] @ x[2]
    assert np.isfinite(x).all()
    assert pickle.loads(pickle.dumps(encoder)).fingerprint == encoder.fingerprint


def test_a_long_text_does_not_make_the_others_long(monkeypatch):
    """In a batch all are as long as the longest: a book among a thousand titles took gigabytes."""
    encoder, sizes = WordLlama(), []
    texts = ["short", "bank " * 2000, "a title", "家 😀 मौसम الطقس"]
    alone = np.concatenate([encoder.transform([text]) for text in texts])
    monkeypatch.setattr(wordllama, "CHARACTERS_AT_ONCE", 100)
    embed = encoder._network.embed
    monkeypatch.setattr(encoder._network, "embed", lambda some, **how: (sizes.append(len(some)), embed(some, **how))[1])
    np.testing.assert_allclose(encoder.transform(texts), alone, atol=1e-6)
    assert sizes == [3, 1]
