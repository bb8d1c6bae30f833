"""Uniform queries: a question is any subset of one size, all equally likely (the paper's Assumption 1)."""

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from oneof.queries.weights import agreement_by_chance

TABLE_ROWS = 1 << 12
"""Up to this many subsets we draw rows from a table of all of them; for more, we sample label by label."""

CHUNK_CELLS = 1 << 22
"""Cells (rows x labels) drawn at a time, so that temporaries stay small beside the output."""


@dataclass(frozen=True)
class UniformQueries:
    """All subsets of `size` out of `classes` labels, each with the same probability.

    >>> queries = UniformQueries(classes=10, size=3)
    >>> queries.p_yes
    0.3
    >>> queries.draw(2, rng=0).sum(axis=1)
    array([3, 3])
    """

    classes: int
    size: int

    def __post_init__(self) -> None:
        if not isinstance(self.classes, (int, np.integer)) or self.classes < 2:
            raise ValueError(f"classes must be a whole number of at least 2, not {self.classes!r}")
        if not isinstance(self.size, (int, np.integer)) or not 1 <= self.size <= self.classes - 1:
            raise ValueError(
                f"size must be a whole number in 1..{self.classes - 1} for {self.classes} classes, not {self.size!r}: "
                "a question with no label or with every label tells nothing"
            )

    @property
    def p_yes(self) -> float:
        """P(s = 1) = m / k (Lemma 1)."""
        return self.size / self.classes

    @property
    def agreement_by_chance(self) -> float:
        """c0: the probability that the answer agrees with a *wrong* prediction (see `oneof.queries.weights`)."""
        return float(agreement_by_chance(self.classes, self.size))

    def draw(self, n: int, rng: np.random.Generator | int) -> NDArray[np.bool_]:
        """n independent questions, bool (n, k). The same seed gives the same questions on every platform."""
        rng = np.random.default_rng(rng)
        out = np.zeros((n, self.classes), dtype=np.bool_)
        chunk = max(1, CHUNK_CELLS // self.classes)
        table = self._table() if comb(self.classes, self.size) <= TABLE_ROWS else None
        for start in range(0, n, chunk):
            part = out[start : start + chunk]
            if table is not None:
                np.take(table, rng.integers(len(table), size=len(part)), axis=0, out=part)
            else:
                self._select(part, rng)
        return out

    def moment(self) -> NDArray[np.float64]:
        """M in closed form: 2/k on the diagonal, (k-2)/(k(k-1)) elsewhere. The size cancels. (k, k)."""
        k = self.classes
        matrix = np.full((k, k), (k - 2) / (k * (k - 1)))
        np.fill_diagonal(matrix, 2 / k)
        return matrix

    def _table(self) -> NDArray[np.bool_]:
        """Every subset once, (C(k, m), k)."""
        labels = np.array(list(combinations(range(self.classes), self.size)))
        table = np.zeros((len(labels), self.classes), dtype=np.bool_)
        np.put_along_axis(table, labels, True, axis=1)
        return table

    def _select(self, out: NDArray[np.bool_], rng: np.random.Generator) -> None:
        """Selection sampling, vectorised over rows: label j joins with probability (still wanted) / (still left).

        Bounded integers make each step exact, so the draw is uniform over subsets with no rounding at all.
        """
        by_label = np.empty((self.classes, len(out)), dtype=np.bool_)
        wanted = np.full(len(out), self.size, dtype=np.uint32)
        for j in range(self.classes):
            chosen = rng.integers(self.classes - j, size=len(out), dtype=np.uint32) < wanted
            by_label[j] = chosen
            wanted -= chosen
        out[:] = by_label.T
