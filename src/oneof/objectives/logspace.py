"""Probabilities in log space: finite values and gradients for logits of any size.

A risk F depends on the logits through log p alone, p the softmax. With u = dF / d log p, (n, k), its gradient is

    dF / d logits = u - p * (sum of u over the classes)

so an objective gives its value and u, and `scalar` makes one differentiable number of them: a third of the work that
autograd would do over the same formulas, and half of the memory.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


def log_softmax(logits: Tensor) -> Tensor:
    """log p over the last dimension. (n, k) -> (n, k)."""
    return torch.log_softmax(logits, dim=-1)


def restrict(logits: Tensor, members: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Softmax p, its restriction q to a set of classes, and the log of the set's probability. No gradient.

    (n, k), (n, k) of ones and zeros in the type of the logits -> (n, k), (n, k), (n,). Summing probabilities is
    several times faster than a masked logsumexp, and as accurate until the sum underflows; only then is the slow way
    taken.

    >>> restrict(torch.tensor([[0.0, 1e4, 0.0]]), torch.tensor([[1.0, 0.0, 1.0]]))[2]
    tensor([-9999.3066])
    """
    p = torch.softmax(logits, dim=-1)
    q = p * members
    total = q.sum(-1)
    if total.min().item() > 1e-30:
        return p, q.div_(total.unsqueeze(-1)), total.log_().clamp_(max=0.0)
    empty = (members == 0).all(dim=-1)
    if empty.any():
        raise ValueError(f"answer {int(empty.nonzero()[0])} leaves no class possible, expected one class at least")
    masked = logits.masked_fill(members == 0, -torch.inf)
    log_total = torch.logsumexp(masked, dim=-1) - torch.logsumexp(logits, dim=-1)
    return p, torch.softmax(masked, dim=-1), log_total.clamp_(max=0.0)


Evaluation = tuple[Tensor, Tensor, Tensor]
"""The value F, a scalar; u = dF / d log p, (n, k); and p, (n, k)."""


class _Scalar(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, logits: Tensor, evaluate: Callable[[Tensor], Evaluation]) -> Tensor:
        value, u, p = evaluate(logits)
        ctx.save_for_backward(u, p)
        return value

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        if torch.is_grad_enabled():  # what is saved is constant to autograd: a second derivative would be wrong
            raise RuntimeError("risks can be differentiated once only, not with create_graph=True")
        u, p = ctx.saved_tensors
        return torch.addcmul(u, p, u.sum(-1, keepdim=True), value=-1).mul_(grad), None


def scalar(logits: Tensor, evaluate: Callable[[Tensor], Evaluation]) -> Tensor:
    """The value F of `evaluate(logits)`, differentiable in the logits (once).

    >>> logits = torch.zeros(1, 2, requires_grad=True)
    >>> def minus_log_p0(logits):
    ...     p = torch.softmax(logits, dim=-1)
    ...     return -p[0, 0].log(), torch.tensor([[-1.0, 0.0]]), p
    >>> scalar(logits, minus_log_p0).backward()
    >>> logits.grad
    tensor([[-0.5000,  0.5000]])
    """
    value: Tensor = _Scalar.apply(logits, evaluate)  # type: ignore[no-untyped-call]
    return value
