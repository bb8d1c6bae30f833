"""The likelihood with a memory: what a network says of an item must agree with what it said at the last visit.

Let p_ij be the predictions for item i at this visit, m_ij those at its last one, usually an epoch ago and of another
random change of the item, and e_ij the evidence of its answers (see `likelihood`). Then

    loss_i = -log sum_j exp(e_ij) (p_ij m_ij)^(1/2)

This is the likelihood's loss for the geometric mean of the two predictions, once that is normalised, and a second part,
-log sum_j (p_ij m_ij)^(1/2), which is zero where they agree and positive elsewhere (Cauchy-Schwarz). So what one visit
knows the next one learns, as far as the answers leave it possible, and what a single view suggests is not taken for
certain. At a first visit there is nothing to agree with: the loss is the likelihood's.

m is a constant, so the gradient by the logits is half that of the cross entropy to the target (p_ij m_ij)^(1/2)
exp(e_ij), normalised. With p alone the target would be the likelihood's, with m alone nearly PRODEN's. Targets from
several views follow Z. Wu et al., "Revisiting consistency regularization for deep partial label learning" (2022), where
all views are of one visit, so that a step costs as many passes.
"""

import torch
from torch import Tensor

from oneof.objectives.base import Batch, Counts
from oneof.objectives.likelihood import Likelihood, observed, posterior
from oneof.objectives.logspace import Evaluation, plain_log_softmax, scalar
from oneof.objectives.memory import Remembering
from oneof.objectives.registry import register


@register("agreeing-visits")
class AgreeingVisits(Remembering):
    """`items` gives the training item of each row of the logits; without it every visit is the first.

    >>> subsets, responses = torch.tensor([[True, True, False, False]]), torch.tensor([True])
    >>> objective, item = AgreeingVisits(), torch.tensor([0])
    >>> objective.prepare(items=1, classes=4)
    >>> one, other = torch.tensor([[2.0, 0.0, 0.0, 0.0]]), torch.tensor([[0.0, 2.0, 0.0, 0.0]])
    >>> objective(one, subsets, responses, items=item).value
    tensor(0.2138)
    >>> objective(one, subsets, responses, items=item).value  # as at the last visit
    tensor(0.2138)
    >>> objective(other, subsets, responses, items=item).value
    tensor(0.6476)
    """

    corrects_flips = True

    def raw(self, logits: Tensor, batch: Batch, counts: Counts) -> Tensor:
        """This part's share of the mean loss; also keeps the predictions for the visited items."""
        if batch.items is None:
            return Likelihood().raw(logits, batch, counts)

        def evaluate(logits: Tensor, items: Tensor, *given: Tensor) -> Evaluation:
            log_p = plain_log_softmax(logits)
            last = self.recall(items, logits)
            self.remember(items, log_p)
            first = last.sum(1, keepdim=True) == 0  # the logarithms of several probabilities have a sum below zero
            joint = torch.where(first, log_p, last).add_(log_p).mul_(0.5)
            mean = plain_log_softmax(joint)
            agreement = joint[:, 0] - mean[:, 0]  # log sum_j (p_j m_j)^(1/2), as of any other class
            _, target, log_likelihood = posterior(mean, *given, p=mean.exp())
            change = log_p.exp_().sub_(target).mul_(torch.where(first, 1.0, 0.5))
            return log_likelihood.sum().add_(agreement.sum()).neg_(), change

        given = observed(batch, len(logits), logits.dtype)
        return scalar(logits, evaluate, batch.items, *given, scale=1 / counts[0])
