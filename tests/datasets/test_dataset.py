import numpy as np
import pytest

from oneof.datasets import Dataset

IMAGES = np.zeros((3, 1, 2, 2), np.uint8)
LABELS = np.array([0, 1, 1])


def test_length_and_classes() -> None:
    data = Dataset(IMAGES, LABELS, ("a", "b"), "toy")
    assert len(data) == 3
    assert data.classes == 2


@pytest.mark.parametrize(
    ("images", "labels", "complaint"),
    [
        (IMAGES.astype(float), LABELS, "images must be uint8"),
        (IMAGES[:, 0], LABELS, "images must be uint8"),
        (IMAGES, LABELS[:2], r"labels must be int64 \(3,\)"),
        (IMAGES, LABELS.astype(np.int32), "labels must be int64"),
        (IMAGES, LABELS + 1, r"labels must be in 0\.\.1, found 1\.\.2"),
    ],
)
def test_wrong_arrays_are_refused(images: np.ndarray, labels: np.ndarray, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Dataset(images, labels, ("a", "b"), "toy")
