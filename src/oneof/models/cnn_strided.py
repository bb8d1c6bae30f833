"""The paper's five convolutional and two fully connected layers, with strides where `cnn` pools: five times as fast."""

import torch
from torch import Tensor, nn

from oneof.models.layers import ChannelsLast, convolution


class StridedCNN(nn.Module):
    """Five 3x3 convolutions of width w, 2w, 2w, 4w, 4w with batch normalisation, then two linear layers.

    The first, second and fourth halve height and width, so no convolution works at full size: on a CPU that is where
    the time of `CNN` goes. shape: (channels, height, width) of an image, 8x8 or larger. (n, *shape) -> (n, classes).

    >>> StridedCNN((1, 28, 28), classes=10)(torch.zeros(2, 1, 28, 28)).shape
    torch.Size([2, 10])
    """

    def __init__(self, shape: tuple[int, ...], classes: int, width: int = 16) -> None:
        super().__init__()
        if len(shape) != 3 or min(shape[1:]) < 8:
            raise ValueError(f"the strided CNN needs images (channels, height, width) of at least 8x8, not {shape}")
        channels, height, breadth = shape
        self.features = ChannelsLast(
            convolution(channels, width, stride=2),
            convolution(width, 2 * width, stride=2),
            convolution(2 * width, 2 * width),
            convolution(2 * width, 4 * width, stride=2),
            convolution(4 * width, 4 * width),
        )
        # A stride of 2 rounds up, and so do three of them.
        self.head = nn.Sequential(
            nn.Flatten(),
            nn.Linear(4 * width * -(-height // 8) * -(-breadth // 8), 8 * width),
            nn.ReLU(),
            nn.Linear(8 * width, classes),
        )

    def forward(self, x: Tensor) -> Tensor:
        """Logits, (n, classes)."""
        return torch.as_tensor(self.head(self.features(x)))
