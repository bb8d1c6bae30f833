"""Several encoders side by side, such as words+wordllama: what one overlooks another may see."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from oneof.encoders.base import Encoded, Encoder, State
from oneof.encoders.registry import create


class Joined(Encoder):
    """The features of all encoders, one after the other; sparse where one of them is.

    names: of encoders that take the same kind of items and give a row of numbers per item.

    >>> Joined(["words", "words"]).fit(["a red fox"]).transform(["red"]).shape
    (1, 52)
    """

    parts_: list[Encoder]

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        file = next((name for name in names if name.lower().endswith(".onnx")), None)
        if file is not None:
            raise ValueError(f"{'+'.join(names)}: the network in {file} cannot be joined with others: name it alone")
        parts = [create(name) for name in names]
        kinds = {part.takes for part in parts}
        if len(kinds) != 1 or "pixels" in names:
            raise ValueError(f"{'+'.join(names)}: these encoders do not go together")
        self.name = "+".join(part.name for part in parts)
        self.takes = kinds.pop()
        self.parts_ = parts

    def fit(self, X: Any, y: Any = None) -> "Joined":
        """Fit each encoder."""
        for part in self.parts_:
            part.fit(X)
        return self

    def encode(self, X: Any, *, shown: bool = False) -> Encoded:
        """Dense or sparse (m, d): the items that every encoder could read."""
        found = [part.encode(X, shown=shown) for part in self.parts_]
        rows = found[0].rows
        for other in found[1:]:
            rows = np.intersect1d(rows, other.rows)
        kept = [encoded.x[np.searchsorted(encoded.rows, rows)] for encoded in found]
        sparse = any(sp.issparse(x) for x in kept)
        x = sp.hstack(kept, format="csr", dtype=np.float32) if sparse else np.hstack(kept)
        return Encoded(x, rows, {row: why for encoded in found for row, why in encoded.problems.items()})

    def state(self) -> State:
        """The state of each encoder, under its number."""
        facts: dict[str, Any] = {}
        arrays: dict[str, NDArray[Any]] = {}
        for number, part in enumerate(self.parts_):
            facts[str(number)], inner = part.state()
            arrays |= {f"{number}.{name}": array for name, array in inner.items()}
        return facts, arrays

    def restore(self, facts: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> "Joined":
        """This encoder with what each of another's encoders had learned."""
        for number, part in enumerate(self.parts_):
            prefix = f"{number}."
            own = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
            part.restore(facts[str(number)], own)
        return self
