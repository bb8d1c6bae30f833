import pytest
import torch
from torch import nn

from oneof import models
from oneof.models import ResNet9


@pytest.mark.parametrize("shape", [(1, 8, 8), (1, 28, 28), (3, 32, 32), (4, 9, 15)])
def test_any_image_from_8_by_8(shape):
    network = ResNet9(shape, classes=6, width=4)
    logits = network(torch.randn(2, *shape))
    assert logits.shape == (2, 6)
    logits.sum().backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in network.parameters())


def test_eight_convolutions_and_one_linear_layer():
    modules = list(models.create("resnet9", (3, 32, 32), 10, width=8).modules())
    widths = [module.out_channels for module in modules if isinstance(module, nn.Conv2d)]
    assert widths == [8, 16, 16, 16, 32, 32, 32, 64]
    assert sum(isinstance(module, nn.Linear) for module in modules) == 1


def test_a_block_without_effect_passes_its_input_on():
    network = ResNet9((1, 8, 8), 3, width=2).eval()
    block = network.features[3]
    for parameter in block.parameters():
        nn.init.zeros_(parameter)
    x = torch.rand(2, 4, 4, 4)
    assert torch.equal(block(x), x)


def test_what_it_cannot_take_is_refused():
    with pytest.raises(ValueError, match=r"ResNet-9 needs images .* of at least 8x8"):
        ResNet9((1, 7, 8), 10)
