"""The likelihood of the answers: the objective to begin with.

For item i collect the evidence e_ij = sum over its answers q of log P(s_q | class j, L_q); then

    loss_i = -logsumexp_j( log p_ij + e_ij )

One answer without noise: -log of the probability of the consistent set. Several answers about one item share one
latent class, so they are joined *inside* the logsumexp. Valid for any queries that look only at the item and at past
answers (adaptive ones included), any number of answers, any known noise. Never negative, so it needs no correction.
"""

import torch
from torch import Tensor

from oneof.answers.evidence import log_probabilities
from oneof.objectives.base import Batch, Counts, Objective
from oneof.objectives.logspace import Evaluation, plain_log_softmax, restrict, scalar
from oneof.objectives.registry import register
from oneof.queries.moment import consistent_sets


def evidence(batch: Batch, items: int, dtype: torch.dtype) -> Tensor:
    """e_ij of every item in the batch, (items, k); -inf where an answer without noise rules a class out."""
    subsets, responses = batch.subsets, batch.responses
    if batch.noisy:
        zero = torch.zeros((), dtype=dtype, device=subsets.device)
        rho1 = zero + (0.0 if batch.flip_yes is None else batch.flip_yes)
        rho0 = zero + (0.0 if batch.flip_no is None else batch.flip_no)
        inside, outside = log_probabilities(responses, rho1, rho0, torch)
        said = torch.where(subsets, inside[:, None], outside[:, None]).to(dtype)
    else:
        said = batch.consistent().to(dtype).log_()
    if batch.rows is None:
        return said
    joined = torch.zeros(items, subsets.shape[1], dtype=dtype, device=subsets.device).index_add_(0, batch.rows, said)
    empty = torch.isneginf(joined).all(dim=1)
    if empty.any():
        raise ValueError(
            f"the answers about row {int(empty.nonzero()[0])} contradict each other: no class agrees with "
            "all of them; give flip rates above zero if answers may be wrong"
        )
    return joined


def told(batch: Batch, items: int, dtype: torch.dtype) -> tuple[Tensor, ...]:
    """What the answers say of each item, as `posterior` takes it: subsets and responses, or the evidence."""
    if batch.rows is None and not batch.noisy:
        return batch.subsets, batch.responses
    return (evidence(batch, items, dtype),)


def posterior(logits: Tensor, *told: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Softmax p, what it and the answers say together, and the log-likelihood of the answers about each item.

    No gradient. (b, k) -> (b, k), (b, k), (b, 1).
    """
    if len(told) > 1:
        return restrict(logits, consistent_sets(*told))
    log_p = plain_log_softmax(logits)
    joined = log_p + told[0]
    total = torch.logsumexp(joined, -1, keepdim=True)
    return log_p.exp_(), joined.sub_(total).exp_(), total


@register("likelihood")
class Likelihood(Objective):
    """Minus the mean log-likelihood of the answers.

    >>> subsets = torch.tensor([[True, True, False, False]])
    >>> Likelihood()(torch.zeros(1, 4), subsets, torch.tensor([True])).value
    tensor(0.6931)
    """

    corrects_flips = True

    def raw(self, logits: Tensor, batch: Batch, counts: Counts) -> Tensor:
        """This part's share of minus the mean log-likelihood."""

        def evaluate(logits: Tensor, *told: Tensor) -> Evaluation:
            p, q, log_likelihood = posterior(logits, *told)
            return log_likelihood.sum() / -counts[0], p.sub_(q).div_(counts[0])

        return scalar(logits, evaluate, *told(batch, len(logits), logits.dtype))
