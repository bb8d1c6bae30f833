"""MCL: answers as sets of complementary labels (Feng et al. 2020; transformed baselines of the paper).

The complementary set is Ybar, the complement of the consistent set S: |Ybar| = k - m after a yes, m after a no. With
P_S the predicted probability of S, each loss is ((k - 1) / |Ybar|) times

    MCL-MAE  1 - P_S          MCL-EXP  exp(-P_S)          MCL-LOG  -log P_S

averaged over the batch (over the answers of an item first, where it has several).
"""

import torch
from torch import Tensor

from oneof.objectives.base import Batch, Counts, Objective, size_range
from oneof.objectives.logspace import Evaluation, log_probability, scalar
from oneof.objectives.registry import register


class Complementary(Objective):
    """The common part of the three; `loss_of` is the loss as a function of log P_S."""

    def loss_of(self, log_p: Tensor) -> tuple[Tensor, Tensor]:
        """The loss without its factor, and minus its derivative by log P_S. (n, 1) -> (n, 1), (n, 1)."""
        raise NotImplementedError

    def raw(self, logits: Tensor, batch: Batch, counts: Counts) -> Tensor:
        """This part's share of the mean loss."""
        consistent = batch.consistent()
        classes = consistent.shape[1]
        ruled_out = classes - consistent.sum(1, keepdim=True, dtype=logits.dtype)
        size_range(ruled_out, classes)
        factor = ruled_out.reciprocal_().mul_((classes - 1) / counts[0])
        share = batch.shares(logits.dtype)
        if share is not None:
            factor *= share.unsqueeze(1)

        def evaluate(logits: Tensor, consistent: Tensor, factor: Tensor) -> Evaluation:
            log_p, change = log_probability(logits, consistent)
            loss, slope = self.loss_of(log_p)
            return loss.mul_(factor).sum(), change.mul_(slope.mul_(factor))

        return scalar(batch.per_answer(logits), evaluate, consistent, factor)


@register("mcl-exp")
class ComplementaryExp(Complementary):
    """MCL with the exponential upper-bound loss."""

    def loss_of(self, log_p: Tensor) -> tuple[Tensor, Tensor]:
        """exp(-P_S)."""
        p = torch.exp(log_p)
        loss = torch.exp(-p)
        return loss, p.mul_(loss)


@register("mcl-mae")
class ComplementaryMae(Complementary):
    """MCL with the mean absolute error."""

    def loss_of(self, log_p: Tensor) -> tuple[Tensor, Tensor]:
        """1 - P_S."""
        return -torch.expm1(log_p), torch.exp(log_p)


@register("mcl-log")
class ComplementaryLog(Complementary):
    """MCL with the logarithmic upper-bound loss."""

    def loss_of(self, log_p: Tensor) -> tuple[Tensor, Tensor]:
        """-log P_S."""
        return -log_p, torch.ones_like(log_p)
