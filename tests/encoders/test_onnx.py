"""Any network as an encoder of pictures."""

import numpy as np
import pytest
from PIL import Image

from oneof import encoders
from oneof.encoders.onnx import IMAGENET, OnnxPictures
from oneof.items.pictures import Pictures


def test_pictures_are_scaled_and_standardised_for_the_network(network):
    encoder = encoders.create(network)
    images = [Image.new("RGB", (40, 40), colour) for colour in ((10, 20, 30), (200, 100, 0))]
    x = encoder.transform(images)
    colours = np.array([[10, 20, 30], [200, 100, 0]])
    np.testing.assert_allclose(x[:, :3], (colours - IMAGENET[0]) / IMAGENET[1], rtol=1e-5, atol=1e-5)
    bytes_ = OnnxPictures(network, mean=(0.0,) * 3, deviation=(1.0,) * 3).transform(images)
    np.testing.assert_allclose(bytes_[:, :3], colours, rtol=1e-5)


def test_each_picture_is_decoded_once(network, tmp_path, monkeypatch):
    paths = []
    for number in range(40):
        paths.append(tmp_path / f"{number}.png")
        Image.new("L", (8, 8), 6 * (number // 2)).save(paths[-1])  # each twice
    paths[5].write_bytes(b"gone bad")
    paths[25].write_bytes(b"gone bad")
    paths.append(tmp_path / "missing.png")
    decoded = []
    picture = Pictures.picture
    monkeypatch.setattr(
        Pictures, "picture", lambda self, row, *a: decoded.append(self.sources[row]) or picture(self, row, *a)
    )
    first = encoders.create(network).encode(paths)
    assert len(decoded) == 21, "twenty pictures, and one that is none"
    assert first.problems == {
        5: "not a picture of a known format",
        25: "not a picture of a known format",
        40: "not a file",
    }
    assert len(first.rows) == len(first.x) == 38
    decoded.clear()
    again = encoders.create(network).encode(paths[::-1])
    assert len(decoded) == 1
    np.testing.assert_array_equal(again.x[::-1], first.x)
    assert encoders.create(network).encode([]).x.shape[0] == 0


def test_files_that_are_no_networks_for_pictures(network, tmp_path):
    (tmp_path / "a.onnx").write_bytes(b"not a network")
    with pytest.raises(ValueError, match=r"a\.onnx: not a network that onnxruntime can run"):
        encoders.create(str(tmp_path / "a.onnx")).transform(np.zeros((1, 8, 8)))
    with pytest.raises(ValueError, match=r"b\.onnx: no such network"):
        encoders.create(str(tmp_path / "b.onnx")).transform(np.zeros((1, 8, 8)))
