"""How often an answer agrees with a prediction that is right, and with one that is wrong.

Let yhat be the prediction for an item. A **uniform** question L is drawn independently of it; the answer s agrees
if s = 1{yhat in L}. A question of design **prediction** holds yhat and size - 1 others drawn uniformly; a yes agrees.
With flip rates rho1 = P(no | truth yes) and rho0 = P(yes | truth no), m = |L|:

    uniform       right: m/k (1 - rho1) + (1 - m/k) (1 - rho0)      wrong: c0 without flips, whichever wrong class it is
    prediction    right: 1 - rho1       wrong: (m-1)/(k-1) (1 - rho1) + (k-m)/(k-1) rho0

In both cases P(agrees) = A right + (1 - A) wrong with A the true accuracy, whichever mistakes the model makes.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oneof.queries.weights import pair_shown, with_flips

Floats = NDArray[np.float64]

EXPECTED = 0.9
"""The accuracy at which kinds of answers are compared. It is fixed, so that the answers cannot influence the choice."""


def agreement_rates(
    classes: int, size: ArrayLike, flip_yes: ArrayLike = 0.0, flip_no: ArrayLike = 0.0
) -> tuple[Floats, Floats]:
    """P(answer agrees | prediction right) and P(answer agrees | prediction wrong), under uniform questions.

    >>> right, wrong = agreement_rates(classes=10, size=3)
    >>> round(float(right), 4), round(float(wrong), 4)
    (1.0, 0.5333)
    """
    k, m = classes, np.asarray(size, dtype=np.float64)
    rho1, rho0 = np.asarray(flip_yes, np.float64), np.asarray(flip_no, np.float64)
    both, neither = pair_shown(k, m)
    right = m / k * (1 - rho1) + (1 - m / k) * (1 - rho0)
    # If one of the two classes is shown without the other, their true answers differ: it takes a flip to agree.
    wrong = both * (1 - rho1) + neither * (1 - rho0) + (1 - both - neither) / 2 * (rho1 + rho0)
    return right, wrong


def decoy_rates(
    classes: int, size: ArrayLike, flip_yes: ArrayLike = 0.0, flip_no: ArrayLike = 0.0
) -> tuple[Floats, Floats]:
    """P(yes | prediction right) and P(yes | prediction wrong), for the prediction among size - 1 random others.

    >>> right, wrong = decoy_rates(classes=1000, size=3)
    >>> round(float(right), 4), round(float(wrong), 4)
    (1.0, 0.002)
    """
    k, m = classes, np.asarray(size, dtype=np.float64)
    rho1, rho0 = np.asarray(flip_yes, np.float64), np.asarray(flip_no, np.float64)
    right = np.broadcast_to(1 - rho1, np.broadcast_shapes(m.shape, rho1.shape, rho0.shape)).copy()
    return right, np.asarray(with_flips((m - 1) / (k - 1), rho1, rho0))


def equal_rows(*columns: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Groups of rows that are equal in all columns, (n,) each: the first row of every group, and the group of each row.

    >>> equal_rows(np.array([0.5, 0.5, 0.2]), np.array(["a", "a", "b"]))
    (array([2, 0]), array([1, 1, 0]))
    """
    code = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        if (column[1:] != column[:-1]).any():
            values, place = np.unique(column, return_inverse=True)
            code = code * len(values) + place
    _, first, group = np.unique(code, return_index=True, return_inverse=True)
    return first, group


@dataclass(frozen=True)
class Agreements:
    """Answers counted by kind; the answers of one kind have the same rates. Arrays (kinds,).

    right, wrong: P(agrees | prediction right), P(agrees | prediction wrong). agreed: how many agree. unknown: how many
    may agree or not, such as skips. n: how many answers there are.
    """

    right: Floats
    wrong: Floats
    agreed: Floats
    unknown: Floats
    n: Floats

    @classmethod
    def count(cls, right: Floats, wrong: Floats, agrees: NDArray[np.bool_], unknown: NDArray[np.bool_]) -> "Agreements":
        """From one entry for each answer, (n,) each."""
        first, kind = equal_rows(right, wrong)
        sums = (np.bincount(kind, w, len(first)) for w in (agrees & ~unknown, unknown, np.ones(len(right))))
        return cls(right[first], wrong[first], *(np.asarray(each, dtype=np.float64) for each in sums))

    def most_informative(self) -> "Agreements":
        """The kinds that give the narrowest interval: adding answers that tell little would widen it."""
        kept = self.informative_kinds()
        return Agreements(*(getattr(self, name)[kept] for name in ("right", "wrong", "agreed", "unknown", "n")))

    def informative_kinds(self) -> NDArray[np.int64]:
        """The numbers of these kinds, chosen by how many answers they have and by their rates, never by the answers."""
        p = self.wrong + EXPECTED * (self.right - self.wrong)
        order = np.argsort(-((self.right - self.wrong) ** 2) / np.maximum(p * (1 - p), 1e-9))
        slope = np.cumsum((self.n * (self.right - self.wrong))[order])
        total, mean = np.cumsum(self.n[order]), np.cumsum((self.n * p)[order])
        spread = mean * (1 - mean / total) + 1
        return np.asarray(order[: int(np.argmin(np.sqrt(spread) / slope)) + 1])

    def value(self) -> float:
        """The accuracy by the answers that are known to agree or not; 0.5 if there are none."""
        answered = self.n - self.unknown
        if not answered.any():
            return 0.5
        known = Agreements(self.right, self.wrong, self.agreed, 0 * answered, answered)
        return float(known.accuracy(self.agreed.sum() / answered.sum()))

    def accuracy(self, share: ArrayLike) -> Floats:
        """The accuracy at which this share of the answers agrees."""
        right, wrong = self.n @ self.right / self.n.sum(), self.n @ self.wrong / self.n.sum()
        return np.asarray((np.asarray(share) - wrong) / (right - wrong))
