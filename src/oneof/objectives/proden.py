"""PRODEN: candidate sets with weights that sharpen during training (Lv et al. 2020; the paper's baseline).

    loss_i = -sum_j w_ij log p_ij        w_i starts at 1_S / |S|; after each visit  w_ij = p_ij 1{j in S} / P_S

The weights of a training item are used at its next visit: they are state, and part of checkpoints. With weights from
the same forward pass the gradient would be that of the likelihood. Flip rates are used as in the likelihood: the new
weights are the posterior, softmax_j(log p_ij + e_ij).
"""

import torch
from torch import Tensor

from oneof.objectives import losses
from oneof.objectives.base import Batch, Counts, size_range
from oneof.objectives.likelihood import evidence, observed, posterior
from oneof.objectives.logspace import Evaluation, as_numbers, plain_log_softmax, scalar
from oneof.objectives.memory import Remembering
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
class Proden(Remembering):
    """PRODEN. `items` gives the training item of each row of the logits; without it every visit is the first.

    >>> subsets = torch.tensor([[True, True, False, False]])
    >>> Proden()(torch.zeros(1, 4), subsets, torch.tensor([True])).value
    tensor(1.3863)
    """

    corrects_flips = True

    def raw(self, logits: Tensor, batch: Batch, counts: Counts) -> Tensor:
        """This part's share of the mean loss; also updates the weights of the visited items."""
        if batch.items is None:
            weights = first_weights(batch, logits.shape[0], logits.dtype)
            return scalar(logits, losses.cross_entropy.evaluate_sum, weights, scale=1 / counts[0])
        weights = self.recall(batch.items, logits)

        # The new weights are stored while the softmax is at hand; `weights` is a copy of the old ones.
        def evaluate(logits: Tensor, weights: Tensor, items: Tensor, *constants: Tensor) -> Evaluation:
            log_p = plain_log_softmax(logits)
            p = log_p.exp()
            self.remember(items, posterior(logits, *constants, p=p)[1])
            value = -torch.dot(weights.reshape(-1), log_p.reshape(-1))
            return value, p.mul_(weights.sum(-1, keepdim=True)).sub_(weights)

        total = weights.sum(1, keepdim=True)
        if total.min().item() == 0:
            weights = torch.where(total > 0, weights, first_weights(batch, logits.shape[0], logits.dtype))
        given = observed(batch, logits.shape[0], logits.dtype)
        risk = scalar(logits, evaluate, weights, batch.items, *given, scale=1 / counts[0])
        if batch.rows is not None:
            unanswered = batch.items[~_answered(batch.rows, logits.shape[0])]
            self.remember(unanswered, logits.new_zeros(len(unanswered), logits.shape[1]))
        return risk
