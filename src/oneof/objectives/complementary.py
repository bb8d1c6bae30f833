"""MCL: answers turned into sets of complementary labels (Feng et al. 2020, as the paper's transformed baselines).

The complementary set is Ybar, the complement of the consistent set S: |Ybar| = k - m after a yes, m after a no. With
P_S the predicted probability of S, each is ((k - 1) / |Ybar|) times

    MCL-MAE  1 - P_S          MCL-EXP  exp(-P_S)          MCL-LOG  -log P_S

averaged over the batch (over the answers of an item first, where it has several).
"""

import torch
from torch import Tensor

from oneof.logspace import log_probability
from oneof.objectives.base import Batch, Counts, Objective
from oneof.objectives.registry import register


class Complementary(Objective):
    """What the three have in common; `of` is the loss as a function of log P_S."""

    def of(self, log_p: Tensor) -> Tensor:
        """The loss before its factor, (n,) -> (n,)."""
        raise NotImplementedError

    def raw(self, logits: Tensor, batch: Batch, counts: Counts) -> Tensor:
        """This part's share of the mean loss."""
        consistent = batch.consistent()
        classes = consistent.shape[1]
        log_p = log_probability(batch.per_answer(logits), consistent)
        factor = (classes - 1) / (classes - consistent.to(log_p.dtype).sum(dim=1)) / counts[0]
        share = batch.shares(log_p.dtype)
        return torch.dot(self.of(log_p), factor if share is None else factor * share)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


@register("mcl-exp")
class ComplementaryExp(Complementary):
    """MCL with the exponential upper-bound loss."""

    def of(self, log_p: Tensor) -> Tensor:
        """exp(-P_S)."""
        return torch.exp(-torch.exp(log_p))


@register("mcl-mae")
class ComplementaryMae(Complementary):
    """MCL with the mean absolute error."""

    def of(self, log_p: Tensor) -> Tensor:
        """1 - P_S."""
        return -torch.expm1(log_p)


@register("mcl-log")
class ComplementaryLog(Complementary):
    """MCL with the logarithmic upper-bound loss."""

    def of(self, log_p: Tensor) -> Tensor:
        """-log P_S."""
        return -log_p
