"""A small network as an .onnx file, and a cache of its own for the tests."""

import warnings
from pathlib import Path

import pytest
import torch


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ONEOF_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


class Means(torch.nn.Module):
    """The mean of each channel, and the brightest value."""

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        return torch.cat([pictures.mean((2, 3)), pictures.amax((1, 2, 3)).unsqueeze(1)], dim=1)


@pytest.fixture(scope="session")
def network(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("network") / "means.onnx"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            Means(),
            (torch.zeros(2, 3, 16, 16),),
            str(path),
            input_names=["pictures"],
            dynamic_shapes={"pictures": {0: torch.export.Dim("batch")}},
            dynamo=True,
            external_data=False,
            verbose=False,
        )
    return str(path)
