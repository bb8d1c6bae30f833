"""Uniform queries: uniform over every subset, by both ways of sampling, and the same on every machine."""

from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from oneof import UniformQueries
from oneof.queries import uniform

TABLE = ["101100", "010110", "110100", "101100", "101001", "101001"]
SELECTION = ["100101", "001110", "101010", "101001", "110001", "110010"]


@pytest.fixture(params=["table", "selection"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "selection":
        monkeypatch.setattr(uniform, "TABLE_ROWS", 0)
    return str(request.param)


@pytest.mark.parametrize(("k", "m"), [(2, 1), (3, 2), (4, 2), (5, 1), (6, 3), (6, 5), (7, 4)])
def test_every_subset_is_as_likely_as_any_other(k: int, m: int, way: str) -> None:
    n = 200 * comb(k, m)
    drawn = UniformQueries(k, m).draw(n, rng=k * m)
    assert (drawn.sum(axis=1) == m).all()
    code = drawn @ (1 << np.arange(k))
    observed = np.unique(code, return_counts=True)[1]
    assert len(observed) == comb(k, m)
    if len(observed) > 1:
        assert stats.chisquare(observed).pvalue > 0.001


def test_large_subsets_hold_every_pair_equally_often() -> None:
    k, m, n = 60, 25, 20_000
    drawn = UniformQueries(k, m).draw(n, rng=3).astype(np.float64)
    pairs = drawn.T @ drawn / n
    alone, both = m / k, m * (m - 1) / (k * (k - 1))
    assert np.diag(pairs) == pytest.approx(np.full(k, alone), abs=5 * np.sqrt(alone * (1 - alone) / n))
    assert pairs[~np.eye(k, dtype=bool)] == pytest.approx(both, abs=5 * np.sqrt(both * (1 - both) / n))


def test_the_same_seed_gives_the_same_queries_everywhere(way: str) -> None:
    """Fixed values: a change here changes the data of every experiment that names a seed."""
    drawn = UniformQueries(6, 3).draw(6, rng=2024)
    wanted = {"table": TABLE, "selection": SELECTION}[way]
    assert ["".join("01"[bit] for bit in row) for row in drawn.astype(int)] == wanted
    again = UniformQueries(6, 3).draw(6, rng=np.random.default_rng(2024))
    assert np.array_equal(again, drawn)
    assert not np.array_equal(UniformQueries(6, 3).draw(50, rng=1), UniformQueries(6, 3).draw(50, rng=2))


def test_chunks_do_not_repeat(monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    monkeypatch.setattr(uniform, "CHUNK_CELLS", 70)
    drawn = UniformQueries(7, 3).draw(3500, rng=0)
    observed = np.unique(drawn @ (1 << np.arange(7)), return_counts=True)[1]
    assert len(observed) == 35
    assert stats.chisquare(observed).pvalue > 0.001


@given(k=st.integers(2, 40), data=st.data(), n=st.integers(0, 30))
def test_shapes_and_sizes(k: int, data: st.DataObject, n: int) -> None:
    m = data.draw(st.integers(1, k - 1))
    queries = UniformQueries(k, m)
    drawn = queries.draw(n, rng=0)
    assert drawn.shape == (n, k)
    assert drawn.dtype == np.bool_
    assert (drawn.sum(axis=1) == m).all()
    assert queries.p_yes == m / k
    assert np.linalg.eigvalsh(queries.moment()).min() > 0


@pytest.mark.parametrize("k", range(2, 8))
def test_the_moment_by_enumeration(k: int) -> None:
    for m in range(1, k):
        inside = UniformQueries(k, m)._table().astype(float)
        outside = 1 - inside
        moment = (inside.T @ inside / m + outside.T @ outside / (k - m)) / len(inside)
        assert UniformQueries(k, m).moment() == pytest.approx(moment)


@pytest.mark.parametrize("k", range(2, 8))
def test_agreement_by_chance_by_enumeration(k: int) -> None:
    """A wrong prediction agrees with the answer where the query holds both classes or neither."""
    for m in range(1, k):
        table = UniformQueries(k, m)._table()
        for truth, guess in ((0, 1), (k - 1, 0)):
            wanted = (table[:, truth] == table[:, guess]).mean()
            assert UniformQueries(k, m).agreement_by_chance == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("classes", "size", "message"),
    [
        (1, 1, "classes must be a whole number of at least 2, not 1"),
        (2.0, 1, "classes must be a whole number"),
        ("10", 1, "classes must be a whole number"),
        (4, 0, r"size must be a whole number in 1\.\.3 for 4 classes, not 0"),
        (4, 4, r"size must be a whole number in 1\.\.3"),
        (4, -1, r"size must be a whole number in 1\.\.3"),
        (4, 1.5, r"size must be a whole number in 1\.\.3"),
    ],
)
def test_bad_input(classes: Any, size: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        UniformQueries(classes, size)


def test_a_negative_number_of_queries() -> None:
    with pytest.raises(ValueError, match="negative"):
        UniformQueries(4, 2).draw(-1, rng=0)
