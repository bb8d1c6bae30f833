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
from oneof.objectives.likelihood import evidence
from oneof.objectives.logspace import Evaluation, NothingLeft, plain_log_softmax, scalar
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
        given = evidence(batch, len(logits), logits.dtype)
        items = torch.arange(len(logits)) if batch.items is None else batch.items
        kept = torch.zeros_like(logits) if batch.items is None else self.recall(items, logits)

        def evaluate(logits: Tensor, given: Tensor, kept: Tensor, items: Tensor) -> Evaluation:
            log_p = plain_log_softmax(logits)
            if batch.items is not None:
                self.remember(items, log_p)
            first = (kept == 0).all(1, keepdim=True)  # no logarithms of probabilities are all zero
            joint = torch.where(first, log_p, kept).add_(log_p).mul_(0.5).add_(given)
            total = torch.logsumexp(joint, 1, keepdim=True)
            if total.min().item() == -torch.inf:
                raise NothingLeft(int(total.argmin()))
            change = log_p.exp_().sub_(joint.sub_(total).exp_())
            return total.sum().neg_(), change.mul_(torch.where(first, 1.0, 0.5))

        return scalar(logits, evaluate, given, kept, items, scale=1 / counts[0])
