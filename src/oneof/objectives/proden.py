"""PRODEN: candidate sets with weights that sharpen as training goes on (Lv et al. 2020, the paper's baseline).

    loss_i = -sum_j w_ij log p_ij        w_i starts at 1_S / |S|; after each visit  w_ij = p_ij 1{j in S} / P_S

The weights belong to the training item and are used the next time it is seen: they are state, kept in checkpoints.
With weights from the same forward pass the gradient is the likelihood's. Flip rates enter as they do there: the new
weights are the posterior, softmax_j(log p_ij + e_ij).
"""

from typing import Any

import torch
from torch import Tensor

from oneof import losses
from oneof.logspace import log_softmax, restrict
from oneof.objectives.base import Batch, Counts, Objective
from oneof.objectives.likelihood import evidence
from oneof.objectives.registry import register
from oneof.weighted_sum import weighted_sum


def first_weights(batch: Batch, items: int, dtype: torch.dtype) -> Tensor:
    """What the answers alone say of the class: 1_S / |S| without noise. (b, k)."""
    if batch.rows is None and not batch.noisy:
        consistent = batch.consistent().to(dtype)
        return consistent.div_(consistent.sum(dim=1, keepdim=True))
    return torch.softmax(evidence(batch, items, dtype), dim=1)


def next_weights(logits: Tensor, batch: Batch) -> Tensor:
    """What the model and the answers together say of the class: softmax_j(log p_ij + e_ij). No gradient. (b, k)."""
    if batch.rows is None and not batch.noisy:
        return restrict(logits.detach(), batch.consistent().to(logits.dtype))[1]
    return torch.softmax(log_softmax(logits.detach()) + evidence(batch, len(logits), logits.dtype), dim=1)


@register("proden")
class Proden(Objective):
    """PRODEN. `items` tells which training items the rows of the logits are; without it every visit is the first.

    >>> subsets = torch.tensor([[True, True, False, False]])
    >>> Proden()(torch.zeros(1, 4), subsets, torch.tensor([True])).value
    tensor(1.3863)
    """

    corrects_flips = True

    def __init__(self) -> None:
        self.weights: Tensor | None = None

    def prepare(self, items: int, classes: int) -> None:
        """Room for the weights of every training item; a row of zeros is an item not seen yet. (items, k)."""
        self.weights = torch.zeros(items, classes)

    def raw(self, logits: Tensor, batch: Batch, counts: Counts) -> Tensor:
        """This part's share of the mean loss; moves the weights of the visited items on."""
        weights = first_weights(batch, len(logits), logits.dtype)
        if batch.items is not None:
            if self.weights is None:
                raise ValueError("call prepare(items, classes) before training, or leave items out")
            self.weights = self.weights.to(logits.device)
            kept = self.weights[batch.items].to(logits.dtype)
            weights = torch.where(kept.sum(dim=1, keepdim=True) > 0, kept, weights)
            self.weights[batch.items] = next_weights(logits, batch).to(self.weights.dtype)
        return weighted_sum(losses.cross_entropy, logits, weights / counts[0])

    def state_dict(self) -> dict[str, Any]:
        """The weights, (items, k)."""
        return {} if self.weights is None else {"weights": self.weights}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take up the weights."""
        self.weights = state.get("weights")

    def __repr__(self) -> str:
        return "Proden()"
