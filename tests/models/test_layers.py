import copy

import torch
from torch import nn

from oneof.models.layers import ChannelsLast, convolution


def test_a_convolution_keeps_height_and_width():
    assert convolution(3, 5)(torch.rand(2, 3, 9, 7)).shape == (2, 5, 9, 7)


def test_the_layout_in_memory_changes_no_result():
    torch.manual_seed(0)
    plain = nn.Sequential(convolution(3, 8), nn.MaxPool2d(2), convolution(8, 8))
    laid = ChannelsLast(*copy.deepcopy(plain))
    x = torch.rand(4, 3, 12, 12)
    assert laid(x).is_contiguous(memory_format=torch.channels_last)
    torch.testing.assert_close(laid(x), plain(x))
    for network in (laid, plain):
        network(x).square().sum().backward()
    for mine, theirs in zip(laid.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(mine.grad, theirs.grad, rtol=1e-3, atol=1e-4)


def test_one_channel_is_laid_out_like_many():
    """With one channel both layouts pass for channels last, but they are summed up in another order."""
    layer = ChannelsLast(convolution(1, 4))
    assert layer[0][0].weight.stride() == (9, 1, 3, 1)
