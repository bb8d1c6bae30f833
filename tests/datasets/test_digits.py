import numpy as np
from sklearn.datasets import load_digits as bundled

from oneof.datasets.digits import load_digits


def test_the_split_is_fixed_stratified_and_whole() -> None:
    (train, train_labels), (test, test_labels) = load_digits("train"), load_digits("test")
    assert train.shape == (1347, 1, 8, 8)
    assert test.shape == (450, 1, 8, 8)
    everything = np.bincount(bundled().target)
    in_test = np.bincount(test_labels)
    assert (np.abs(in_test - everything / 4) < 1).all()
    np.testing.assert_array_equal(in_test + np.bincount(train_labels), everything)
    np.testing.assert_array_equal(load_digits("test")[0], test)


def test_no_item_is_on_both_sides() -> None:
    train = {image.tobytes() for image in load_digits("train")[0]}
    test = {image.tobytes() for image in load_digits("test")[0]}
    assert len(train | test) == len({image.tobytes() for image in bundled().images})
    assert not train & test


def test_sixteen_is_white() -> None:
    images, _ = load_digits("train")
    assert images.dtype == np.uint8
    assert images.min() == 0
    assert images.max() == 255
    assert set(np.unique(images)) == {value * 255 // 16 for value in range(17)}
