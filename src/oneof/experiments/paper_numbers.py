"""The paper's own numbers, as published, a CSV file for each table. They are shown beside ours, never mixed with them.

Accuracies are per cent, mean and standard deviation over the paper's five runs.
"""

from functools import cache
from importlib.resources import files

import pandas as pd

FILES = {
    1: "table1_datasets.csv",
    2: "table2_mae.csv",
    3: "table3_gce.csv",
    4: "table4_paired.csv",
    5: "table5_emnist.csv",
    6: "table6_batch_size.csv",
}


@cache
def _read(number: int) -> pd.DataFrame:
    with (files("oneof.experiments") / "paper" / FILES[number]).open(encoding="utf-8") as stream:
        return pd.read_csv(stream)


def paper_table(number: int) -> pd.DataFrame:
    """One of the paper's tables I-VI as published.

    >>> paper_table(5).head(1).to_dict("records")
    [{'dataset': 'EMNIST-Letters', 'p_yes': 0.3, 'method': 'GCE-ABS', 'accuracy_mean': 91.16, 'accuracy_std': 0.07}]
    """
    if number not in FILES:
        raise ValueError(f"the paper has tables 1 to 6, not {number}")
    return _read(number).copy()


def paper_best() -> pd.DataFrame:
    """The best published accuracy of each (data set, P(s=1)) cell, over Tables II, III and V: 21 rows.

    >>> best = paper_best()
    >>> cell = best[(best["dataset"] == "KMNIST") & (best["p_yes"] == 0.7)]
    >>> len(best), cell[["method", "accuracy_mean"]].values.tolist()
    (21, [['URE-MAE', 89.26]])
    """
    published = pd.concat([paper_table(2), paper_table(3), paper_table(5)], ignore_index=True)
    best = published.loc[published.groupby(["dataset", "p_yes"], sort=False)["accuracy_mean"].idxmax()]
    return best.reset_index(drop=True)
