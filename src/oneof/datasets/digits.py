"""scikit-learn's digits: 1797 small pictures that come with the library, so nothing has to be downloaded."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

SPLIT_SEED = 0


def load_digits(split: Literal["train", "test"]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Images uint8 (n, 1, 8, 8) and labels int64 (n,) of a fixed, stratified split: 1347 to train, 450 to test.

    The items are shuffled with a fixed seed and put in class order, and every fourth one goes to the test set. Values
    0..16 become grey levels by v * 255 // 16.
    """
    from sklearn.datasets import load_digits as bundled_digits

    bundle = bundled_digits()
    pixels = (bundle.images.astype(np.int64) * 255 // 16).astype(np.uint8)
    labels = bundle.target.astype(np.int64)
    shuffled = np.random.default_rng(SPLIT_SEED).permutation(len(labels))
    by_class = shuffled[np.argsort(labels[shuffled], kind="stable")]
    in_test = np.zeros(len(labels), dtype=bool)
    in_test[by_class[::4]] = True
    chosen = in_test if split == "test" else ~in_test
    return pixels[chosen][:, None], labels[chosen]
