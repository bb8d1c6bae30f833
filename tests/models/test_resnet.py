import pytest
import torch
from torch import nn

from oneof import models
from oneof.models import ResNet34


def test_it_has_34_weighted_layers_a_3x3_stem_and_no_first_pooling():
    network = ResNet34((3, 32, 32), 10, width=4)
    convolutions = [m for m in network.modules() if isinstance(m, nn.Conv2d) and m.kernel_size == (3, 3)]
    linear = [m for m in network.modules() if isinstance(m, nn.Linear)]
    assert len(convolutions) + len(linear) == 34
    assert convolutions[0].stride == (1, 1)
    assert not any(isinstance(m, nn.MaxPool2d) for m in network.modules())
    assert network.features(torch.randn(1, 3, 32, 32)).shape == (1, 32, 4, 4)


def test_the_original_width_has_21_million_parameters():
    with torch.device("meta"):
        network = models.create("resnet34", (3, 32, 32), 10)
    assert sum(p.numel() for p in network.parameters()) == pytest.approx(21.28e6, rel=0.01)


@pytest.mark.parametrize("shape", [(1, 8, 8), (3, 40, 33)])
def test_other_sizes(shape):
    network = ResNet34(shape, classes=5, width=2)
    logits = network(torch.randn(2, *shape))
    assert logits.shape == (2, 5)
    logits.sum().backward()
    assert all(p.grad is not None for p in network.parameters())


def test_what_it_cannot_take_is_refused():
    with pytest.raises(ValueError, match="ResNet-34 needs images"):
        ResNet34((64,), 10)
