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
from oneof.objectives.logspace import Evaluation, as_numbers, plain_log_softmax, scalar
from oneof.objectives.registry import register


def first_weights(batch: Batch, items: int, dtype: torch.dtype) -> Tensor:
    """The weights at the first visit, from the answers alone: 1_S / |S| without noise. (b, k)."""
    if batch.rows is None and not batch.noisy:
        consistent = as_numbers(batch.consistent(), dtype)
        sizes = consistent.sum(1, keepdim=True)
        size_range(sizes, consistent.shape[1])
        return consistent.div_(sizes)
    weights = torch.softmax(evidence(batch, items, dtype), dim=1)
    return weights if batch.rows is None else weights * _answered(batch.rows, items).to(dtype).unsqueeze(1)


def _answered(rows: Tensor, items: int) -> Tensor:
    """Which items have an answer in the batch, bool (b,): nothing is learned from the others."""
    return torch.bincount(rows, minlength=items) > 0


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
            return scalar(logits, losses.cross_entropy.evaluate_sum, weights, scale=1 / counts[0])
        if self.weights is None or self._visited is None:
            raise ValueError("call prepare(items, classes) before training, or leave items out")
        self.weights = memory = self.weights.to(logits.device)

        # The new weights are stored while the softmax is at hand; `weights` is a copy of the old ones.
        def evaluate(logits: Tensor, weights: Tensor, items: Tensor, *constants: Tensor) -> Evaluation:
            log_p = plain_log_softmax(logits)
            p = log_p.exp()
            memory.index_copy_(0, items, posterior(logits, *constants, p=p)[1].to(memory.dtype))
            value = -torch.dot(weights.reshape(-1), log_p.reshape(-1))
            return value, p.mul_(weights.sum(-1, keepdim=True)).sub_(weights)

        weights = memory.index_select(0, batch.items).to(logits.dtype)
        total = weights.sum(1, keepdim=True)
        if total.min().item() == 0:
            weights = torch.where(total > 0, weights, first_weights(batch, logits.shape[0], logits.dtype))
        given = observed(batch, logits.shape[0], logits.dtype)
        risk = scalar(logits, evaluate, weights, batch.items, *given, scale=1 / counts[0])
        if batch.rows is not None:
            memory.index_fill_(0, batch.items[~_answered(batch.rows, logits.shape[0])], 0.0)
        self._visited.index_fill_(0, batch.items.cpu(), True)
        return risk

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
