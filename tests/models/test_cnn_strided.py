import pytest
import torch
from torch import nn

from oneof import models
from oneof.models import StridedCNN


@pytest.mark.parametrize("shape", [(1, 8, 8), (1, 28, 28), (3, 32, 32), (4, 9, 15)])
def test_any_image_from_8_by_8(shape):
    network = StridedCNN(shape, classes=6, width=4)
    logits = network(torch.randn(2, *shape))
    assert logits.shape == (2, 6)
    logits.sum().backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in network.parameters())


def test_five_convolutional_and_two_linear_layers_and_none_at_full_size():
    modules = list(models.create("cnn-strided", (1, 28, 28), 10, width=8).modules())
    convolutions = [module for module in modules if isinstance(module, nn.Conv2d)]
    assert [module.out_channels for module in convolutions] == [8, 16, 16, 32, 32]
    assert convolutions[0].stride == (2, 2)
    assert sum(isinstance(module, nn.Linear) for module in modules) == 2


def test_what_it_cannot_take_is_refused():
    with pytest.raises(ValueError, match=r"strided CNN needs images .* of at least 8x8"):
        StridedCNN((1, 7, 8), 10)
