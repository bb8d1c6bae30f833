"""Six convolutions after fixed filters that decorrelate the pixels: accurate after few epochs.

Neighbouring pixels, and the colours of a pixel, are nearly equal in most images. So the first layer is not learned: it
is the discrete cosine transform of each 2x2 patch over height, width and channels, which tells what they share from
what differs, and batch normalisation, which scales each part alike. Both signs of each are kept, since a ReLU passes
only one.

Filters of whitened patches, convolutions that begin as the identity, and pooling right after the first convolution of a
block follow K. Jordan, "94% on CIFAR-10 in 3.29 seconds on a single GPU" (2024), whose filters are computed from the
training images.
"""

import numpy as np
import torch
from scipy.fft import dct
from torch import Tensor, nn

from oneof.models.layers import ChannelsLast, convolution, image_shape

LEAST = 15
"""The smallest height and width: one pixel is left after the filters and three times pooling."""


class QuickCNN(nn.Module):
    """Fixed filters, three blocks of two 3x3 convolutions with w, 4w and 4w channels, and a linear layer.

    shape: (channels, height, width) of an image, 15x15 or larger. (n, *shape) -> (n, classes).

    >>> QuickCNN((3, 32, 32), classes=10, width=8)(torch.zeros(2, 3, 32, 32)).shape
    torch.Size([2, 10])
    """

    def __init__(self, shape: tuple[int, ...], classes: int, width: int = 16) -> None:
        super().__init__()
        channels, *_ = image_shape(shape, "the quick CNN", least=LEAST)
        self.features = ChannelsLast(
            _Patches(channels),
            nn.ReLU(inplace=True),
            _block(8 * channels, width),
            _block(width, 4 * width),
            _block(4 * width, 4 * width),
        )
        self.head = nn.Linear(4 * width, classes)

    def forward(self, x: Tensor) -> Tensor:
        """Logits, (n, classes)."""
        return torch.as_tensor(self.head(self.features(x).amax(dim=(2, 3))))


class _Patches(nn.Module):
    """The cosine transform of each 2x2 patch, scaled alike, with both signs. (n, c, h, w) -> (n, 8c, h - 1, w - 1)."""

    filters: Tensor

    def __init__(self, channels: int) -> None:
        super().__init__()
        side, colour = (dct(np.eye(size), axis=0, norm="ortho") for size in (2, channels))
        filters = np.einsum("ac,by,dx->abdcyx", colour, side, side).reshape(-1, channels, 2, 2)
        self.register_buffer("filters", torch.from_numpy(filters).float(), persistent=False)
        self.scale = nn.BatchNorm2d(len(filters), affine=False)

    def forward(self, x: Tensor) -> Tensor:
        x = self.scale(torch.conv2d(x, self.filters))
        return torch.cat([x, -x], dim=1)


def _block(inside: int, outside: int) -> nn.Sequential:
    """Two convolutions, pooled after the first, so that the second works on a quarter of the pixels."""
    block = nn.Sequential(*convolution(inside, outside), *convolution(outside, outside))
    block.insert(1, nn.MaxPool2d(2))
    for layer in block:
        if isinstance(layer, nn.Conv2d):
            nn.init.dirac_(layer.weight[: layer.in_channels])  # passes its input on; further channels begin at random
    return block
