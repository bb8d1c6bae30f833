"""ResNet-34 for 32x32 images (He et al. 2016): a 3x3 stem and no first pooling."""

import torch
from torch import Tensor, nn

from oneof.models.layers import image_shape


class ResNet34(nn.Module):
    """Stages of 3, 4, 6 and 3 basic blocks with w, 2w, 4w and 8w channels; w = 64 is the original.

    shape: (channels, height, width), 8x8 or larger. (n, *shape) -> (n, classes).

    >>> ResNet34((3, 32, 32), classes=10, width=8)(torch.zeros(2, 3, 32, 32)).shape
    torch.Size([2, 10])
    """

    def __init__(self, shape: tuple[int, ...], classes: int, width: int = 64) -> None:
        super().__init__()
        channels, *_ = image_shape(shape, "ResNet-34")
        layers: list[nn.Module] = [
            nn.Conv2d(channels, width, 3, padding=1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
        ]
        inside = width
        for stage, blocks in enumerate((3, 4, 6, 3)):
            outside = width * 2**stage
            for block in range(blocks):
                layers.append(_Block(inside, outside, stride=2 if block == 0 and stage > 0 else 1))
                inside = outside
        self.features = nn.Sequential(*layers)
        self.head = nn.Linear(inside, classes)

    def forward(self, x: Tensor) -> Tensor:
        """Logits, (n, classes)."""
        return torch.as_tensor(self.head(self.features(x).mean(dim=(2, 3))))


class _Block(nn.Module):
    """Two 3x3 convolutions to whose result the input is added, through a 1x1 convolution if the shape changes."""

    def __init__(self, inside: int, outside: int, stride: int) -> None:
        super().__init__()
        self.change = nn.Sequential(
            nn.Conv2d(inside, outside, 3, stride=stride, padding=1, bias=False),
            nn.BatchNorm2d(outside),
            nn.ReLU(inplace=True),
            nn.Conv2d(outside, outside, 3, padding=1, bias=False),
            nn.BatchNorm2d(outside),
        )
        self.shortcut: nn.Module = nn.Identity()
        if stride != 1 or inside != outside:
            self.shortcut = nn.Sequential(
                nn.Conv2d(inside, outside, 1, stride=stride, bias=False), nn.BatchNorm2d(outside)
            )

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.change(x) + self.shortcut(x))
