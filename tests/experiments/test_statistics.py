import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from oneof.experiments.statistics import best, mean_interval, paired_difference, summarise


def test_the_deviation_is_the_samples() -> None:
    summary = summarise([1.0, 2.0, 4.0])
    assert summary.mean == pytest.approx(7 / 3)
    assert summary.std == pytest.approx(np.std([1, 2, 4], ddof=1))
    assert summary.n == 3


def test_one_seed_has_no_deviation() -> None:
    assert math.isnan(summarise([3.0]).std)
    assert all(math.isnan(end) for end in mean_interval([3.0]))


def test_nothing_cannot_be_summarised() -> None:
    with pytest.raises(ValueError, match="no seed"):
        summarise([])


def test_the_interval_is_that_of_a_paired_t_test() -> None:
    rng = np.random.default_rng(0)
    base = pd.Series(rng.normal(60, 1, 5), index=[4, 3, 2, 1, 0])
    better = pd.Series(rng.normal(80, 1, 5), index=[0, 1, 2, 3, 4])
    result = paired_difference(better, base)
    expected = stats.ttest_rel(better.sort_index(), base.sort_index()).confidence_interval(0.95)
    assert (result.low, result.high) == pytest.approx((expected.low, expected.high))
    assert result.mean == pytest.approx((better.sort_index() - base.sort_index()).mean())


def test_only_shared_seeds_count() -> None:
    result = paired_difference(pd.Series([5.0, 9.0], index=[0, 1]), pd.Series([1.0, 2.0], index=[1, 2]))
    assert result.n == 1
    assert result.mean == 8.0


def test_two_results_for_a_seed_are_refused() -> None:
    with pytest.raises(ValueError, match="seed 0 has two results"):
        paired_difference(pd.Series([5.0, 9.0], index=[0, 0]), pd.Series([1.0], index=[0]))


def test_no_shared_seed_is_refused() -> None:
    with pytest.raises(ValueError, match="no seed has results of both"):
        paired_difference(pd.Series([5.0], index=[0]), pd.Series([1.0], index=[1]))


def test_equal_prints_are_all_bold() -> None:
    assert best([98.661, 98.659, 98.0]) == [True, True, False]
    assert best([None, None]) == [False, False]
    assert best([98.0, None]) == [False, False]
