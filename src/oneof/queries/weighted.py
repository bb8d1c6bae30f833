"""Weighted queries: questions drawn from any known distribution over subsets, also of different sizes."""

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray


class WeightedQueries:
    """Questions drawn from a list of subsets, each with its own known probability.

    subsets: bool (q, k), one row per subset. probabilities: (q,), they sum to one.

    >>> queries = WeightedQueries([[1, 0, 0], [0, 1, 0], [0, 1, 1]], [0.5, 0.25, 0.25])
    >>> queries.inclusion
    array([0.5 , 0.5 , 0.25])
    >>> queries.draw(2, rng=0).shape
    (2, 3)
    """

    def __init__(self, subsets: ArrayLike, probabilities: ArrayLike) -> None:
        given = np.asarray(subsets)
        if given.ndim != 2 or given.shape[1] < 2 or not np.isin(given, (0, 1)).all():
            raise ValueError(f"subsets must be a bool array of shape (queries, classes), not shape {given.shape}")
        table = given.astype(np.bool_)
        chances = np.asarray(probabilities, dtype=np.float64)
        if chances.shape != (len(table),):
            raise ValueError(f"probabilities must have shape ({len(table)},), one for each subset, not {chances.shape}")
        if not np.isfinite(chances).all() or (chances < 0).any():
            bad = int(np.flatnonzero(~(np.isfinite(chances) & (chances >= 0)))[0])
            raise ValueError(f"probabilities must not be negative, but number {bad} is {chances[bad]}")
        if abs(chances.sum() - 1) > 1e-9:
            raise ValueError(f"probabilities must sum to one, not to {chances.sum():.12g}")
        sizes = table.sum(axis=1)
        empty = np.flatnonzero((sizes == 0) | (sizes == table.shape[1]))
        if len(empty):
            raise ValueError(
                f"subset number {empty[0]} has size {sizes[empty[0]]}, expected 1..{table.shape[1] - 1}: "
                "a question with no label or with every label tells nothing"
            )
        self._table, self._chances = table, chances / chances.sum()
        self._table.flags.writeable = self._chances.flags.writeable = False
        self._refuse_inseparable()

    @property
    def subsets(self) -> NDArray[np.bool_]:
        """The subsets that may be drawn, bool (q, k)."""
        return self._table

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """The probability of each subset, (q,)."""
        return np.asarray(self._chances)

    @property
    def classes(self) -> int:
        """Number of classes k."""
        return int(self._table.shape[1])

    @cached_property
    def inclusion(self) -> NDArray[np.float64]:
        """P(label j is in the question), which is also P(s = 1 | class j). (k,)."""
        return np.asarray(self._chances @ self._table, dtype=np.float64)

    @property
    def p_yes(self) -> float:
        """P(s = 1) for a class drawn uniformly: the mean size of a question divided by k. By class: `inclusion`."""
        return float(self.inclusion.mean())

    def draw(self, n: int, rng: np.random.Generator | int) -> NDArray[np.bool_]:
        """n independent questions, bool (n, k)."""
        rows = np.random.default_rng(rng).choice(len(self._table), size=n, p=self._chances)
        return np.asarray(self._table[rows])

    def moment(self) -> NDArray[np.float64]:
        """M = E[z z^T / |L| + (1-z)(1-z)^T / (k-|L|)], (k, k)."""
        inside = self._table.astype(np.float64)
        outside = 1 - inside
        yes = (self._chances / inside.sum(axis=1))[:, None] * inside
        no = (self._chances / outside.sum(axis=1))[:, None] * outside
        return np.asarray(inside.T @ yes + outside.T @ no)

    def _refuse_inseparable(self) -> None:
        possible = self._table[self._chances > 0]
        columns, group = np.unique(possible, axis=1, return_inverse=True)
        group = group.reshape(-1)  # numpy 2.0 gives a row
        if columns.shape[1] < self.classes:
            twins = next(np.flatnonzero(group == g) for g in range(columns.shape[1]) if (group == g).sum() > 1)
            raise ValueError(
                f"these questions never separate classes {twins.tolist()}: each subset holds all of them or none, "
                "so no number of answers can tell them apart"
            )
