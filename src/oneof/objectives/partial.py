"""PLL-Avg: answers as candidate sets, with equal weights for all candidates (Cour et al. 2011; the paper's baseline).

The loss of an answer is the mean over its consistent set S of a classwise loss, the MAE in the paper.
"""

from dataclasses import dataclass

from torch import Tensor

from oneof.objectives.base import Batch, Counts, Objective, size_range
from oneof.objectives.logspace import as_numbers
from oneof.objectives.losses import Loss, get, weighted_sum
from oneof.objectives.registry import register


@register("pll-avg")
@dataclass(repr=False)
class PartialAverage(Objective):
    """The mean over the consistent set of a classwise loss.

    >>> import torch
    >>> subsets = torch.tensor([[True, False, False, False]])
    >>> PartialAverage()(torch.zeros(1, 4), subsets, torch.tensor([True])).value
    tensor(1.5000)
    """

    loss: str | Loss = "mae"

    def __post_init__(self) -> None:
        self._loss = get(self.loss)

    def raw(self, logits: Tensor, batch: Batch, counts: Counts) -> Tensor:
        """This part's share of the mean loss."""
        consistent = as_numbers(batch.consistent(), logits.dtype)
        sizes = consistent.sum(1)
        size_range(sizes, consistent.shape[1])
        scale = sizes.mul_(counts[0]).reciprocal_()
        share = batch.shares(logits.dtype)
        weights = consistent.mul_((scale if share is None else scale * share).unsqueeze(1))
        return weighted_sum(self._loss, logits, batch.per_item(weights, logits.shape[0]))
