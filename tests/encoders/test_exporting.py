"""Networks of PyTorch, small ones made here in the manner of timm and open_clip, become encoders."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from oneof import encoders
from oneof.encoders import exporting
from oneof.encoders.exporting import export_network, write_onnx

PICTURES = np.random.default_rng(0).integers(0, 256, (5, 3, 24, 24), dtype=np.uint8)


class Body(nn.Module):
    """Convolution, batch normalisation, dropout; (n, 4, h, w) as of a network without its pooling."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.layers = nn.Sequential(nn.Conv2d(3, 4, 8, stride=8), nn.BatchNorm2d(4), nn.Dropout(0.5))
        self.__dict__ |= attributes

    def forward(self, x: torch.Tensor) -> Any:
        return self.layers(x)


def expected(network: nn.Module, mean: Any, deviation: Any) -> np.ndarray:
    mean, deviation = (torch.tensor(one, dtype=torch.float32).view(-1, 1, 1) for one in (mean, deviation))
    with torch.no_grad():
        return network.eval()((torch.from_numpy(PICTURES) / 255 - mean) / deviation).flatten(1).numpy()


@pytest.mark.parametrize("manner", ["timm", "open_clip", "given"])
def test_features_are_those_of_the_network(manner: str, tmp_path: Path) -> None:
    pytest.importorskip("onnxscript", reason="the extra onnx is not installed")
    mean, deviation = (0.1, 0.2, 0.3), (0.5, 0.6, 0.7)
    attributes: dict[str, Any] = {
        "timm": {"pretrained_cfg": {"input_size": (3, 24, 24), "mean": mean, "std": deviation}},
        "open_clip": {"image_size": (24, 24), "image_mean": mean, "image_std": deviation},
        "given": {},
    }[manner]
    network = Body(**attributes).train()
    settings: dict[str, Any] = {"size": 24, "mean": mean, "deviation": deviation} if manner == "given" else {}
    path = export_network(network, tmp_path / ("body.ONNX" if manner == "given" else "body.onnx"), **settings)
    assert network.training, "the network is given back as it was"
    found = encoders.create(str(path)).transform(PICTURES)
    np.testing.assert_allclose(found, expected(network, mean, deviation), atol=1e-4)


def test_what_cannot_be_exported_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"body: unknown kind of file .*expected \.onnx"):
        export_network(Body(), tmp_path / "body")
    no_network: Any = SimpleNamespace()
    with pytest.raises(ValueError, match=r"expected a torch\.nn\.Module, not SimpleNamespace"):
        export_network(no_network, tmp_path / "body.onnx")
    monkeypatch.setattr(exporting, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"pip install 'oneof\[onnx\]'"):
        write_onnx(nn.Identity(), torch.zeros(2, 3), tmp_path / "identity.onnx", "items", "logits")
    assert not list(tmp_path.iterdir())
