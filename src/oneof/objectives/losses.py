"""Classwise losses: logits (n, k) -> losses (n, k), where entry (i, j) is the loss of item i if its class were j.

The paper's bounded losses on the softmax output p (Section V):

    MAE  2 - 2 p_j          MSE  1 - 2 p_j + sum_c p_c^2          GCE  (1 - max(p_j, eps)^q) / q

and the cross entropy -log p_j, which has no bound.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, overload

import torch
from torch import Tensor

from oneof.objectives.logspace import log_softmax

Loss = Callable[[Tensor], Tensor]


def mae(logits: Tensor) -> Tensor:
    """2 - 2 p_j: the L1 distance between p and the class's corner of the simplex. (n, k) -> (n, k).

    >>> mae(torch.tensor([[0.0, 0.0]]))
    tensor([[1., 1.]])
    """
    return torch.rsub(torch.softmax(logits, dim=-1), 2, alpha=2)


def mse(logits: Tensor) -> Tensor:
    """1 - 2 p_j + sum_c p_c^2: the squared distance, the Brier score. (n, k) -> (n, k).

    >>> mse(torch.tensor([[0.0, 0.0]]))
    tensor([[0.5000, 0.5000]])
    """
    p = torch.softmax(logits, dim=-1)
    return torch.rsub(p, 1 + torch.linalg.vecdot(p, p)[..., None], alpha=2)


@overload
def gce(logits: Tensor, q: float = 0.7, eps: float = 1e-6) -> Tensor: ...
@overload
def gce(logits: None = None, q: float = 0.7, eps: float = 1e-6) -> Loss: ...
def gce(logits: Tensor | None = None, q: float = 0.7, eps: float = 1e-6) -> Tensor | Loss:
    """Generalised cross entropy (1 - max(p_j, eps)^q) / q; without logits, the loss with this q and eps.

    q near 0 behaves like cross entropy, q = 1 is half the MAE. (n, k) -> (n, k).

    >>> gce(torch.tensor([[0.0, 0.0]]), q=1.0)
    tensor([[0.5000, 0.5000]])
    >>> gce(q=1.0)(torch.tensor([[0.0, 0.0]]))
    tensor([[0.5000, 0.5000]])
    """
    if not 0 < q <= 1:
        raise ValueError(f"q must be in (0, 1], not {q}")
    if not 0 <= eps < 1:
        raise ValueError(f"eps must be in [0, 1), not {eps}")
    if logits is None:
        return partial(gce, q=q, eps=eps)
    floor = math.log(eps) if eps else -math.inf
    return (1 - torch.exp(q * log_softmax(logits).clamp(min=floor))) / q


def cross_entropy(logits: Tensor) -> Tensor:
    """-log p_j, the ordinary one; it has no bound, so the paper's theorems do not cover it. (n, k) -> (n, k).

    >>> cross_entropy(torch.tensor([[0.0, 0.0]]))
    tensor([[0.6931, 0.6931]])
    """
    return -log_softmax(logits)


_LOSSES: dict[str, Loss] = {"mae": mae, "mse": mse, "gce": gce, "cross_entropy": cross_entropy}


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


def spell(value: Any) -> str:
    """A loss, or any option of an objective, as text that is the same in every process: no addresses of functions.

    >>> spell(gce(q=0.5)), spell("mae"), spell(mae)
    ('gce(q=0.5, eps=1e-06)', "'mae'", 'mae')
    """
    if isinstance(value, partial):
        return f"{spell(value.func)}({', '.join(f'{name}={spell(one)}' for name, one in value.keywords.items())})"
    return str(getattr(value, "__qualname__", repr(value)))
