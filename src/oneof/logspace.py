"""Probabilities in log space: finite values and gradients for logits of any size."""

import math
from typing import Any

import torch
from torch import Tensor


def log_softmax(logits: Tensor) -> Tensor:
    """log p over the last dimension. (n, k) -> (n, k)."""
    return torch.log_softmax(logits, dim=-1)


def log1mexp(x: Tensor) -> Tensor:
    """log(1 - exp(x)) for x < 0, without cancellation at either end (Maechler 2012).

    >>> log1mexp(torch.tensor([-1e-4, -50.0], dtype=torch.float64))
    tensor([-9.2104e+00, -1.9287e-22], dtype=torch.float64)
    """
    near_zero = x > -math.log(2)
    safe = torch.where(near_zero, x, -1.0)
    far = torch.where(near_zero, -1.0, x)
    return torch.where(near_zero, torch.log(-torch.expm1(safe)), torch.log1p(-torch.exp(far)))


def restrict(logits: Tensor, members: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Softmax p, its restriction q to a set of classes, and the log of the set's probability. No gradient.

    (n, k), bool (n, k) -> (n, k), (n, k), (n,). Summing probabilities is several times faster than a masked
    logsumexp, and as accurate until the sum underflows; only then is the slow way taken.
    """
    p = torch.softmax(logits, dim=-1)
    q = p * members.to(p.dtype)
    total = q.sum(dim=-1)
    if total.min() > 1e-30:
        return p, q.div_(total[..., None]), total.log_().clamp_(max=0.0)
    masked = torch.log_softmax(logits, dim=-1).masked_fill_(~members, -torch.inf)
    return p, torch.softmax(masked, dim=-1), torch.logsumexp(masked, dim=-1)


class _LogProbability(torch.autograd.Function):
    """d log P_S / d logits = q - p: what the answer says of the class, minus what the model said before it."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, members: Tensor) -> Tensor:
        p, q, log_total = restrict(logits, members)
        ctx.save_for_backward(q.sub_(p))
        return log_total

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        (change,) = ctx.saved_tensors
        return change * grad[..., None], None


def log_probability(logits: Tensor, members: Tensor) -> Tensor:
    """log of the softmax probability of a set of classes. (n, k), bool (n, k) -> (n,).

    >>> log_probability(torch.tensor([[0.0, 1e4, 0.0]]), torch.tensor([[True, False, True]]))
    tensor([-9999.3066])
    """
    return torch.as_tensor(_LogProbability.apply(logits, members))  # type: ignore[no-untyped-call]
