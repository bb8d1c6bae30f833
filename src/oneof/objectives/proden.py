"""PRODEN: candidate sets with weights that sharpen during training (Lv et al. 2020; the paper's baseline).

    loss_i = -sum_j w_ij log p_ij        w_i starts at 1_S / |S|; after each visit  w_ij = p_ij 1{j in S} / P_S

The weights of a training item are used at its next visit: they are state, and part of checkpoints. With weights from
the same forward pass the gradient would be that of the likelihood. Flip rates are used as in the likelihood: the new
weights are the posterior, softmax_j(log p_ij + e_ij).
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from oneof.objectives import losses
from oneof.objectives.base import Batch, Counts, Objective, size_range
from oneof.objectives.likelihood import evidence, observed, posterior
from oneof.objectives.logspace import as_numbers
from oneof.objectives.registry import register


def first_weights(batch: Batch, items: int, dtype: torch.dtype) -> Tensor:
    """The weights at the first visit, from the answers alone: 1_S / |S| without noise. (b, k)."""
    if batch.rows is None and not batch.noisy:
        consistent = as_numbers(batch.consistent(), dtype)
        sizes = consistent.sum(1, keepdim=True)
        size_range(sizes, consistent.shape[1])
        return consistent.div_(sizes)
    return _with_answers(torch.softmax(evidence(batch, items, dtype), dim=1), batch)


def _with_answers(weights: Tensor, batch: Batch) -> Tensor:
    """The weights, (b, k), with zeros for items that have no answer in the batch: nothing is learned from those."""
    if batch.rows is None:
        return weights
    answered = torch.bincount(batch.rows, minlength=len(weights)) > 0
    return weights * answered.to(weights.dtype).unsqueeze(1)


@register("proden")
class Proden(Objective):
    """PRODEN. `items` gives the training item of each row of the logits; without it every visit is the first.

    >>> subsets = torch.tensor([[True, True, False, False]])
    >>> Proden()(torch.zeros(1, 4), subsets, torch.tensor([True])).value
    tensor(1.3863)
    """

    corrects_flips = True

    def __init__(self) -> None:
        self.weights: Tensor | None = None
        self._visited: Tensor | None = None

    def prepare(self, items: int, classes: int) -> None:
        """Make the weights of every training item, (items, k); a row of zeros is an item that was not visited yet."""
        self.weights = torch.zeros(items, classes)
        self._visited = torch.zeros(items, dtype=torch.bool)

    def raw(self, logits: Tensor, batch: Batch, counts: Counts) -> Tensor:
        """This part's share of the mean loss; also updates the weights of the visited items."""
        if batch.items is None:
            weights = first_weights(batch, logits.shape[0], logits.dtype)
        else:
            weights = self._recall(batch.items, logits, batch)
        return losses.weighted_sum(losses.cross_entropy, logits, weights.div_(counts[0]))

    def _recall(self, items: Tensor, logits: Tensor, batch: Batch) -> Tensor:
        """The weights of these items, (b, k); for the next visit the posterior is stored in their place."""
        if self.weights is None or self._visited is None:
            raise ValueError("call prepare(items, classes) before training, or leave items out")
        self.weights = self.weights.to(logits.device)
        weights = self.weights.index_select(0, items).to(logits.dtype)
        total = weights.sum(1, keepdim=True)
        if total.min().item() == 0:
            weights = torch.where(total > 0, weights, first_weights(batch, logits.shape[0], logits.dtype))
        _, following, _ = posterior(logits.detach(), *observed(batch, logits.shape[0], logits.dtype))
        self.weights.index_copy_(0, items, _with_answers(following, batch).to(self.weights.dtype))
        self._visited.index_fill_(0, items.cpu(), True)
        return weights

    def merge(self, total: Callable[[Tensor], Tensor]) -> None:
        """Every worker gets the weights of the items that other workers visited since the last merge."""
        if self.weights is None or self._visited is None:
            return
        visited = self._visited.to(self.weights.dtype)
        by_any = total(visited) > 0
        updated = total(self.weights.cpu() * visited[:, None])
        self.weights = torch.where(by_any[:, None], updated, self.weights.cpu())
        self._visited.zero_()

    def state_dict(self) -> dict[str, Any]:
        """The weights, (items, k)."""
        return {} if self.weights is None else {"weights": self.weights.clone()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore the weights."""
        weights = state.get("weights")
        self.weights = None if weights is None else weights.clone()
        self._visited = None if weights is None else torch.zeros(len(weights), dtype=torch.bool)
