"""PyTorch networks as .onnx files, which onnxruntime runs several times as fast, and which hold no Python code.

A network from timm, open_clip or anywhere else becomes an encoder this way, with what it expects of its pictures
inside.
"""

import logging
import warnings
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from oneof.encoders.onnx import IMAGENET
from oneof.files.atomic import replacing
from oneof.files.suffixes import suffix_to_write

if TYPE_CHECKING:
    from torch import Tensor, nn


def export_network(
    network: "nn.Module",
    path: str | Path,
    size: int | None = None,
    mean: Sequence[float] | None = None,
    deviation: Sequence[float] | None = None,
) -> Path:
    """Write a network that encodes pictures to an .onnx file, whose path is then the name of an encoder.

    network: from normalised pictures (n, 3, size, size) to features (n, ...). mean, deviation: of the channels that it
    was trained with, where 1 is white. What is not given is taken from the network where it says so, as those of timm
    (`pretrained_cfg`) and open_clip (`image_mean`) do; else 224 pixels and the colours of ImageNet. The file takes
    bytes, 0 to 255.

    >>> export_network(timm.create_model("resnet18", pretrained=True, num_classes=0), "r18.onnx")  # doctest: +SKIP
    >>> export_network(open_clip.create_model("ViT-B-32", "openai").visual, "clip.onnx")  # doctest: +SKIP
    """
    import torch

    path = Path(path)
    suffix_to_write(path, (".onnx",))
    if not isinstance(network, torch.nn.Module):
        raise ValueError(f"expected a torch.nn.Module, not {type(network).__name__}")
    expected = _expected_by(network)
    pixels = int(expected["size"] if size is None else size)
    centre, spread = (
        torch.tensor(np.asarray(expected[name] if given is None else given, np.float32) * 255).view(-1, 1, 1)
        for name, given in (("mean", mean), ("deviation", deviation))
    )

    class FromBytes(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.network = network

        def forward(self, pictures: "Tensor") -> Any:
            return self.network((pictures.float() - centre) / spread).flatten(1)

    was_training = network.training
    try:
        with torch.no_grad():
            write_onnx(
                FromBytes().eval(), torch.zeros(2, 3, pixels, pixels, dtype=torch.uint8), path, "pictures", "features"
            )
    finally:
        network.train(was_training)
    return path


def write_onnx(network: "nn.Module", example: "Tensor", path: Path, takes: str, gives: str) -> None:
    """Write a network, whose `forward` has one argument, for batches of any size.

    example: a batch of two. takes, gives: the names of input and output.
    """
    import torch

    if find_spec("onnxscript") is None:
        raise ValueError("the export needs onnx and onnxscript: pip install 'oneof[onnx]'")
    logger = logging.getLogger("torch.onnx._internal.exporter._registration")
    level = logger.level
    logger.setLevel(logging.ERROR)  # it lists the optional packages that are not installed
    try:
        with replacing(path) as part, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # raised by the exporter about itself
            torch.onnx.export(
                network,
                (example,),
                str(part),
                input_names=[takes],
                output_names=[gives],
                dynamic_shapes=({0: torch.export.Dim("batch")},),
                dynamo=True,
                external_data=False,
                verbose=False,
            )
    finally:
        logger.setLevel(level)


def _expected_by(network: "nn.Module") -> dict[str, Any]:
    """Size, mean and deviation of the pictures that a network was trained on, where it says; else the usual ones."""
    mean, deviation = (np.array(colours) / 255 for colours in IMAGENET)
    expected: dict[str, Any] = {"size": 224, "mean": mean, "deviation": deviation}
    config = getattr(network, "pretrained_cfg", None)
    if isinstance(config, dict):  # timm
        expected |= {"mean": config.get("mean", mean), "deviation": config.get("std", deviation)}
        expected["size"] = config.get("input_size", (3, 224, 224))[-1]
    elif getattr(network, "image_mean", None) is not None:  # the visual part of open_clip
        expected |= {"mean": network.image_mean, "deviation": network.image_std}
        side = getattr(network, "image_size", 224)
        expected["size"] = side if isinstance(side, int) else side[0]
    return expected
