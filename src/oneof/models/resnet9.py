"""A small residual network that learns fast on a CPU, because most of its layers have a low resolution."""

import torch
from torch import Tensor, nn

from oneof.models.layers import ChannelsLast, convolution, image_shape


class ResNet9(nn.Module):
    """A 3x3 stem of width w, then stages of 2w and 4w channels with one residual block each, and a last one of 8w.

    shape: (channels, height, width) of an image, 8x8 or larger. (n, *shape) -> (n, classes).

    >>> ResNet9((3, 32, 32), classes=10)(torch.zeros(2, 3, 32, 32)).shape
    torch.Size([2, 10])
    """

    def __init__(self, shape: tuple[int, ...], classes: int, width: int = 16) -> None:
        super().__init__()
        channels, *_ = image_shape(shape, "ResNet-9")
        self.features = ChannelsLast(
            convolution(channels, width),
            nn.MaxPool2d(2),
            convolution(width, 2 * width),
            _Residual(2 * width),
            nn.MaxPool2d(2),
            convolution(2 * width, 4 * width),
            _Residual(4 * width),
            nn.MaxPool2d(2),
            convolution(4 * width, 8 * width),
        )
        self.head = nn.Linear(8 * width, classes)

    def forward(self, x: Tensor) -> Tensor:
        """Logits, (n, classes)."""
        return torch.as_tensor(self.head(self.features(x).amax(dim=(2, 3))))


class _Residual(nn.Module):
    """Two convolutions to whose result the input is added."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.change = nn.Sequential(convolution(width, width), convolution(width, width))

    def forward(self, x: Tensor) -> Tensor:
        return x + torch.as_tensor(self.change(x))
