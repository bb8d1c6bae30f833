"""What every encoder is: a scikit-learn transformer that knows its name, its fingerprint and its state."""

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

State = tuple[dict[str, Any], dict[str, NDArray[Any]]]
"""What was learned: a part for JSON, and arrays."""


@dataclass(frozen=True)
class Encoded:
    """Items as numbers x, one row for each item that could be read; rows: which items these are, (m,).

    problems: by the row of each other item, why it could not be read.
    """

    x: Any
    rows: NDArray[np.int64]
    problems: dict[int, str]


class Encoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """From raw items to numbers. `__init__` takes settings that JSON can hold, and `fit` learns what there is to learn.

    name: under which `create` makes it. takes: "pictures" or "texts".
    """

    name: str
    takes: str

    def fit(self, X: Any, y: Any = None) -> "Encoder":
        """Learn from raw items what the encoder needs to know; most need nothing."""
        return self

    def encode(self, X: Any, *, shown: bool = False) -> Encoded:
        """The items as numbers, and why the others cannot be read. shown: with a progress bar."""
        raise NotImplementedError

    def transform(self, X: Any) -> Any:
        """The items as numbers, a row per item; one that cannot be read is an error that names it."""
        found = self.encode(X)
        if found.problems:
            row, reason = next(iter(found.problems.items()))
            source = X[row] if isinstance(X, (Sequence, np.ndarray)) else None
            name = f" ({source})" if source and isinstance(source, (str, os.PathLike)) else ""
            more = f" (and {len(found.problems) - 1} more)" if len(found.problems) > 1 else ""
            raise ValueError(f"item {row}{name}: {reason}{more}")
        return found.x

    def state(self) -> State:
        """What `fit` learned, as a part for JSON and arrays."""
        return {}, {}

    def restore(self, facts: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> "Encoder":
        """This encoder with what another one had learned when it gave this `state`."""
        return self

    @property
    def fingerprint(self) -> str:
        """Two encoders with the same fingerprint give the same numbers, wherever the file of a network is."""
        facts, arrays = self.state()
        settings = {name: value for name, value in self.get_params().items() if name != "path"}
        checksum = hashlib.sha256(json.dumps([self.name, settings, facts], sort_keys=True).encode())
        for name in sorted(arrays):
            checksum.update(name.encode() + np.ascontiguousarray(arrays[name]).tobytes())
        return checksum.hexdigest()[:16]

    def __sklearn_is_fitted__(self) -> bool:
        return True
