"""The network that is trained and saved: preprocessing and backbone in one module."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn

from oneof.training.data import Features
from oneof.training.views import averaged, views_of


class Network(nn.Module):
    """Standardise, then the backbone: raw items (n, *shape), uint8 or float, to logits (n, k).

    views: what predictions are averaged over, see `oneof.training.views`; training sees one view.
    """

    mean: Tensor
    scale: Tensor

    def __init__(self, backbone: nn.Module, mean: Tensor, scale: Tensor, views: str = "none") -> None:
        super().__init__()
        self.backbone, self.views = backbone, views
        self.register_buffer("mean", mean)
        self.register_buffer("scale", scale)

    def forward(self, x: Tensor) -> Tensor:
        """Logits, (n, k)."""
        x = (x.to(self.mean.dtype) - self.mean) * self.scale
        return averaged([torch.as_tensor(self.backbone(view)) for view in views_of(x, self._views())])

    def _views(self) -> str:
        return "none" if self.training else self.views


def train_mode(network: nn.Module) -> None:
    """Set a network to training mode, except its frozen parts, which stay in evaluation mode.

    Otherwise batch normalisation in a frozen backbone would adapt to the batches, and dropout would change its output.

    >>> body, head = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)).requires_grad_(False), nn.Linear(2, 3)
    >>> train_mode(nn.Sequential(body, head))
    >>> body.training, head.training
    (False, True)
    """
    network.train()
    for part in network.modules():
        weights = list(part.parameters())
        if weights and not any(weight.requires_grad for weight in weights):
            part.eval()


def standardise(features: Features, rows: np.ndarray | None = None, sample: int = 20_000) -> tuple[Tensor, Tensor]:
    """Mean and 1 / standard deviation of the items: per channel of images, per feature of tables; 0 and 1 if sparse.

    Shapes (c, 1, 1) or (d,). rows: the items to use (default: all); of these about `sample` are taken. A constant
    feature is not scaled.
    """
    if features.sparse:
        return torch.zeros(1), torch.ones(1)
    rows = np.arange(len(features)) if rows is None else rows
    chosen = rows[:: max(1, -(-len(rows) // sample))]
    dims, shape = ((0, 2, 3), (1, -1, 1, 1)) if features.image else ((0,), (1, -1))

    def average(of: Callable[[Tensor], Tensor]) -> Tensor:
        # A few items at a time: in float64 the whole sample could take more memory than all items.
        total = torch.zeros(features.shape[0], dtype=torch.float64)
        for part in torch.split(torch.from_numpy(chosen), 64):
            total += of(features[part].double()).mean(dims) * (len(part) / len(chosen))
        return total

    mean = average(lambda x: x)
    deviation = average(lambda x: (x - mean.view(shape)).square()).sqrt()
    scale = torch.where(deviation > 1e-8, 1 / deviation.clamp(min=1e-8), torch.ones_like(deviation))
    return mean.view(shape[1:]).to(torch.float32), scale.view(shape[1:]).to(torch.float32)
