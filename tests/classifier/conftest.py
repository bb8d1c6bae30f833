"""Items that several tests of choices share."""

import numpy as np
import pytest

from oneof import Answers, UniformQueries, respond
from oneof.items.loading import Items

TOPICS = ("red apple pie sugar", "fast train rail engine", "deep sea fish whale")


@pytest.fixture
def texts():
    """A function that gives n short texts about three topics, and an answer about each."""

    def draw(n, seed=0):
        rng = np.random.default_rng(seed)
        labels = rng.integers(0, 3, n)
        x = np.array([" ".join(rng.choice(TOPICS[label].split(), 3)) for label in labels], dtype=object)
        subsets = UniformQueries(3, 1).draw(n, rng=seed + 1)
        ids = np.array([f"t{row}" for row in range(n)])
        return Items(x, ids, kind="texts"), Answers(subsets, respond(subsets, labels), item_names=ids.tolist())

    return draw
