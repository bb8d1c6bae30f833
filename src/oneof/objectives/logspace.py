"""Probabilities in log space: finite values and gradients for logits of any size.

A risk F depends on the logits through log p alone, p the softmax. With u = dF / d log p, (n, k), its gradient is

    dF / d logits = u - p * (sum of u over the classes)

so an objective computes its value and this gradient in closed form, and `scalar` makes them one differentiable number:
this takes a third of the time and memory that autograd needs for the same formulas.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from oneof.queries.moment import FEW

NARROW = 16
"""Rows with fewer classes do not fill a vector register: torch's softmax then works number by number, and takes two to
five times as long as on the transposed matrix, where it works on several rows at a time."""


def log_softmax(logits: Tensor) -> Tensor:
    """log p over the last dimension. (n, k) -> (n, k)."""
    return torch.log_softmax(logits, dim=-1)


def plain_softmax(logits: Tensor) -> Tensor:
    """The softmax p, fast and without a gradient. (n, k) -> (n, k).

    >>> plain_softmax(torch.tensor([[0.0, 1e4], [0.0, 0.0]]))
    tensor([[0.0000, 1.0000],
            [0.5000, 0.5000]])
    """
    if logits.shape[-1] >= NARROW:
        return torch.softmax(logits, dim=-1)
    return torch.softmax(logits.mT, dim=-2).mT.contiguous()


def plain_log_softmax(logits: Tensor) -> Tensor:
    """log p, fast and without a gradient. (n, k) -> (n, k).

    >>> plain_log_softmax(torch.tensor([[0.0, 1e4], [0.0, 0.0]]))
    tensor([[-1.0000e+04,  0.0000e+00],
            [-6.9315e-01, -6.9315e-01]])
    """
    if logits.shape[-1] >= NARROW:
        return torch.log_softmax(logits, dim=-1)
    return torch.log_softmax(logits.mT, dim=-2).mT.contiguous()


def as_numbers(sets: Tensor, dtype: torch.dtype) -> Tensor:
    """1 where a label is in the set, else 0: torch converts bytes eight times as fast as bools. Bool (n, k) -> (n, k).

    >>> as_numbers(torch.tensor([[True, False]]), torch.float32)
    tensor([[1., 0.]])
    """
    return sets.view(torch.uint8).to(dtype)


class NothingLeft(ValueError):
    """An answer rules out every class."""

    def __init__(self, row: int) -> None:
        super().__init__(f"answer {row} leaves no class possible, expected one class at least")
        self.row = row


def restrict(logits: Tensor, members: Tensor, p: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """The softmax p, its restriction q to a set of classes, and the log of the set's probability. No gradient.

    (n, k), bool (n, k) -> (n, k), (n, k), (n, 1). p: the softmax, if it is known.

    >>> restrict(torch.tensor([[0.0, 1e4, 0.0]]), torch.tensor([[True, False, True]]))[2]
    tensor([[-9999.3066]])
    """
    p, inside, total, log_total = _part(logits, members, p)
    return p, inside.div_(total), log_total


def log_probability(logits: Tensor, members: Tensor) -> tuple[Tensor, Tensor]:
    """The log of the probability of a set of classes, and minus its derivative by the logits, p - q.

    (n, k), bool (n, k) -> (n, 1), (n, k). See `restrict`; this makes one pass less.

    >>> log_probability(torch.zeros(1, 2), torch.tensor([[True, False]]))
    (tensor([[-0.6931]]), tensor([[-0.5000,  0.5000]]))
    """
    p, inside, total, log_total = _part(logits, members)
    return log_total, p.addcdiv_(inside, total, value=-1)


def _part(logits: Tensor, members: Tensor, p: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The softmax p; numbers that are zero outside the set, and their sum, whose quotient is q; log P of the set.

    Summing probabilities is several times faster than a masked logsumexp, and as accurate unless the sum underflows;
    only then the logsumexp is used.
    """
    p = plain_softmax(logits) if p is None else p
    inside = p * members if members.numel() < FEW else as_numbers(members, p.dtype).mul_(p)
    total = inside.sum(-1, keepdim=True)
    if total.min().item() > 1e-30:
        return p, inside, total, total.log().clamp_(max=0.0)
    empty = ~members.any(dim=-1)
    if empty.any():
        raise NothingLeft(int(empty.nonzero()[0]))
    masked = logits.masked_fill(~members, -torch.inf)
    log_total = torch.logsumexp(masked, -1, keepdim=True) - torch.logsumexp(logits, -1, keepdim=True)
    return p, torch.softmax(masked, dim=-1), torch.ones_like(total), log_total.clamp_(max=0.0)


Evaluation = tuple[Tensor, Tensor]
"""The value F, a scalar, and dF / d logits, (n, k)."""


CHUNK = 1 << 19
"""Numbers in one chunk of rows, so that temporary tensors stay in the processor's cache. Larger ones would be requested
from the operating system, page by page, and returned to it at every step."""


def in_parts(
    evaluate: Callable[..., Evaluation], logits: Tensor, *constants: Tensor, scale: float = 1.0, whole: bool = False
) -> Evaluation:
    """`scale` times `evaluate(logits, *constants)`, computed some rows at a time. Its value must be a sum over rows.

    whole: at once, for a value that is not such a sum.
    """
    n, step = logits.shape[0], max(1, CHUNK // logits.shape[-1])
    if whole or n <= step:
        value, part = evaluate(logits, *constants)
        return (value, part) if scale == 1 else (value.mul_(scale), part.mul_(scale))
    total, gradient = logits.new_zeros(()), _uninitialised(logits)
    for start in range(0, n, step):
        rows = slice(start, start + step)
        try:
            value, part = evaluate(logits[rows], *(constant[rows] for constant in constants))
        except NothingLeft as found:
            raise NothingLeft(start + found.row) from None
        torch.mul(part, scale, out=gradient[rows])
        total.add_(value, alpha=scale)
        del part
    return total, gradient


def _uninitialised(like: Tensor) -> Tensor:
    """A tensor of this shape, not filled. Numpy requests large pages: 40 MB then take 20 pages instead of 10,000 small
    ones, and getting those from the operating system would take longer than all the arithmetic."""
    return torch.from_numpy(np.empty_like(like.detach().numpy())) if like.is_cpu else torch.empty_like(like)


class _Scalar(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        logits: Tensor,
        evaluate: Callable[..., Evaluation],
        constants: tuple[Tensor, ...],
        scale: float,
        whole: bool,
    ) -> Tensor:
        value, gradient = in_parts(evaluate, logits, *constants, scale=scale, whole=whole)
        ctx.save_for_backward(gradient)
        return value

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None, None, None]:
        # The saved gradient is a constant to autograd, so a second derivative would be wrong.
        if torch.is_grad_enabled():
            raise RuntimeError("risks can be differentiated once only, not with create_graph=True")
        (gradient,) = ctx.saved_tensors
        # Usually the risk itself is differentiated, so that the factor is one: then nothing is multiplied or copied.
        return (gradient if grad.item() == 1 else gradient * grad), None, None, None, None


def scalar(
    logits: Tensor, evaluate: Callable[..., Evaluation], *constants: Tensor, scale: float = 1.0, whole: bool = False
) -> Tensor:
    """`scale` times the value F of `evaluate(logits, *constants)`, which can be differentiated once by the logits.

    The value must be a sum over the rows of the logits, unless they are evaluated as a `whole`. constants: tensors with
    as many rows, without a gradient. What `evaluate` returns is scaled in place.

    >>> logits = torch.zeros(1, 2, requires_grad=True)
    >>> def minus_log_p0(logits):
    ...     p = torch.softmax(logits, dim=-1)
    ...     return -p[0, 0].log(), p - torch.tensor([[1.0, 0.0]])
    >>> scalar(logits, minus_log_p0).backward()
    >>> logits.grad
    tensor([[-0.5000,  0.5000]])
    """
    value: Tensor = _Scalar.apply(logits, evaluate, constants, scale, whole)  # type: ignore[no-untyped-call]  # torch gives no types
    return value
