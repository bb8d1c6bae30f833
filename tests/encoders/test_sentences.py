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
