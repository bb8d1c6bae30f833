"""A CNN as in the paper: five convolutional and two fully connected layers."""

import torch
from torch import Tensor, nn

from oneof.models.layers import ChannelsLast, convolution, image_shape, two_layers


class CNN(nn.Module):
    """Five 3x3 convolutions of width w, w, 2w, 2w, 4w with batch normalisation, then two linear layers.

    shape: (channels, height, width) of an image, 8x8 or larger. The paper does not give the widths; w = 16 is our
    choice for a CPU. (n, *shape) -> (n, classes).

    >>> CNN((1, 28, 28), classes=10)(torch.zeros(2, 1, 28, 28)).shape
    torch.Size([2, 10])
    """

    def __init__(self, shape: tuple[int, ...], classes: int, width: int = 16) -> None:
        super().__init__()
        channels, height, breadth = image_shape(shape, "the CNN")
        self.features = ChannelsLast(
            convolution(channels, width),
            convolution(width, width),
            nn.MaxPool2d(2),
            convolution(width, 2 * width),
            convolution(2 * width, 2 * width),
            nn.MaxPool2d(2),
            convolution(2 * width, 4 * width),
            nn.MaxPool2d(2),
        )
        self.head = two_layers(4 * width * (height // 8) * (breadth // 8), 8 * width, classes)

    def forward(self, x: Tensor) -> Tensor:
        """Logits, (n, classes)."""
        return torch.as_tensor(self.head(self.features(x)))
