import pytest
import torch

from oneof import models
from oneof.models import MLP


@pytest.mark.parametrize("shape", [(1,), (64,), (1, 5, 5), (3, 8, 8)])
def test_any_shape_becomes_logits(shape):
    assert MLP(shape, classes=7, width=16)(torch.randn(3, *shape)).shape == (3, 7)


def test_width_is_the_width():
    narrow, wide = (sum(p.numel() for p in MLP((64,), 10, width).parameters()) for width in (32, 64))
    assert narrow < wide / 2


def test_dropout_is_for_training_alone():
    network, x = MLP((8,), 3), torch.randn(16, 8)
    assert not torch.equal(network(x), network(x))
    network.eval()
    assert torch.equal(network(x), network(x))
    plain = models.create("mlp-plain", (8,), 3)
    assert torch.equal(plain(x), plain(x))


def test_auto_takes_it_for_tables_and_for_images_too_small_for_convolutions():
    for shape in ((30,), (1, 7, 7), (3, 4, 100)):
        assert isinstance(models.create("auto", shape, 5), MLP)


def test_names_and_unknown_names():
    assert models.names() == ["linear", "mlp", "mlp-plain", "cnn", "cnn-strided", "cnn-quick", "resnet9", "resnet34"]
    expected = rf"expected auto, {', '.join(models.names())}, or an nn\.Module"
    with pytest.raises(ValueError, match=rf"unknown backbone 'mpl', {expected}"):
        models.create("mpl", (4,), 2)
