"""Does it help to average predictions over views of a picture, which costs no training, or to use PRODEN?

    ONEOF_DATA=... python -m benchmarks.views fashionmnist likelihood proden labels --seeds 0

The strided network on 10,000 pictures, one uniform question of three labels each (`labels`: every label instead), for
twelve epochs. The views are those of `oneof.training.views`. Each row of results/views.csv has the accuracy on the test
pictures, and what an annotator's answers about 2,000 other pictures say without labels: their mean log-likelihood, by
which a choice would be made.
"""

import argparse
import os
from typing import Any, cast

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from benchmarks.pages import RESULTS, table
from benchmarks.rows import append_rows, has_row
from oneof import Answers, OneOfClassifier, UniformQueries, datasets, respond
from oneof.training.network import Network
from oneof.training.views import WAYS

ROWS = RESULTS / "views.csv"
ITEMS, HELD_OUT, SIZE, EPOCHS = 10_000, 2000, 3, 12


def averaged(model: OneOfClassifier, pictures: NDArray[Any]) -> dict[str, NDArray[np.float64]]:
    """Probabilities by the kind of averaging, (n, k) each."""
    found, network = {}, cast(Network, model.network_)
    for way in WAYS:
        network.views = way
        found[way] = model.predict_proba(pictures)
    return found


def measure(data: str, told: str, seed: int) -> pd.DataFrame:
    """Train once, and judge by every kind of averaging. told: an objective, or "labels" for every label."""
    train, test = datasets.load(data, "train"), datasets.load(data, "test")
    rows = np.random.default_rng([seed, 0]).permutation(len(train))[: ITEMS + HELD_OUT]
    pictures, labels = train.images[rows], train.labels[rows]
    subsets = UniformQueries(10, SIZE).draw(len(rows), rng=np.random.default_rng([seed, 1]))
    responses = respond(subsets, labels)
    model = OneOfClassifier(
        backbone="cnn-strided", objective="likelihood" if told == "labels" else told, epochs=EPOCHS, holdout=0.0,
        random_state=seed,
    )  # fmt: skip
    model.fit(pictures[:ITEMS], labels[:ITEMS] if told == "labels" else Answers(subsets[:ITEMS], responses[:ITEMS]))
    consistent = Answers(subsets[ITEMS:], responses[ITEMS:]).consistent
    of_test, of_held = averaged(model, test.images), averaged(model, pictures[ITEMS:])
    found = [
        {
            "views": views,
            "accuracy": float((of_test[views].argmax(axis=1) == test.labels).mean()),
            "held_out_log_likelihood": float(np.log((of_held[views] * consistent).sum(axis=1).clip(1e-12, 1)).mean()),
        }
        for views in of_test
    ]
    return pd.DataFrame(found).assign(data=data, told=told, seed=seed)[["data", "told", "seed", *found[0]]]


def facts() -> dict[str, str]:
    """Texts for the pages, from the rows."""
    rows = pd.read_csv(ROWS)
    means = rows.groupby(["data", "told", "views"], sort=False)[["accuracy", "held_out_log_likelihood"]].mean()
    shown = means.reset_index().assign(
        accuracy=lambda found: (100 * found["accuracy"]).map("{:.1f} %".format),
        held_out_log_likelihood=lambda found: found["held_out_log_likelihood"].map("{:.4f}".format),
    )
    return {
        "table": table(
            shown.rename(columns={"told": "objective", "held_out_log_likelihood": "held-out log-likelihood"})
        )
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", choices=("fashionmnist", "kmnist"))
    parser.add_argument("told", nargs="+", choices=("likelihood", "proden", "labels"))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    options = parser.parse_args()
    torch.set_num_threads(1)
    for told in options.told:
        for seed in options.seeds:
            if not has_row(ROWS, data=options.data, told=told, seed=seed):
                rows = measure(options.data, told, seed)
                append_rows(ROWS, rows, float_format="%.6g")
                print(rows, flush=True)


if __name__ == "__main__":
    main()
