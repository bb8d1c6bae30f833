import pytest
import torch
from torch import nn

from oneof import models
from oneof.models import QuickCNN


@pytest.mark.parametrize("shape", [(1, 15, 15), (1, 28, 28), (3, 32, 32), (4, 16, 21)])
def test_any_image_from_15_by_15(shape):
    network = QuickCNN(shape, classes=6, width=4)
    logits = network(torch.randn(2, *shape))
    assert logits.shape == (2, 6)
    logits.sum().backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in network.parameters())


def test_what_it_cannot_take_is_refused():
    with pytest.raises(ValueError, match=r"quick CNN needs images .* of at least 15x15, not \(1, 14, 15\)"):
        QuickCNN((1, 14, 15), 10)


def test_auto_takes_it_for_many_images_that_are_large_enough():
    for shape, items, taken in (
        ((1, 15, 40), 2000, "cnn-quick"),
        ((1, 15, 40), 1999, "cnn"),
        ((1, 14, 40), 2000, "cnn"),
        ((1, 7, 40), 2000, "mlp"),
    ):
        assert models.resolve("auto", shape, items) == taken


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_fixed_filters_are_an_orthogonal_change_of_each_patch_and_are_neither_learned_nor_saved(channels):
    first = models.create("cnn-quick", (channels, 16, 16), 10, width=4).features[0]
    flat = first.filters.flatten(1)
    torch.testing.assert_close(flat @ flat.T, torch.eye(4 * channels))
    assert not list(first.parameters())
    assert "filters" not in first.state_dict()


def test_a_flat_image_shows_only_in_the_first_filter_of_its_channels():
    first = models.create("cnn-quick", (1, 16, 16), 10, width=4).features[0].eval()
    brightness, *differences = first(torch.ones(1, 1, 16, 16))[0, :4]
    assert brightness.min() > 1
    assert max(difference.abs().max() for difference in differences) < 1e-6


def test_both_signs_of_each_filter_follow_each_other():
    seen = models.create("cnn-quick", (3, 16, 16), 10, width=4).features[0](torch.randn(2, 3, 16, 16))
    assert seen.shape == (2, 24, 15, 15)
    torch.testing.assert_close(seen[:, :12], -seen[:, 12:])


def test_convolutions_begin_by_passing_their_input_on():
    network = models.create("cnn-quick", (3, 32, 32), 10, width=8)
    for layer in network.features.modules():
        if isinstance(layer, nn.Conv2d):
            same = layer.weight[: layer.in_channels]
            expected = torch.zeros_like(same)
            for channel in range(len(same)):
                expected[channel, channel, 1, 1] = 1
            torch.testing.assert_close(same, expected)
