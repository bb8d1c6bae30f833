"""Texts through a network of the package sentence-transformers, by the name of the network."""

import hashlib
from importlib.util import find_spec
from typing import Any

import numpy as np

from oneof.encoders.base import Encoded, Encoder, State
from oneof.encoders.reading import as_texts

PREFIX = "sentence-transformers:"


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
        x = np.asarray(self._loaded().encode(texts, show_progress_bar=shown, convert_to_numpy=True), dtype=np.float32)
        return Encoded(x, np.arange(len(texts)), {})

    def state(self) -> State:
        """The checksum of the weights: a later network may have the same name."""
        checksum = hashlib.sha256()
        for name, tensor in sorted(self._loaded().state_dict().items()):
            checksum.update(name.encode() + tensor.cpu().numpy().tobytes())
        return {"weights": checksum.hexdigest()}, {}

    def _loaded(self) -> Any:
        if self._network is None:
            if find_spec("sentence_transformers") is None:
                raise ValueError(f"the encoder {self.name} is not installed: pip install sentence-transformers")
            import sentence_transformers

            self._network = sentence_transformers.SentenceTransformer(self.model)
        return self._network

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_network": None}
