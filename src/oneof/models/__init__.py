"""Networks: modules that map a batch of items to logits, (n, k). Your own `nn.Module` can be used as well."""

from collections.abc import Callable
from functools import partial

from torch import nn

from oneof.models.cnn import CNN
from oneof.models.cnn_quick import LEAST, QuickCNN
from oneof.models.cnn_strided import StridedCNN
from oneof.models.linear import Linear
from oneof.models.mlp import MLP
from oneof.models.resnet import ResNet34
from oneof.models.resnet9 import ResNet9

__all__ = ["CNN", "MLP", "Linear", "QuickCNN", "ResNet9", "ResNet34", "StridedCNN", "create", "names", "resolve"]

_BACKBONES: dict[str, Callable[..., nn.Module]] = {
    "linear": Linear,
    "mlp": MLP,
    "mlp-plain": partial(MLP, dropout=0.0),
    "cnn": CNN,
    "cnn-strided": StridedCNN,
    "cnn-quick": QuickCNN,
    "resnet9": ResNet9,
    "resnet34": ResNet34,
}

ENOUGH = 2000
"""Items from which on "auto" takes cnn-quick: with fewer, cnn was the better one in most trials (docs/training.md)."""


def names() -> list[str]:
    """The names that `create` knows, besides "auto"."""
    return list(_BACKBONES)


def resolve(name: str, shape: tuple[int, ...], items: int = 0) -> str:
    """The name of the network for so many items of this shape: "auto" is resolved, other names stay.

    >>> resolve("auto", (64,)), resolve("auto", (3, 32, 32), items=500), resolve("auto", (3, 32, 32), items=50_000)
    ('mlp', 'cnn', 'cnn-quick')
    """
    if name != "auto":
        return name
    side = min(shape[1:]) if len(shape) == 3 else 0
    if side < 8:
        return "mlp"
    return "cnn-quick" if side >= LEAST and items >= ENOUGH else "cnn"


def create(name: str, shape: tuple[int, ...], classes: int, width: int | None = None) -> nn.Module:
    """A network by name for items of this shape: (features,) or (channels, height, width).

    "auto" is the CNN for images and the MLP for everything else; training resolves it by the number of items, too, and
    says in its settings what it took. width: None for the network's own default.

    >>> create("auto", (1, 8, 8), classes=10).__class__.__name__
    'CNN'
    """
    name = resolve(name, shape)
    if name not in _BACKBONES:
        raise ValueError(f"unknown backbone {name!r}, expected auto, {', '.join(_BACKBONES)}, or an nn.Module")
    return _BACKBONES[name](shape, classes) if width is None else _BACKBONES[name](shape, classes, width)
