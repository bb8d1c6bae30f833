"""The likelihood of the answers under several views of each item, which must agree.

A view is the item after a random change: an image that was moved or mirrored, or any item under dropout. Let p_1j to
p_Vj be the predictions from V views of item i, and e_ij the evidence of its answers (see `likelihood`). Then

    loss_i = -log sum_j exp(e_ij) (p_1j ... p_Vj)^(1/V)

This is the likelihood's loss for the geometric mean of the predictions, once that is normalised, and a second part,
-log sum_j (p_1j ... p_Vj)^(1/V), which is zero where the views agree and positive elsewhere (Hoelder's inequality). So
what one view knows the others learn, as far as the answers leave it possible. With one view it is the likelihood; with
a label for each item it is the mean cross entropy of the views; of an item without answers the second part is left.

The two parts together have the gradient of the cross entropy to (p_1j ... p_Vj)^(1/V) exp(e_ij), normalised: targets
from several views as in Z. Wu et al., "Revisiting consistency regularization for deep partial label learning" (2022).
"""

import torch
from torch import Tensor

from oneof.objectives.base import Batch, Counts
from oneof.objectives.likelihood import Likelihood, evidence
from oneof.objectives.logspace import Evaluation, plain_log_softmax, scalar
from oneof.objectives.registry import register


@register("agreeing-views")
class AgreeingViews(Likelihood):
    """Rows of the logits that have the same entry in `items` are views of one item.

    >>> answer = {"rows": torch.tensor([0]), "items": torch.tensor([7, 7])}  # about both rows: they show item 7
    >>> subsets, responses = torch.tensor([[True, True, False, False]]), torch.tensor([True])
    >>> views = torch.tensor([[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]])
    >>> AgreeingViews()(views, subsets, responses, **answer).value
    tensor(0.6476)
    >>> AgreeingViews()(views[[0, 0]], subsets, responses, **answer).value
    tensor(0.2138)
    """

    views = 2

    def counts(self, batch: Batch) -> Counts:
        """The number of items with answers, whichever views these are about."""
        if batch.items is None:
            return super().counts(batch)
        about = batch.items if batch.rows is None else batch.items[batch.rows]
        return (float(len(about.unique())),)

    def raw(self, logits: Tensor, batch: Batch, counts: Counts) -> Tensor:
        """This part's share of the mean loss. All views of an item must be in one part."""
        if batch.items is None:
            return super().raw(logits, batch, counts)
        names, item, views = batch.items.unique(return_inverse=True, return_counts=True)
        given = evidence(batch, len(logits), logits.dtype)
        share = views.to(logits.dtype).reciprocal_()

        def evaluate(logits: Tensor) -> Evaluation:
            log_p = plain_log_softmax(logits)
            known = given.new_zeros(len(views), given.shape[1]).index_add_(0, item, given)
            joint = known.addcmul_(torch.zeros_like(known).index_add_(0, item, log_p), share.unsqueeze(1))
            total = torch.logsumexp(joint, 1, keepdim=True)
            if total.min().item() == -torch.inf:
                raise ValueError(
                    f"the answers about the views of item {int(names[total.argmin()])} contradict each other: no class "
                    "agrees with all of them; give flip rates above zero if answers may be wrong"
                )
            target = joint.sub_(total).exp_()
            return -total.sum(), log_p.exp_().sub_(target[item]).mul_(share[item].unsqueeze(1))

        return scalar(logits, evaluate, scale=1 / counts[0], whole=True)
