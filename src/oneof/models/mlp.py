"""A multilayer perceptron for tables, text features and small images."""

from math import prod

import torch
from torch import Tensor, nn


class MLP(nn.Module):
    """Two hidden layers with batch normalisation and dropout. (n, *shape) -> (n, classes).

    >>> MLP((64,), classes=10)(torch.zeros(2, 64)).shape
    torch.Size([2, 10])
    """

    def __init__(self, shape: tuple[int, ...], classes: int, width: int = 256, dropout: float = 0.2) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Flatten(),
            nn.Linear(prod(shape), width, bias=False),
            nn.BatchNorm1d(width),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(width, width, bias=False),
            nn.BatchNorm1d(width),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(width, classes),
        )

    def forward(self, x: Tensor) -> Tensor:
        """Logits, (n, classes)."""
        return torch.as_tensor(self.layers(x))
