"""The prediction among decoys: questions of the class that a model predicts and size - 1 others, drawn uniformly.

For items drawn at random, P(yes) = A r1 + (1 - A) r0 with A the model's accuracy, r1 = 1 - rho1 and
r0 = (m-1)/(k-1) (1-rho1) + (k-m)/(k-1) rho0: the number of yes gives an exact interval for A. With many classes this
takes far fewer answers than uniform questions, which seldom show the predicted class. The answers judge these
predictions and no others; afterwards they can train like any other answers. The prediction must not be recognisable by
its place: show the labels in an order that does not depend on it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oneof.queries.uniform import UniformQueries


@dataclass(frozen=True)
class PredictionQueries:
    """Questions of `size` out of `classes` labels, one of them the predicted class.

    >>> queries = PredictionQueries(classes=1000, size=3)
    >>> subsets = queries.draw([7, 7, 999], rng=0)
    >>> subsets.sum(axis=1), subsets[[0, 1, 2], [7, 7, 999]]
    (array([3, 3, 3]), array([ True,  True,  True]))
    """

    classes: int
    size: int

    def __post_init__(self) -> None:
        UniformQueries(self.classes, self.size)  # refuses the same values

    def draw(self, predictions: ArrayLike, rng: np.random.Generator | int) -> NDArray[np.bool_]:
        """One question for each predicted class, int (n,) -> bool (n, k)."""
        predicted = np.asarray(predictions)
        if predicted.ndim != 1 or (len(predicted) and predicted.dtype.kind not in "iu"):
            raise ValueError(f"predictions must be class numbers (n,), not {predicted.dtype} {predicted.shape}")
        outside = np.flatnonzero((predicted < 0) | (predicted >= self.classes))
        if len(outside):
            row = outside[0]
            raise ValueError(f"prediction {predicted[row]} in row {row} is not in 0..{self.classes - 1}")
        n = len(predicted)
        out = np.zeros((n, self.classes), dtype=np.bool_)
        out[np.arange(n), predicted.astype(np.intp)] = True
        if self.size > 1:
            # Drawn among the k - 1 other classes: those behind the predicted one have a number that is one larger.
            rows, place = np.nonzero(UniformQueries(self.classes - 1, self.size - 1).draw(n, rng))
            out[rows, place + (place >= predicted[rows])] = True
        return out
