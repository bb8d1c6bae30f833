"""Static embeddings of texts."""

import pickle

import numpy as np
import pytest

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
