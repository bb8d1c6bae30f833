"""What the convolutional networks have in common."""

import torch
from torch import Tensor, nn


def image_shape(shape: tuple[int, ...], network: str, least: int = 8) -> tuple[int, ...]:
    """The shape, after a check that it is (channels, height, width) of an image that is large enough."""
    if len(shape) != 3 or min(shape[1:]) < least:
        raise ValueError(f"{network} needs images (channels, height, width) of at least {least}x{least}, not {shape}")
    return shape


def convolution(inside: int, outside: int, stride: int = 1) -> nn.Sequential:
    """A 3x3 convolution with batch normalisation; height and width are divided by the stride and rounded up.

    (n, inside, ...) -> (n, outside, ...).
    """
    return nn.Sequential(
        nn.Conv2d(inside, outside, 3, stride=stride, padding=1, bias=False),
        nn.BatchNorm2d(outside),
        nn.ReLU(inplace=True),
    )


def two_layers(inputs: int, hidden: int, classes: int) -> nn.Sequential:
    """Two linear layers with a ReLU between them. (n, ...) -> (n, classes)."""
    return nn.Sequential(nn.Flatten(), nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, classes))


class ChannelsLast(nn.Sequential):
    """Layers that store images and weights with the channels of a pixel side by side: a quarter faster on a CPU."""

    def __init__(self, *layers: nn.Module) -> None:
        super().__init__(*layers)
        for parameter in self.parameters():
            if parameter.ndim == 4:
                parameter.data = parameter.data.to(memory_format=torch.channels_last)

    def forward(self, x: Tensor) -> Tensor:
        """The layers one after the other. (n, c, h, w)."""
        x = x.contiguous(memory_format=torch.channels_last)
        for layer in self:
            x = layer(x)
        return x
