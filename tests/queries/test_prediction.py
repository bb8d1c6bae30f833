import numpy as np
import pytest
from scipy import stats

from oneof import PredictionQueries


def test_the_others_are_uniform() -> None:
    predictions = np.arange(30_000) % 6
    subsets = PredictionQueries(6, 3).draw(predictions, rng=0)
    assert subsets[np.arange(30_000), predictions].all()
    assert (subsets.sum(axis=1) == 3).all()
    for predicted in range(6):
        pairs = np.delete(subsets[predictions == predicted], predicted, axis=1)
        _, counts = np.unique(pairs, axis=0, return_counts=True)
        assert len(counts) == 10, "every pair of the five others"
        assert stats.chisquare(counts).pvalue > 1e-4


def test_alone_and_with_all_but_one() -> None:
    assert (PredictionQueries(4, 1).draw([2, 0], rng=0) == np.eye(4, dtype=bool)[[2, 0]]).all()
    assert (PredictionQueries(3, 2).draw([1] * 50, rng=0).sum(axis=0) > 0).all()
    assert PredictionQueries(2, 1).draw(np.array([], dtype=int), rng=0).shape == (0, 2)


def test_the_same_seed_gives_the_same_questions() -> None:
    queries = PredictionQueries(1000, 4)
    np.testing.assert_array_equal(queries.draw([5] * 9, rng=7), queries.draw([5] * 9, rng=7))


def test_mistakes_are_refused() -> None:
    with pytest.raises(ValueError, match=r"size must be a whole number in 1\.\.3"):
        PredictionQueries(4, 4)
    with pytest.raises(ValueError, match=r"prediction 4 in row 1 is not in 0\.\.3"):
        PredictionQueries(4, 2).draw([0, 4], rng=0)
    with pytest.raises(ValueError, match="class numbers"):
        PredictionQueries(4, 2).draw([0.5], rng=0)
