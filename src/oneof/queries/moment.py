"""What the law of the questions lets us recover: the moment matrix M and its inverse.

With z the indicator vector of a question L, and S the consistent set (L after a yes, its complement after a no),

    M = E_L[ z z^T / |L| + (1 - z)(1 - z)^T / (k - |L|) ]        (k, k)
    w(L, s) = M^{-1} (1_S / |S|)                                  E[w | true class y] = e_y

so that the mean of `w . l` over answers is an unbiased estimate of the supervised risk for any classwise loss l.
The risk is identifiable exactly when M is invertible.
"""

from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from torch import Tensor

Sets = TypeVar("Sets", NDArray[np.bool_], "Tensor")

FEW = 1 << 13
"""With fewer labels than this, the call of a torch function takes longer than its work on bools."""

MAX_CONDITION = 1e8
"""Above this the variance of the weights makes an "unbiased" risk worthless, so we refuse instead."""


class Queries(Protocol):
    """The law of the questions: a known distribution over subsets of the classes."""

    @property
    def classes(self) -> int:
        """Number of classes k."""

    @property
    def p_yes(self) -> float:
        """P(s = 1) for a class drawn uniformly: the mean size of a question divided by k."""

    def draw(self, n: int, rng: np.random.Generator | int) -> NDArray[np.bool_]:
        """n independent questions, bool (n, k)."""

    def moment(self) -> NDArray[np.float64]:
        """The matrix M, (k, k)."""


def consistent_sets(subsets: Sets, responses: Sets) -> Sets:
    """The labels that each answer leaves possible: the subset after a yes, its complement after a no. bool (n, k).

    subsets: bool (n, k). responses: bool (n,). Arrays or tensors; `answers.bitsets` has the same for packed bits.

    >>> consistent_sets(np.array([[True, False, False]] * 2), np.array([True, False]))
    array([[ True, False, False],
           [False,  True,  True]])
    """
    if isinstance(subsets, np.ndarray) or subsets.numel() < FEW:
        possible: Sets = subsets == responses.reshape(-1, 1)
        return possible
    import torch

    # Bytes instead of bools: torch compares bools of different shapes one by one, thirty times as slowly.
    return (subsets.view(torch.uint8) ^ (~responses).view(torch.uint8).reshape(-1, 1)).view(torch.bool)


def inverse_moment(queries: Queries) -> NDArray[np.float64]:
    """M^{-1}, (k, k); an error that names the classes if answers cannot tell some of them apart.

    >>> from oneof import UniformQueries
    >>> inverse_moment(UniformQueries(classes=4, size=2)).round(6)[0]
    array([ 2.5, -0.5, -0.5, -0.5])
    """
    values, vectors = np.linalg.eigh(queries.moment())
    condition = float("inf") if values[0] <= 0 else float(values[-1] / values[0])
    if condition > MAX_CONDITION:
        confused = np.flatnonzero(np.abs(vectors[:, 0]) > 0.1 * np.abs(vectors[:, 0]).max())
        raise ValueError(
            f"these questions do not identify the risk: the moment matrix has condition number {condition:.3g} "
            f"(limit {MAX_CONDITION:.0g}), because answers hardly separate classes {confused.tolist()}; ask "
            "questions that split them in more ways, or train with the likelihood, which needs no inverse"
        )
    return np.asarray((vectors / values) @ vectors.T, dtype=np.float64)


def unbiased_weights(queries: Queries, subsets: NDArray[np.bool_], responses: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The weight of each classwise loss in the unbiased risk, w(L, s) = M^{-1} 1_S / |S|. (n, k).

    >>> from oneof import UniformQueries
    >>> unbiased_weights(UniformQueries(4, 2), np.array([[True, True, False, False]]), np.array([True])).round(6)
    array([[ 1. ,  1. , -0.5, -0.5]])
    """
    consistent = consistent_sets(subsets, responses).astype(np.float64)
    return np.asarray(consistent / consistent.sum(axis=1, keepdims=True) @ inverse_moment(queries), dtype=np.float64)
