"""The simulated annotator."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from oneof import UniformQueries, respond


@given(k=st.integers(2, 6), n=st.integers(0, 10), data=st.data())
def test_the_truth_without_flips(k: int, n: int, data: st.DataObject) -> None:
    subsets = data.draw(arrays(np.bool_, (n, k)))
    labels = data.draw(arrays(np.int64, n, elements=st.integers(0, k - 1)))
    responses = respond(subsets, labels)
    assert responses.dtype == np.bool_
    assert responses.tolist() == [bool(subsets[i, labels[i]]) for i in range(n)]


def test_flips_come_at_their_rates() -> None:
    n = 40_000
    labels = np.arange(n) % 5
    subsets = UniformQueries(5, 2).draw(n, rng=0)
    truth = respond(subsets, labels)
    responses = respond(subsets, labels, flip_yes=0.3, flip_no=0.1, rng=1)
    assert (~responses[truth]).mean() == pytest.approx(0.3, abs=0.02)
    assert responses[~truth].mean() == pytest.approx(0.1, abs=0.01)
    assert np.array_equal(responses, respond(subsets, labels, flip_yes=0.3, flip_no=0.1, rng=np.random.default_rng(1)))
    rates = np.where(np.arange(n) < n // 2, 0.0, 1.0)
    by_answer = respond(subsets, labels, flip_yes=rates, flip_no=rates, rng=1)
    assert np.array_equal(by_answer != truth, rates == 1)


@pytest.mark.parametrize(
    ("subsets", "labels", "options", "message"),
    [
        ([[True, False]], [2], {}, r"label 2 in row 0 is not in 0\.\.1"),
        ([[True, False]], [-1], {}, r"label -1 in row 0"),
        ([[True, False]], [0, 1], {}, r"labels must have shape \(1,\), one for each subset, not \(2,\)"),
        ([[True, False]], [0.0], {}, "labels must be whole numbers"),
        ([True, False], [0], {}, "subsets must be true or false, of shape"),
        ([[2, 0]], [0], {}, "subsets must be true or false"),
        ([["a", "b"]], [0], {}, "subsets must be true or false"),
        ([[True, False]], [0], {"flip_yes": 1.1, "rng": 0}, "flip_yes must be a probability"),
        ([[True, False]], [0], {"flip_no": np.nan, "rng": 0}, "flip_no must be a probability"),
        ([[True, False]], [0], {"flip_no": [0.1, 0.1], "rng": 0}, "flip_no must be a probability, or 1 of them"),
        ([[True, False]], [0], {"flip_yes": 0.1}, "flips are random: pass rng"),
    ],
)
def test_bad_input(subsets: Any, labels: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        respond(subsets, labels, **options)
