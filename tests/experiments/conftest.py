"""Made-up result rows: small, with known means, in the shape of real ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from oneof.experiments.store import COLUMNS, Evidence

MEANS = {
    "GCE-ABS": 88.0,
    "GCE-NN": 86.0,
    "GCE-URE": 80.0,
    "URE-MAE": 89.0,
    "TMCL-EXP": 82.0,
    "TMCL-MAE": 84.0,
    "PLL-Avg": 70.0,
    "PRODEN": 87.0,
    "Likelihood": 92.0,
}


def one_row(**given: Any) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(COLUMNS, "")
    row |= {
        "preset": "cpu",
        "dataset": "KMNIST",
        "classes": 10,
        "size": 7,
        "p_yes": 0.7,
        "method": "GCE-ABS",
        "objective": "abs",
        "loss": "gce",
        "weights": "paper",
        "backbone": "mlp",
        "optimiser": "adadelta",
        "learning_rate": 0.1,
        "weight_decay": 1e-4,
        "batch_size": 128,
        "epochs": 40,
        "seed": 0,
        "selection": "last",
        "test_accuracy": 88.0,
        "label_free_accuracy": 87.5,
        "label_free_low": 86.0,
        "label_free_high": 89.0,
        "held_out_log_likelihood": -0.25,
        "negative_share": 0.25,
        "seconds": 60.0,
        "threads": 1,
        "train_items": 60000,
        "test_items": 10000,
        "features": 784,
        "official_files": True,
        "code_version": "0.1.0",
        "torch_version": "2",
        "cpu": "test",
        "configuration": "{}",
    }
    row |= given
    row["run"] = given.get("run") or "-".join(
        str(row[key]) for key in ("dataset", "p_yes", "method", "batch_size", "seed", "preset")
    )
    return row


@pytest.fixture
def make_row() -> Callable[..., dict[str, Any]]:
    return one_row


@pytest.fixture(scope="session")
def rows() -> pd.DataFrame:
    """All methods on KMNIST and digits with three seeds, the corrections at four batch sizes."""
    lines = []
    for dataset in ("KMNIST", "digits"):
        for p_yes in (0.3, 0.5, 0.7):
            for method, mean in MEANS.items():
                sizes = (128, 256, 512, 1024) if dataset == "KMNIST" else (128,)
                for batch_size in sizes:
                    drop = 30 * (p_yes - 0.3) if method == "GCE-URE" else 4 * (p_yes - 0.3)
                    gain = 2 * np.log2(batch_size / 128) * (1 if method == "GCE-URE" else -0.5)
                    for seed in range(3):
                        accuracy = mean - drop + gain + 0.2 * (seed - 1)
                        lines.append(
                            one_row(
                                dataset=dataset,
                                p_yes=p_yes,
                                size=round(10 * p_yes),
                                method=method,
                                batch_size=batch_size,
                                seed=seed,
                                test_accuracy=accuracy,
                            )
                        )
    return pd.DataFrame(lines, columns=list(COLUMNS))


@pytest.fixture(scope="session")
def histories(rows: pd.DataFrame) -> pd.DataFrame:
    """Twelve epochs a run: accuracy rises to the run's result, the raw risk of GCE falls below zero."""
    lines = []
    for row in rows.to_dict("records"):
        for epoch in range(1, 13):
            raw = 1.0 - 0.13 * epoch * (1.5 if row["method"] == "GCE-URE" else 0.8)
            objective = {"GCE-NN": max(raw, 0.0), "GCE-ABS": abs(raw)}.get(row["method"], raw)
            accuracy = row["test_accuracy"] * (1 - 0.5**epoch)
            line = dict(row) | {"epoch": epoch, "objective": objective, "raw": raw, "test_accuracy": accuracy}
            lines.append(line)
    return pd.DataFrame(lines)


@pytest.fixture(scope="session")
def per_class(rows: pd.DataFrame) -> pd.DataFrame:
    """Accuracy of each class; class 8 and 9 are hard."""
    lines = []
    for row in rows.to_dict("records"):
        for label in range(10):
            accuracy = row["test_accuracy"] - (25 if label >= 8 else 0)
            lines.append(dict(row) | {"class_name": str(label), "items": 100, "accuracy": accuracy})
    return pd.DataFrame(lines)


@pytest.fixture(scope="session")
def evidence(rows: pd.DataFrame, histories: pd.DataFrame, per_class: pd.DataFrame) -> Evidence:
    return Evidence(rows, histories, per_class)


@pytest.fixture
def nothing() -> Evidence:
    """A results folder in which nothing was run."""
    from oneof.experiments.store import HISTORY_COLUMNS, PER_CLASS_COLUMNS

    rows = pd.DataFrame(columns=list(COLUMNS))
    extra = [list(dict.fromkeys((*columns, *COLUMNS))) for columns in (HISTORY_COLUMNS, PER_CLASS_COLUMNS)]
    return Evidence(rows, pd.DataFrame(columns=extra[0]), pd.DataFrame(columns=extra[1]))
