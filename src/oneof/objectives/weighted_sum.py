"""The sum over items and classes of weight times classwise loss: what the unbiased risks and PLL-Avg are made of.

For the losses of `oneof.losses` the value F = sum_ij c_ij l_ij and u = dF / d log p (see `logspace`) are written
out, which halves time and memory; any other function of the logits goes through autograd. With r_i = sum_j c_ij:

    MAE  u = -2 c p      MSE  u = -2 (c - r p) p      GCE  u = -c p^q where p > eps, else 0      cross entropy  u = -c
"""

import math
from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from oneof.objectives import losses
from oneof.objectives.logspace import Evaluation, log_softmax, scalar
from oneof.objectives.losses import Loss

Evaluator = Callable[..., Evaluation]


def weighted_sum(loss: Loss, logits: Tensor, weights: Tensor) -> Tensor:
    """sum_ij c_ij l_ij with c the weights, which get no gradient. (n, k), (n, k) -> scalar.

    >>> weighted_sum(losses.mae, torch.zeros(2, 2), torch.tensor([[1.0, 0.0], [2.0, -1.0]]))
    tensor(2.)
    """
    evaluate = _by_hand(loss)
    if evaluate is None:
        return (loss(logits) * weights).sum()
    return scalar(logits, partial(evaluate, weights=weights))


def _mae(logits: Tensor, weights: Tensor) -> Evaluation:
    p = torch.softmax(logits, dim=-1)
    u = (weights * p).mul_(-2)
    return torch.add(u.sum(), weights.sum(), alpha=2), u, p


def _mse(logits: Tensor, weights: Tensor) -> Evaluation:
    p = torch.softmax(logits, dim=-1)
    total = weights.sum(-1)
    u = torch.addcmul(weights, p, total.unsqueeze(-1), value=-1).mul_(p)
    value = total.sum() - torch.addcmul(u, weights, p).sum()
    return value, u.mul_(-2), p


def _gce(logits: Tensor, weights: Tensor, q: float = 0.7, eps: float = 1e-6) -> Evaluation:
    log_p, floor = log_softmax(logits), math.log(eps) if eps else -math.inf
    weighted = log_p.clamp(min=floor).mul_(q).exp_().mul_(weights)  # c p^q, exact where p itself would underflow
    value = (weights - weighted).sum() / q
    return value, torch.ops.aten.threshold_backward(weighted, log_p, floor).neg_(), log_p.exp_()


def _cross_entropy(logits: Tensor, weights: Tensor) -> Evaluation:
    log_p = log_softmax(logits)
    u = -weights
    return torch.dot(u.reshape(-1), log_p.reshape(-1)), u, log_p.exp_()


_BY_HAND: tuple[tuple[Loss, Evaluator], ...] = (
    (losses.mae, _mae),
    (losses.mse, _mse),
    (losses.gce, _gce),
    (losses.cross_entropy, _cross_entropy),
)


def _by_hand(loss: Loss) -> Evaluator | None:
    """How a loss of ours is evaluated, with its options (`losses.gce(q=...)` is a partial); None for anything else."""
    function, options = (loss.func, loss.keywords) if isinstance(loss, partial) and not loss.args else (loss, {})
    found = next((evaluate for known, evaluate in _BY_HAND if known is function), None)
    return partial(found, **options) if found is not None and options else found
