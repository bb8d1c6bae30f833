"""Means, deviations and paired intervals over seeds."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats


class Summary(NamedTuple):
    """Mean and sample standard deviation (n - 1) over n seeds; the deviation is NaN for one seed."""

    mean: float
    std: float
    n: int


class PairedDifference(NamedTuple):
    """Mean of the differences within seeds, with the ends of its t interval; NaN ends for one seed."""

    mean: float
    low: float
    high: float
    n: int


def summarise(values: Sequence[float] | pd.Series) -> Summary:
    """Mean and deviation of the results of several seeds.

    >>> summarise([90.0, 92.0])
    Summary(mean=91.0, std=1.4142135623730951, n=2)
    """
    array = np.asarray(values, dtype=np.float64)
    if array.size == 0:
        raise ValueError("nothing to summarise: no seed was given")
    return Summary(float(array.mean()), float(array.std(ddof=1)) if array.size > 1 else float("nan"), array.size)


def mean_interval(values: Sequence[float] | pd.Series) -> tuple[float, float]:
    """The 95 % t interval of a mean; NaN ends for one value.

    >>> low, high = mean_interval([1.0, 2.0, 3.0])
    >>> round(low, 3), round(high, 3)
    (-0.484, 4.484)
    """
    summary = summarise(values)
    if summary.n < 2:
        return float("nan"), float("nan")
    half = stats.t.ppf(0.975, summary.n - 1) * summary.std / np.sqrt(summary.n)
    return float(summary.mean - half), float(summary.mean + half)


def paired_difference(better: pd.Series, base: pd.Series) -> PairedDifference:
    """The mean difference of two methods within seeds, with its 95 % t interval, as in the paper's Table IV.

    better, base: results indexed by seed; only seeds that both have are compared.

    >>> paired_difference(pd.Series([3.0, 4.0], index=[0, 1]), pd.Series([1.0, 2.0], index=[0, 1]))
    PairedDifference(mean=2.0, low=2.0, high=2.0, n=2)
    """
    for results in (better, base):
        if results.index.has_duplicates:
            twice = results.index[results.index.duplicated()][0]
            raise ValueError(f"seed {twice} has two results; a paired comparison needs one each")
    differences = (better - base).dropna()
    if differences.empty:
        raise ValueError("no seed has results of both methods")
    low, high = mean_interval(differences)
    return PairedDifference(float(differences.mean()), low, high, len(differences))


def best(means: Sequence[float | None]) -> list[bool]:
    """Which entries are printed in bold: the highest, and any that looks equal with the two digits that are printed.

    A single entry is not in bold.

    >>> best([89.131, 88.0, None, 89.134]), best([89.131, None])
    ([True, False, False, True], [False, False])
    """
    printed = [None if mean is None else round(mean, 2) for mean in means]
    if len(printed) - printed.count(None) < 2:
        return [False] * len(printed)
    highest = max((mean for mean in printed if mean is not None), default=None)
    return [mean is not None and mean == highest for mean in printed]
