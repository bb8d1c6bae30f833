"""Every (class, subset) pair, so that expectations are sums and not simulations."""

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray


@pytest.fixture(scope="session")
def every_subset() -> Callable[[int, int], NDArray[np.bool_]]:
    """All subsets of m out of k labels, bool (C(k, m), k)."""

    def table(k: int, m: int) -> NDArray[np.bool_]:
        rows = [[label in chosen for label in range(k)] for chosen in combinations(range(k), m)]
        return np.array(rows, dtype=np.bool_)

    return table
