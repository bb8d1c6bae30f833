"""Encoders side by side."""

import pytest

from oneof.encoders.joined import Joined


def test_what_does_not_go_together():
    for names in (["words", "pixels"], ["pixels", "pixels"]):
        with pytest.raises(ValueError, match="do not go together"):
            Joined(names)


def test_dense_beside_sparse():
    pytest.importorskip("wordllama", reason="the pretrained extra is not installed")
    texts = ["a red fox", "a blue bird"]
    both = Joined(["words", "wordllama"]).fit(texts)
    assert both.takes == "texts"
    rows = both.transform(texts)
    assert rows.shape == (2, both.parts_[0].transform(texts).shape[1] + 256)
    facts, arrays = both.state()
    again = Joined(["words", "wordllama"]).restore(facts, arrays)
    assert abs(again.transform(texts) - rows).max() == 0


def test_a_file_is_not_joined():
    with pytest.raises(ValueError, match=r"the network in clip\.onnx cannot be joined"):
        Joined(["clip.onnx", "efficientnet-lite0"])
