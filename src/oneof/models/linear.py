"""Logistic regression: one linear layer, for items whose classes an encoder has already separated well."""

from math import prod

import torch
from torch import Tensor, nn


class Linear(nn.Module):
    """One linear layer with a bias. (n, *shape) -> (n, classes).

    >>> Linear((64,), classes=10)(torch.zeros(2, 64)).shape
    torch.Size([2, 10])
    """

    def __init__(self, shape: tuple[int, ...], classes: int, width: int | None = None) -> None:
        super().__init__()
        if width is not None:
            raise ValueError(f"the linear network has no hidden layer, so it has no width, but got {width}")
        self.layers = nn.Sequential(nn.Flatten(), nn.Linear(prod(shape), classes))

    def forward(self, x: Tensor) -> Tensor:
        """Logits, (n, classes)."""
        return torch.as_tensor(self.layers(x))
