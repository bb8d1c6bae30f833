"""Texts through a network of the package sentence-transformers, by the name or the folder of the network.

What was encoded is kept on disk, as for pictures: such networks take a while for many texts.
"""

import hashlib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from oneof.encoders.base import Encoded, Encoder, State
from oneof.encoders.cache import FeatureCache
from oneof.encoders.reading import as_texts
from oneof.items.texts import text_hash

PREFIX = "sentence-transformers:"
TEXTS_AT_ONCE = 512


class SentenceTransformer(Encoder):
    """Dense float32 rows, (n, d). model: what `sentence_transformers.SentenceTransformer` takes, a name or a folder."""

    takes: str = "texts"

    def __init__(self, model: str) -> None:
        self.model = model
        self.name = f"{PREFIX}{model}"
        self._network: Any = None

    def encode(self, X: Any, *, shown: bool = False) -> Encoded:
        """Float32 (n, d)."""
        texts = as_texts(X)
        keys = [text_hash(text) for text in texts]
        cache = FeatureCache(self.fingerprint)
        known = cache.get(list(dict.fromkeys(keys)))
        missing = [(key, text) for key, text in dict(zip(keys, texts, strict=True)).items() if key not in known]
        missing.sort(key=lambda pair: len(pair[1]))  # texts of a batch are padded to the longest
        starts = range(0, len(missing), TEXTS_AT_ONCE)
        for start in track(starts, description="texts", disable=not (shown and missing), transient=True):
            part = missing[start : start + TEXTS_AT_ONCE]
            made = dict(zip((key for key, _ in part), self._rows([text for _, text in part]), strict=True))
            known |= made
            cache.put(made)
        width = len(next(iter(known.values()), ()))
        x = np.array([known[key] for key in keys], dtype=np.float32).reshape(len(keys), width)
        return Encoded(x, np.arange(len(texts)), {})

    def state(self) -> State:
        """The checksum of the weights: a later network may have the same name."""
        import torch

        checksum = hashlib.sha256()
        for name, tensor in sorted(self._loaded().state_dict().items()):
            # As bytes, because numpy has no bfloat16.
            checksum.update(name.encode() + tensor.cpu().contiguous().flatten().view(torch.uint8).numpy().tobytes())
        return {"weights": checksum.hexdigest()}, {}

    def _rows(self, texts: list[str]) -> NDArray[np.float32]:
        found = self._loaded().encode(texts, show_progress_bar=False, convert_to_numpy=True)
        rows = np.asarray(found, dtype=np.float32)
        if not np.isfinite(rows).all():
            raise ValueError(f"the encoder {self.name} gives numbers that are not finite")
        return rows

    def _loaded(self) -> Any:
        if self._network is None:
            if find_spec("sentence_transformers") is None:
                raise ValueError(f"the encoder {self.name} is not installed: pip install sentence-transformers")
            import sentence_transformers

            try:
                self._network = sentence_transformers.SentenceTransformer(self.model)
            except Exception as error:  # its ways of failing have no common parent
                reason = (str(error) or type(error).__name__).splitlines()[0]
                raise ValueError(
                    f"the encoder {self.name} cannot be loaded; expected the folder of a network, or a name that "
                    f"sentence-transformers can download or has downloaded: {reason}"
                ) from None
        return self._network

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_network": None}


def named(model: str) -> SentenceTransformer:
    """The encoder of this network; a folder by its whole path, so that a model finds it from anywhere.

    >>> named("all-MiniLM-L6-v2").name
    'sentence-transformers:all-MiniLM-L6-v2'
    """
    if not model:
        raise ValueError(f"{PREFIX!r}: expected the name or the folder of a network after the colon")
    return SentenceTransformer(str(Path(model).resolve()) if Path(model).is_dir() else model)
