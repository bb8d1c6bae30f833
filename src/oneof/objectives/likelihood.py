"""The likelihood of the answers: the default objective.

The evidence about item i is e_ij = sum over its answers q of log P(s_q | class j, L_q), and its loss

    loss_i = -logsumexp_j( log p_ij + e_ij )

For one answer without noise this is -log of the probability of the consistent set. Several answers about one item have
the same unknown class, so they are added up *inside* the logsumexp. The likelihood holds for any questions that depend
on the item and on past answers only (also adaptive ones), any number of answers, and any known noise. It is never
negative, so it needs no correction.
"""

import torch
from torch import Tensor

from oneof.answers.evidence import log_probabilities
from oneof.objectives.base import Batch, Counts, Objective
from oneof.objectives.logspace import Evaluation, as_numbers, log_probability, plain_log_softmax, restrict, scalar
from oneof.objectives.registry import register
from oneof.queries.moment import consistent_sets


def evidence(batch: Batch, items: int, dtype: torch.dtype) -> Tensor:
    """The evidence e_ij about each item of the batch, (items, k); -inf where an answer excludes a class."""
    subsets, responses = batch.subsets, batch.responses
    if batch.noisy:
        zero = torch.zeros((), dtype=dtype, device=subsets.device)
        rho1 = zero + (0.0 if batch.flip_yes is None else batch.flip_yes)
        rho0 = zero + (0.0 if batch.flip_no is None else batch.flip_no)
        inside, outside = log_probabilities(responses, rho1, rho0, torch)
        by_answer = torch.where(subsets, inside[:, None], outside[:, None]).to(dtype)
    else:
        by_answer = as_numbers(batch.consistent(), dtype).log_()
    if batch.rows is None:
        return by_answer
    by_item = batch.per_item(by_answer, items)
    empty = torch.isneginf(by_item).all(dim=1)
    if empty.any():
        raise ValueError(
            f"the answers about row {int(empty.nonzero()[0])} contradict each other: no class agrees with "
            "all of them; give flip rates above zero if answers may be wrong"
        )
    return by_item


def observed(batch: Batch, items: int, dtype: torch.dtype) -> tuple[Tensor, ...]:
    """What `posterior` needs of the answers: subsets and responses in the simple case, otherwise the evidence."""
    if batch.rows is None and not batch.noisy:
        return batch.subsets, batch.responses
    return (evidence(batch, items, dtype),)


def posterior(logits: Tensor, *observed: Tensor, p: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """The softmax p, its posterior given the answers, and the log-likelihood of the answers about each item.

    observed: from the function of this name. p: the softmax, if it is known. No gradient.
    (b, k) -> (b, k), (b, k), (b, 1).
    """
    if len(observed) > 1:
        return restrict(logits, consistent_sets(*observed), p)
    log_p = plain_log_softmax(logits)
    joint = log_p + observed[0]
    total = torch.logsumexp(joint, -1, keepdim=True)
    return log_p.exp_(), joint.sub_(total).exp_(), total


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

        def evaluate(logits: Tensor, *constants: Tensor) -> Evaluation:
            if len(constants) > 1:
                log_likelihood, change = log_probability(logits, consistent_sets(*constants))
            else:
                p, q, log_likelihood = posterior(logits, *constants)
                change = p.sub_(q)
            return log_likelihood.sum().neg_(), change

        return scalar(logits, evaluate, *observed(batch, logits.shape[0], logits.dtype), scale=1 / counts[0])
