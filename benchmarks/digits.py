"""Digits from one yes/no answer an item: accuracy and the coverage of the label-free interval, over seeds.

    python -m benchmarks.digits            # writes results/digits.csv, one row a run

The likelihood for questions about 3, 5 and 7 labels; URE, NN and ABS with the GCE loss for 3. Each run trains
`OneOfClassifier` as it comes on the 1347 training items, and is judged by one answer about each of the 450 test items.
"""

import csv
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

import oneof
from oneof import Answers, OneOfClassifier, UniformQueries, respond
from oneof.datasets import load
from oneof.files.atomic import replacing

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
    asked, asked_later = queries.draw(len(training), rng), queries.draw(len(test), rng)
    answers = Answers(asked, respond(asked, training.labels))
    judging = Answers(asked_later, respond(asked_later, test.labels))

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
        "k": 10,
        "m": size,
        "objective": objective,
        "loss": config.loss or "",
        "backbone": config.backbone,
        "optimizer": config.optimizer,
        "learning_rate": config.learning_rate,
        "weight_decay": config.weight_decay,
        "batch_size": config.batch_size,
        "epochs": config.epochs,
        "holdout": config.holdout,
        "selection": config.selection,
        "seed": seed,
        "test_accuracy": round(accuracy, 6),
        "label_free": round(estimate.value, 6),
        "low": round(estimate.low, 6),
        "high": round(estimate.high, 6),
        "covered": estimate.low <= accuracy <= estimate.high,
        "negative_batches": round(float(np.mean([row["negative"] for row in model.history_])), 4),
        "seconds": round(seconds, 2),
        "version": oneof.__version__,
        "torch": torch.__version__,
    }


def main(out: Path = Path("results/digits.csv")) -> None:
    """Run every case with every seed and write the rows."""
    torch.set_num_threads(1)
    rows = []
    for size, objective, loss in CASES:
        cell = [run(size, objective, loss, seed) for seed in SEEDS]
        accuracies = np.array([row["test_accuracy"] for row in cell])
        covered = sum(row["covered"] for row in cell)
        print(
            f"m={size} {objective:10s} test accuracy {accuracies.mean():.2%} (sd {accuracies.std(ddof=1):.2%}), "
            f"interval covers {covered} of {len(cell)}, {cell[0]['seconds']:.1f} s a run",
            flush=True,
        )
        rows += cell
    out.parent.mkdir(parents=True, exist_ok=True)
    with replacing(out) as part, part.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    print(out)


if __name__ == "__main__":
    main()
