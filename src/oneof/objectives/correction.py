"""NN and ABS: the unbiased risk, corrected where it turns negative (the paper's Eq. 7).

    phi(z) = z for z >= 0, kappa |z| for z < 0.        NN: kappa = 0        ABS: kappa = 1

On a batch with a negative raw risk NN has no gradient, and ABS increases the raw risk. Compare `Risk.raw` and `value`.
"""

from dataclasses import dataclass

from torch import Tensor
from torch.nn.functional import leaky_relu

from oneof.objectives.registry import register
from oneof.objectives.unbiased import Unbiased


def corrected(raw: Tensor, kappa: float) -> Tensor:
    """phi(raw), elementwise: a leaky ReLU with slope -kappa below zero.

    >>> import torch
    >>> corrected(torch.tensor([2.0, -2.0]), kappa=0.5)
    tensor([2., 1.])
    """
    if raw.ndim == 0 and raw.item() > 0:  # the risk of most batches, which needs no node of the graph
        return raw
    return leaky_relu(raw, -kappa)


@register("nn")
@dataclass(repr=False)
class NonNegative(Unbiased):
    """The unbiased risk truncated at zero (kappa = 0). Options: see `Unbiased`."""

    def correct(self, raw: Tensor) -> Tensor:
        """max(raw, 0)."""
        return corrected(raw, 0.0)


@register("abs")
@dataclass(repr=False)
class Absolute(Unbiased):
    """The absolute value of the unbiased risk (kappa = 1), or any kappa >= 0. Options: see `Unbiased`."""

    kappa: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.kappa >= 0:
            raise ValueError(f"kappa must not be negative, but is {self.kappa}")

    def correct(self, raw: Tensor) -> Tensor:
        """phi(raw)."""
        return corrected(raw, self.kappa)
