"""What the convolutional networks share."""

import torch
from torch import Tensor, nn


def convolution(inside: int, outside: int, stride: int = 1) -> nn.Sequential:
    """A 3x3 convolution with batch normalisation; height and width are divided by the stride and rounded up.

    (n, inside, ...) -> (n, outside, ...).
    """
    return nn.Sequential(
        nn.Conv2d(inside, outside, 3, stride=stride, padding=1, bias=False),
        nn.BatchNorm2d(outside),
        nn.ReLU(inplace=True),
    )


class ChannelsLast(nn.Sequential):
    """Layers whose images and weights lie in memory channel by channel of a pixel: a quarter faster on a CPU."""

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
