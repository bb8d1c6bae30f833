"""Encoders by name, and to a folder and back."""

import json

import numpy as np
import pytest

from oneof import encoders
from oneof.encoders import registry


def test_names():
    assert {"pixels", "words", "wordllama", "efficientnet-lite0"} <= set(encoders.names())
    with pytest.raises(ValueError, match=r"unknown encoder 'word', expected .*pixels, words"):
        encoders.create("word")


@pytest.mark.parametrize("name", ["pixels", "words", "words+words", "onnx"])
def test_to_a_folder_and_back(name, tmp_path, network):
    items = (
        np.arange(3 * 4 * 6, dtype=np.uint8).reshape(3, 4, 6)
        if name in ("pixels", "onnx")
        else ["a red fox", "ein Haus", "家"]
    )
    encoder = encoders.create(network if name == "onnx" else name).fit(items)
    encoders.write(encoder, tmp_path)
    again = encoders.read(tmp_path)
    assert type(again) is type(encoder)
    assert again.fingerprint == encoder.fingerprint
    before, after = (one.transform(items) for one in (encoder, again))
    np.testing.assert_array_equal(*(getattr(x, "toarray", lambda x=x: x)() for x in (before, after)))


def test_no_encoder_no_folder(tmp_path):
    assert encoders.read(tmp_path) is None


def test_a_folder_that_was_tampered_with(tmp_path):
    encoders.write(encoders.create("words").fit(["one two", "two three"]), tmp_path)
    description = json.loads((tmp_path / registry.FACTS).read_text())
    for change, message in (
        ({"name": "os.system"}, "unknown encoder"),
        ({"settings": {"most": 5, "more": 1}}, "not the description of an encoder"),
        ({"fingerprint": "0"}, "gives other numbers"),
    ):
        (tmp_path / registry.FACTS).write_text(json.dumps(description | change))
        with pytest.raises(ValueError, match=message):
            encoders.read(tmp_path)


def test_an_encoder_that_is_not_installed_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    assert not encoders.installed("wordllama")
    with pytest.raises(ValueError, match=r"wordllama is not installed: pip install 'oneof\[pretrained\]'"):
        encoders.create("wordllama").transform(["a"])


@pytest.mark.parametrize("name", ["wordllama", "words+wordllama"])
def test_a_model_whose_encoder_is_not_installed_says_how_to_install_it(name, monkeypatch, tmp_path):
    pytest.importorskip("wordllama", reason="the pretrained extra is not installed")
    encoders.write(encoders.create(name).fit(["a text", "a word"]), tmp_path)
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"wordllama is not installed: pip install 'oneof\[pretrained\]'"):
        encoders.read(tmp_path)


def test_another_version_is_named(monkeypatch, tmp_path):
    pytest.importorskip("wordllama", reason="the pretrained extra is not installed")
    encoders.write(encoders.create("wordllama"), tmp_path)
    monkeypatch.setattr("oneof.encoders.wordllama.version", lambda name: "9.9")
    with pytest.raises(ValueError, match=r"other numbers .* \(version 9\.9 here, .* then\): install the versions"):
        encoders.read(tmp_path)
