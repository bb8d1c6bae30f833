"""URE: the unbiased risk from answers (the paper's Theorem 1 and Eq. 6), with a choice of three kinds of weights.

An answer multiplies the loss of each class by one of four numbers, see `oneof.queries.weights`:

paper         a = 1/p, c = -((m-1)/m) / (1-p), b = d = 0. With p = P(yes) = m/k this is the population form; with
              p = the share of yes in the batch it is the paper's difference of group means, Eq. (6), which we use.
              A batch without a yes, or without a no, has no two group means: only then p = m/k.
minimum-norm  (k-1) mean over S of l - (k-2) mean over all of l: the smallest second moment of all weights
agreement     a = d = 1, b = c = -c0/(1-c0), with c0 the chance that a wrong class agrees with the answer

With flip rates the population form is used, and s is replaced by s_hat = (s - rho0) / (1 - rho0 - rho1). Under any
other known law of the questions the minimum-norm weights are M^{-1} 1_S/|S| (see `oneof.queries.moment`).
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from oneof.objectives.base import Batch, Counts, Objective, size_range
from oneof.objectives.logspace import as_numbers
from oneof.objectives.losses import Loss, get, weighted_sum
from oneof.objectives.registry import register
from oneof.queries.moment import Queries, inverse_moment
from oneof.queries.weights import (
    Number,
    Weights,
    agreement_weights,
    minimum_norm_weights,
    paper_weights,
    without_flips,
)

WEIGHTS = ("paper", "minimum-norm", "agreement")


@register("ure")
@dataclass(repr=False)
class Unbiased(Objective):
    """The unbiased risk, uncorrected: it may become negative, and then the network overfits.

    loss: a name of `oneof.losses` or a function of the logits. weights: "paper", "minimum-norm" or "agreement".
    queries: the law of the questions if it is not uniform; it needs weights="minimum-norm".

    >>> logits = torch.zeros(2, 4)
    >>> subsets = torch.tensor([[True, True, False, False], [False, True, True, False]])
    >>> Unbiased(loss="mae")(logits, subsets, torch.tensor([True, False])).value
    tensor(1.5000)
    """

    loss: str | Loss = "mae"
    weights: str = "paper"
    queries: Queries | None = None

    corrects_flips = True

    def __post_init__(self) -> None:
        self._loss = get(self.loss)
        if self.weights not in WEIGHTS:
            raise ValueError(f"unknown weights {self.weights!r}, expected one of {', '.join(WEIGHTS)}")
        if self.queries is not None and self.weights != "minimum-norm":
            raise ValueError(
                f"weights {self.weights!r} hold for uniform questions only: use 'minimum-norm' with queries"
            )
        self._inverse = None if self.queries is None else torch.from_numpy(inverse_moment(self.queries))

    def counts(self, batch: Batch) -> Counts:
        """The number of items, and for the paper's group means the weights of the yes and of the no answers."""
        (items,) = super().counts(batch)
        if self.weights != "paper":
            return (items,)
        share = batch.shares(torch.float64)
        if share is None:
            yes = float(torch.count_nonzero(batch.responses))
            return items, yes, items - yes
        # Two sums, not a difference, so that a group without answers is exactly zero and not a rounding error.
        return items, float(share[batch.responses].sum()), float(share[~batch.responses].sum())

    def raw(self, logits: Tensor, batch: Batch, counts: Counts) -> Tensor:
        """This part's share of the unbiased risk."""
        inside = as_numbers(batch.subsets, logits.dtype)
        coefficients = batch.per_item(self._coefficients(inside, batch, counts), logits.shape[0])
        if self._inverse is not None:
            if len(self._inverse) != logits.shape[1]:
                raise ValueError(f"queries over {len(self._inverse)} classes, but logits over {logits.shape[1]}")
            coefficients = coefficients @ self._inverse.to(coefficients)
        return weighted_sum(self._loss, logits, coefficients)

    def _coefficients(self, inside: Tensor, batch: Batch, counts: Counts) -> Tensor:
        """The factor of each classwise loss, (n, k), without a gradient. inside: 1 where a label is in L, else 0."""
        weights = self._weights(inside, batch, counts)
        share = batch.shares(inside.dtype)
        scale: Number = 1 / counts[0] if share is None else share / counts[0]
        a, b, c, d = (weight * scale for weight in weights)
        if self.weights == "paper" and share is None and not batch.noisy:  # a and c are numbers
            factors = inside.new_full((len(inside), 1), c)
            return inside.mul_(factors.masked_fill_(batch.responses.unsqueeze(1), a))
        yes = batch.responses.to(inside.dtype)
        if batch.noisy:
            rho1 = 0.0 if batch.flip_yes is None else batch.flip_yes
            rho0 = 0.0 if batch.flip_no is None else batch.flip_no
            yes = without_flips(yes, rho1, rho0).to(inside.dtype)
        if self.weights == "paper":
            return inside.mul_((c + yes * (a - c)).unsqueeze(1))
        outside, difference = d + yes * (b - d), (c - d) + yes * ((a - b) - (c - d))
        return torch.addcmul(outside.unsqueeze(1), inside, difference.unsqueeze(1))

    def _weights(self, inside: Tensor, batch: Batch, counts: Counts) -> Weights:
        classes = inside.shape[1]
        sizes = inside.sum(1)
        smallest, largest = size_range(sizes, classes)
        size: Number = smallest if smallest == largest else sizes
        if self._inverse is not None:
            return Weights(1 / size, 0.0, 0.0, 1 / (classes - size))
        if self.weights == "minimum-norm":
            return minimum_norm_weights(classes, size)
        if self.weights == "agreement":
            return agreement_weights(classes, size)
        if batch.noisy:
            return paper_weights(classes, size, size / classes)
        if smallest != largest:
            raise ValueError(
                f"subsets of sizes {smallest} to {largest} in one batch: the paper's group means need one size; "
                "use weights='minimum-norm' or 'agreement'"
            )
        _, yes, no = counts
        return paper_weights(classes, size, yes / (yes + no) if yes > 0 and no > 0 else size / classes)
