"""Digits from one yes/no answer about each item: accuracy and the coverage of the label-free interval, over seeds.

    python -m benchmarks.digits     # writes results/digits.csv, one row per run, under the names of results/rows.csv

The likelihood for questions about 3, 5 and 7 labels; URE, NN and ABS with the GCE loss for 3. Each run trains
`OneOfClassifier` with its defaults on the 1347 training items, and is judged by one answer about each of the 450 test
items.
"""

import time
from typing import Any

import numpy as np
import pandas as pd
import torch

import oneof
from benchmarks.pages import RESULTS, table
from oneof import Answers, OneOfClassifier, UniformQueries, respond
from oneof.datasets import load
from oneof.files.atomic import replacing

ROWS = RESULTS / "digits.csv"
SEEDS = range(5)
CASES = [
    *((size, "likelihood", None) for size in (3, 5, 7)),
    *((3, objective, "gce") for objective in ("ure", "nn", "abs")),
]


def run(size: int, objective: str, loss: str | None, seed: int, epochs: int | None = None) -> dict[str, Any]:
    """Train once and judge; one tidy row."""
    training, test = load("digits", "train"), load("digits", "test")
    rng = np.random.default_rng(seed)
    queries = UniformQueries(10, size)
    subsets, test_subsets = queries.draw(len(training), rng), queries.draw(len(test), rng)
    answers = Answers(subsets, respond(subsets, training.labels))
    judging = Answers(test_subsets, respond(test_subsets, test.labels))

    started = time.perf_counter()
    model = OneOfClassifier(objective, loss=loss, epochs=epochs, random_state=seed)
    model.fit(training.images.reshape(len(training), -1), answers)
    seconds = time.perf_counter() - started
    unseen = test.images.reshape(len(test), -1)
    accuracy = model.score(unseen, test.labels)
    estimate = model.accuracy_estimate(unseen, judging)
    config = model.config_
    return {
        "dataset": "digits",
        "classes": 10,
        "size": size,
        "objective": objective,
        "loss": config.loss or "",
        "backbone": config.backbone,
        "optimiser": config.optimizer,
        "learning_rate": config.learning_rate,
        "weight_decay": config.weight_decay,
        "batch_size": config.batch_size,
        "epochs": config.epochs,
        "holdout": config.holdout,
        "selection": config.selection,
        "seed": seed,
        "test_accuracy": round(100 * accuracy, 4),
        "label_free_accuracy": round(100 * estimate.value, 4),
        "label_free_low": round(100 * estimate.low, 4),
        "label_free_high": round(100 * estimate.high, 4),
        "covered": estimate.low <= accuracy <= estimate.high,
        "negative_share": round(float(np.mean([row["negative"] for row in model.history_])), 4),
        "seconds": round(seconds, 2),
        "code_version": oneof.__version__,
        "torch_version": torch.__version__,
    }


def facts() -> dict[str, str]:
    """Texts for the pages, from the rows."""
    shown = [
        {
            "objective": " ".join(map(str, (objective, *cell["loss"].dropna().unique()))),
            "labels asked about": size,
            "test accuracy, %": f"{cell['test_accuracy'].mean():.1f} ± {cell['test_accuracy'].std():.1f}",
            "intervals that hold": f"{cell['covered'].sum()} of {len(cell)}",
        }
        for (size, objective), cell in pd.read_csv(ROWS).groupby(["size", "objective"], sort=False)
    ]
    return {"table": table(pd.DataFrame(shown))}


def main() -> None:
    """Run every case with every seed and write the rows."""
    torch.set_num_threads(1)
    rows = []
    for size, objective, loss in CASES:
        for seed in SEEDS:
            rows.append(run(size, objective, loss, seed))
            print(f"m = {size}, {objective}, seed {seed}: {rows[-1]['test_accuracy']:.2f} %", flush=True)
    with replacing(ROWS) as part:
        pd.DataFrame(rows).to_csv(part, index=False)


if __name__ == "__main__":
    main()
