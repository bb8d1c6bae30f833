"""Sets of labels with one bit per label."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from oneof.answers import bitsets

SETS = st.tuples(st.integers(0, 6), st.integers(1, 40)).flatmap(lambda shape: arrays(np.bool_, shape))


@given(sets=SETS)
def test_packed_and_unpacked(sets):
    packed = bitsets.pack(sets)
    n, k = sets.shape
    assert packed.shape == (n, -(-k // 8))
    np.testing.assert_array_equal(bitsets.unpack(packed, k), sets)
    np.testing.assert_array_equal(bitsets.sizes(packed), sets.sum(axis=1))
    for label in range(k):
        np.testing.assert_array_equal(bitsets.contains(packed, np.full(n, label)), sets[:, label])


@given(sets=SETS, seed=st.integers(0, 9))
def test_what_an_answer_leaves_possible(sets, seed):
    n, k = sets.shape
    responses = np.random.default_rng(seed).random(n) < 0.5
    possible = bitsets.consistent(bitsets.pack(sets), responses, k)
    np.testing.assert_array_equal(bitsets.unpack(possible, k), sets == responses[:, None])
    np.testing.assert_array_equal(possible, bitsets.pack(sets == responses[:, None])), "no bit after the last label"


@pytest.mark.parametrize("classes", [2, 100, 10_000, 10**9])
def test_some_megabytes_at_once(classes):
    assert 1 <= bitsets.rows_at_once(classes) <= 1 << 16
    assert bitsets.rows_at_once(classes) * classes <= max(classes, 1 << 24)
