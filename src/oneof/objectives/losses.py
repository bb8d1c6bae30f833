"""Classwise losses: logits (n, k) -> losses (n, k), where entry (i, j) is the loss of item i if its class were j.

The paper's bounded losses on the softmax output p (Section V):

    MAE  2 - 2 p_j          MSE  1 - 2 p_j + sum_c p_c^2          GCE  (1 - max(p_j, eps)^q) / q

and the cross entropy -log p_j, which has no bound.

Any function of the logits can be a loss. These ones also have a closed form of their weighted sum F = sum_ij c_ij l_ij
and of u = dF / d log p (see `logspace`), which halves time and memory; with r_i = sum_j c_ij:

    MAE  u = -2 c p      MSE  u = -2 (c - r p) p      GCE  u = -c p^q where p > eps, else 0      cross entropy  u = -c
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, overload

import torch
from torch import Tensor

from oneof.objectives.logspace import Evaluation, log_softmax, plain_log_softmax, plain_softmax, scalar
from oneof.objectives.registry import enter

Loss = Callable[[Tensor], Tensor]
_Known = TypeVar("_Known", bound=Loss)
_LOSSES: dict[str, Loss] = {}


def register(name: str) -> Callable[[_Known], _Known]:
    """A decorator that makes a loss known by a name; a name that is taken is an error.

    >>> register("mae")(torch.square)
    Traceback (most recent call last):
        ...
    ValueError: there is a loss 'mae' already: mae
    """
    return enter(name, _LOSSES, "a loss")


class _MAE:
    """2 - 2 p_j: the L1 distance between p and the class's corner of the simplex. (n, k) -> (n, k).

    >>> mae(torch.tensor([[0.0, 0.0]]))
    tensor([[1., 1.]])
    """

    def __call__(self, logits: Tensor) -> Tensor:
        return torch.rsub(torch.softmax(logits, dim=-1), 2, alpha=2)

    def evaluate_sum(self, logits: Tensor, weights: Tensor) -> Evaluation:
        p = plain_softmax(logits)
        u = (weights * p).mul_(-2)
        rows = u.sum(-1, keepdim=True)
        return torch.add(rows.sum(), weights.sum(), alpha=2), u.addcmul_(p, rows, value=-1)

    def __repr__(self) -> str:
        return "mae"


class _MSE:
    """1 - 2 p_j + sum_c p_c^2: the squared distance, the Brier score. (n, k) -> (n, k).

    >>> mse(torch.tensor([[0.0, 0.0]]))
    tensor([[0.5000, 0.5000]])
    """

    def __call__(self, logits: Tensor) -> Tensor:
        p = torch.softmax(logits, dim=-1)
        return torch.rsub(p, 1 + torch.linalg.vecdot(p, p)[..., None], alpha=2)

    def evaluate_sum(self, logits: Tensor, weights: Tensor) -> Evaluation:
        p = plain_softmax(logits)
        total = weights.sum(-1, keepdim=True)
        half = torch.addcmul(weights, p, total, value=-1).mul_(p)  # -u / 2
        value = total.sum() - torch.addcmul(half, weights, p).sum()
        return value, p.mul_(half.sum(-1, keepdim=True)).sub_(half).mul_(2)

    def __repr__(self) -> str:
        return "mse"


class _GCE:
    """Generalised cross entropy (1 - max(p_j, eps)^q) / q. Without logits: the loss with this q and eps.

    For q near 0 it is like cross entropy, for q = 1 it is half the MAE. (n, k) -> (n, k).

    >>> gce(torch.tensor([[0.0, 0.0]]), q=1.0)
    tensor([[0.5000, 0.5000]])
    >>> gce(q=1.0)(torch.tensor([[0.0, 0.0]]))
    tensor([[0.5000, 0.5000]])
    """

    def __init__(self, q: float = 0.7, eps: float = 1e-6) -> None:
        if not 0 < q <= 1:
            raise ValueError(f"q must be in (0, 1], not {q}")
        if not 0 <= eps < 1:
            raise ValueError(f"eps must be in [0, 1), not {eps}")
        self.q, self.eps = q, eps
        self._floor = math.log(eps) if eps else -math.inf

    @overload
    def __call__(self, logits: Tensor, q: float | None = None, eps: float | None = None) -> Tensor: ...
    @overload
    def __call__(self, logits: None = None, q: float | None = None, eps: float | None = None) -> Loss: ...
    def __call__(self, logits: Tensor | None = None, q: float | None = None, eps: float | None = None) -> Tensor | Loss:
        if q is not None or eps is not None:
            other = _GCE(self.q if q is None else q, self.eps if eps is None else eps)
            return other if logits is None else other(logits)
        if logits is None:
            return self
        return (1 - torch.exp(self.q * log_softmax(logits).clamp(min=self._floor))) / self.q

    def evaluate_sum(self, logits: Tensor, weights: Tensor) -> Evaluation:
        log_p = plain_log_softmax(logits)
        small = log_p.min().item() <= self._floor
        # c p^q in log space, because p itself may underflow
        weighted = torch.mul(log_p.clamp(min=self._floor) if small else log_p, self.q).exp_().mul_(weights)
        value = (weights - weighted).sum().div_(self.q)
        if small:
            weighted.mul_((log_p > self._floor).view(torch.uint8))  # much faster than to fill with zeros by a mask
        return value, log_p.exp_().mul_(weighted.sum(-1, keepdim=True)).sub_(weighted)

    def __repr__(self) -> str:
        return "gce" if (self.q, self.eps) == (0.7, 1e-6) else f"gce(q={self.q}, eps={self.eps})"


class _CrossEntropy:
    """-log p_j, the ordinary cross entropy. It has no bound, so the paper's theorems do not cover it. (n, k) -> (n, k).

    >>> cross_entropy(torch.tensor([[0.0, 0.0]]))
    tensor([[0.6931, 0.6931]])
    """

    def __call__(self, logits: Tensor) -> Tensor:
        return -log_softmax(logits)

    def evaluate_sum(self, logits: Tensor, weights: Tensor) -> Evaluation:
        log_p = plain_log_softmax(logits)
        value = -torch.dot(weights.reshape(-1), log_p.reshape(-1))
        return value, log_p.exp_().mul_(weights.sum(-1, keepdim=True)).sub_(weights)

    def __repr__(self) -> str:
        return "cross_entropy"


mae = register("mae")(_MAE())
mse = register("mse")(_MSE())
gce = register("gce")(_GCE())
cross_entropy = register("cross_entropy")(_CrossEntropy())


def names() -> list[str]:
    """The names that `get` knows."""
    return list(_LOSSES)


def get(loss: str | Loss) -> Loss:
    """A loss by name; a function is taken as it is.

    >>> get("mae") is mae
    True
    """
    if callable(loss):
        return loss
    if loss not in _LOSSES:
        raise ValueError(f"unknown loss {loss!r}, expected one of {', '.join(_LOSSES)}, or a function of the logits")
    return _LOSSES[loss]


def weighted_sum(loss: Loss, logits: Tensor, weights: Tensor) -> Tensor:
    """sum_ij c_ij l_ij with c the weights, which get no gradient. (n, k), (n, k) -> scalar.

    In closed form if the loss has one (`evaluate_sum`), otherwise by autograd. A function that wraps a loss has none of
    its own, so its gradient is found by autograd.

    >>> weighted_sum(mae, torch.zeros(2, 2), torch.tensor([[1.0, 0.0], [2.0, -1.0]]))
    tensor(2.)
    """
    evaluate = getattr(loss, "evaluate_sum", None)
    if evaluate is None:
        return (loss(logits) * weights).sum()
    return scalar(logits, evaluate, weights)


def spell(value: Any) -> str:
    """A loss, or another option of an objective, as text that is the same in every process: without memory addresses.

    >>> spell(gce(q=0.5)), spell("mae"), spell(mse)
    ('gce(q=0.5, eps=1e-06)', "'mae'", 'mse')
    """
    if isinstance(value, partial):
        return f"{spell(value.func)}({', '.join(f'{name}={spell(option)}' for name, option in value.keywords.items())})"
    return str(getattr(value, "__qualname__", None) or getattr(value, "__name__", None) or repr(value))
