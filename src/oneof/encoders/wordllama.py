"""Texts as the mean of static embeddings, taken from large language models: WordLlama, 256 numbers for each text.

The weights are inside the package, so nothing is downloaded.
"""

import logging
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from oneof.encoders.base import Encoded, Encoder, State
from oneof.encoders.reading import as_texts
from oneof.encoders.registry import installed

CHARACTERS_AT_ONCE = 1 << 18
"""Characters in a batch, each text counted as long as the longest; a character takes up to a kilobyte of memory."""


class WordLlama(Encoder):
    """Dense float32 rows of unit length, (n, 256). Needs the package wordllama."""

    name: str = "wordllama"
    takes: str = "texts"

    def __init__(self) -> None:
        self._network: Any = None

    def encode(self, X: Any, *, shown: bool = False) -> Encoded:
        """Float32 (n, 256); a text without a single known token is all zeros."""
        texts = as_texts(X)
        if self._network is None:
            self._network = _load()
        x = np.zeros((len(texts), 256), dtype=np.float32)
        for rows in _batches([len(text) for text in texts]):
            x[rows] = self._network.embed([texts[row] for row in rows], norm=False)
        x /= np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-9)
        return Encoded(x, np.arange(len(texts)), {})

    def state(self) -> State:
        """The version of the package, which holds the embeddings."""
        _need()
        return {"version": version("wordllama")}, {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_network": None}


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Rows of texts that are about as long as each other: within a batch all take as much memory as the longest.

    >>> list(_batches([3, 10**9, 5]))
    [[0, 2], [1]]
    """
    batch: list[int] = []
    for row in np.argsort(lengths, kind="stable").tolist():
        if batch and (len(batch) + 1) * lengths[row] > CHARACTERS_AT_ONCE:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def _need() -> None:
    if not installed("wordllama"):
        raise ValueError("the encoder wordllama is not installed: pip install 'oneof[pretrained]'")


def _load() -> Any:
    _need()
    # The import sets up logging for the whole program; this undoes it.
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    import wordllama

    root.handlers[:], root.level = handlers, level
    folder = Path(wordllama.__file__).parent
    return wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
