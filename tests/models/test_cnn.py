import pytest
import torch
from torch import nn

from oneof import models
from oneof.models import CNN


@pytest.mark.parametrize("shape", [(1, 8, 8), (1, 28, 28), (3, 32, 32), (4, 9, 15), (1, 16, 16), (3, 64, 48)])
def test_any_image_from_8_by_8(shape):
    network = CNN(shape, classes=6, width=4)
    logits = network(torch.randn(2, *shape))
    assert logits.shape == (2, 6)
    logits.sum().backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in network.parameters())


def test_five_convolutional_and_two_linear_layers():
    modules = list(CNN((1, 28, 28), 10).modules())
    assert sum(isinstance(module, nn.Conv2d) for module in modules) == 5
    assert sum(isinstance(module, nn.Linear) for module in modules) == 2


def test_width_is_the_width_of_the_first_layer():
    for width in (4, 32):
        convolutions = [m for m in CNN((3, 32, 32), 10, width).modules() if isinstance(m, nn.Conv2d)]
        assert [c.out_channels for c in convolutions] == [width, width, 2 * width, 2 * width, 4 * width]


@pytest.mark.parametrize("shape", [(64,), (1, 7, 8), (1, 8, 7)])
def test_what_it_cannot_take_is_refused(shape):
    with pytest.raises(ValueError, match=r"CNN needs images .* of at least 8x8"):
        CNN(shape, 10)


def test_auto_takes_it_for_small_images():
    assert isinstance(models.create("auto", (1, 8, 8), 10, width=4), CNN)
