"""sentence-transformers, played by a small network with the same call: the package and its weights are large."""

import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from oneof import encoders
from oneof.encoders import sentences


class Small(torch.nn.Module):
    """Counts of letters through one layer, whose weights follow from the name."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.eye(26)[:, :5] * len(name))

    def encode(self, texts: list[str], show_progress_bar: bool, convert_to_numpy: bool = True) -> Any:
        counts = [[text.lower().count(chr(97 + letter)) for letter in range(26)] for text in texts]
        return (torch.tensor(counts, dtype=torch.float32).reshape(-1, 26) @ self.weight).detach().numpy()


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> Any:
    module: Any = ModuleType("sentence_transformers")
    module.__spec__ = ModuleSpec("sentence_transformers", None)
    module.SentenceTransformer = Small
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    return module


def test_to_numbers_and_to_a_folder_and_back(package: ModuleType, tmp_path: Path) -> None:
    encoder = encoders.create("sentence-transformers:small").fit(["abba"])
    np.testing.assert_array_equal(encoder.transform(["abba", ""]), [[10, 10, 0, 0, 0], [0, 0, 0, 0, 0]])
    encoders.write(encoder, tmp_path)
    again = encoders.read(tmp_path)
    assert again is not None
    assert (again.name, again.fingerprint) == ("sentence-transformers:small", encoder.fingerprint)


def test_other_weights_under_the_same_name_are_noticed(
    package: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoders.write(encoders.create("sentence-transformers:small"), tmp_path)
    monkeypatch.setattr(package, "SentenceTransformer", lambda name: Small("another"))
    with pytest.raises(ValueError, match="gives other numbers than the one the model was trained with"):
        encoders.read(tmp_path)


def test_without_the_package_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentences, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match="pip install sentence-transformers"):
        encoders.create("sentence-transformers:small").transform(["a text"])


def test_texts_are_encoded_once(package: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ONEOF_CACHE", str(tmp_path))
    monkeypatch.setattr(sentences, "TEXTS_AT_ONCE", 2)
    seen: list[str] = []
    real = Small.encode

    def encode(self: Small, texts: list[str], **options: Any) -> Any:
        seen.extend(texts)
        return real(self, texts, **options)

    monkeypatch.setattr(Small, "encode", encode)
    texts = ["abba", "a", "abba", "abc", "b"]
    first = encoders.create("sentence-transformers:small").transform(texts)
    assert sorted(seen) == ["a", "abba", "abc", "b"]
    again = encoders.create("sentence-transformers:small").transform(["b", *texts])
    assert len(seen) == 4
    np.testing.assert_array_equal(again, first[[4, 0, 1, 2, 3, 4]])
    np.testing.assert_array_equal(first[1], [1 * 5, 0, 0, 0, 0])


def test_a_folder_is_found_from_anywhere(package: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "c++").mkdir()
    monkeypatch.chdir(tmp_path)
    assert encoders.create("sentence-transformers:c++").name == f"sentence-transformers:{tmp_path / 'c++'}"
    assert encoders.create("words+sentence-transformers:c").name == "words+sentence-transformers:c"
    (tmp_path / "c").mkdir()
    assert encoders.create("words+sentence-transformers:c").name == f"words+sentence-transformers:{tmp_path / 'c'}"


def test_a_network_that_cannot_be_loaded_is_named(package: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> None:
        raise AttributeError(f"{name} has nothing\nand more")

    monkeypatch.setattr(package, "SentenceTransformer", refuse)
    with pytest.raises(ValueError, match=r"sentence-transformers:gone cannot be loaded; .*: gone has nothing$"):
        encoders.create("sentence-transformers:gone").transform(["a"])
    with pytest.raises(ValueError, match="expected the name or the folder"):
        encoders.create("sentence-transformers:")


def test_weights_in_half_precision_and_numbers_that_are_not_finite(
    package: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(package, "SentenceTransformer", lambda name: Small(name).to(torch.bfloat16))
    assert len(encoders.create("sentence-transformers:half").fingerprint) == 16
    monkeypatch.setattr(Small, "encode", lambda self, texts, **options: np.full((len(texts), 2), np.nan))
    with pytest.raises(ValueError, match="sentence-transformers:half gives numbers that are not finite"):
        encoders.create("sentence-transformers:half").transform(["a text of its own"])
