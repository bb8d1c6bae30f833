"""The network that is trained and saved: preprocessing and backbone in one module, so that they never part."""

import numpy as np
import torch
from torch import Tensor, nn

from oneof.training.data import Features


class Network(nn.Module):
    """Standardise, then the backbone: raw items (n, *shape), uint8 or float, to logits (n, k)."""

    mean: Tensor
    scale: Tensor

    def __init__(self, backbone: nn.Module, mean: Tensor, scale: Tensor) -> None:
        super().__init__()
        self.backbone = backbone
        self.register_buffer("mean", mean)
        self.register_buffer("scale", scale)

    def forward(self, x: Tensor) -> Tensor:
        """Logits, (n, k)."""
        return torch.as_tensor(self.backbone((x.to(self.mean.dtype) - self.mean) * self.scale))


def standardise(features: Features, rows: np.ndarray | None = None, sample: int = 20_000) -> tuple[Tensor, Tensor]:
    """Mean and 1/deviation of the items: per channel for images, per feature for tables, none for sparse features.

    Shapes that broadcast against one item: (c, 1, 1) or (d,). A feature that never varies is left unscaled.
    """
    if features.sparse:
        return torch.zeros(1), torch.ones(1)
    rows = np.arange(len(features)) if rows is None else rows
    chosen = rows[:: max(1, -(-len(rows) // sample))]
    x = features[torch.from_numpy(chosen)].to(torch.float64)
    dims = (0, 2, 3) if x.ndim == 4 else (0,)
    deviation, mean = torch.std_mean(x, dim=dims, correction=0)
    scale = torch.where(deviation > 1e-8, 1 / deviation.clamp(min=1e-8), torch.ones_like(deviation))
    shape = (-1, 1, 1) if x.ndim == 4 else (-1,)
    return mean.view(shape).to(torch.float32), scale.view(shape).to(torch.float32)
