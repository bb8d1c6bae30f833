from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from oneof.datasets import FormatError
from oneof.datasets.matlab import load_svhn

RNG = np.random.default_rng(0)
PIXELS = RNG.integers(0, 256, (32, 32, 3, 5), dtype=np.uint8)
LABELS = np.array([[1], [10], [9], [10], [5]], dtype=np.uint8)


@pytest.mark.parametrize("compressed", [False, True])
def test_images_are_channels_first_and_ten_is_zero(tmp_path: Path, compressed: bool) -> None:
    path = tmp_path / "train_32x32.mat"
    savemat(path, {"X": PIXELS, "y": LABELS}, do_compression=compressed)
    images, labels = load_svhn(path)
    assert images.shape == (5, 3, 32, 32)
    assert images.flags.c_contiguous
    np.testing.assert_array_equal(images[2, 1], PIXELS[:, :, 1, 2])
    assert labels.tolist() == [1, 0, 9, 0, 5]
    assert labels.dtype == np.int64


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ({"X": PIXELS}, "expected the variables X and y, y not found"),
        ({"X": PIXELS[..., :4], "y": LABELS}, "X holds 4 images, but y holds 5 labels"),
        ({"X": PIXELS.astype(np.float64), "y": LABELS}, "X must be uint8"),
        ({"X": PIXELS[:16], "y": LABELS}, "X must be uint8"),
        ({"X": PIXELS, "y": LABELS - 1}, r"y must be in 1\.\.10, item 0 has 0"),
    ],
)
def test_unexpected_content_is_named(tmp_path: Path, content: dict[str, object], complaint: str) -> None:
    path = tmp_path / "train_32x32.mat"
    savemat(path, content)
    with pytest.raises(FormatError, match=complaint):
        load_svhn(path)


def test_a_truncated_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "train_32x32.mat"
    savemat(path, {"X": PIXELS, "y": LABELS}, do_compression=True)
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(FormatError, match="not a whole MATLAB 5 file"):
        load_svhn(path)


def test_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "train_32x32.mat"
    path.write_bytes(b"<html>not found</html>")
    with pytest.raises(FormatError, match="not a whole MATLAB 5 file"):
        load_svhn(path)
