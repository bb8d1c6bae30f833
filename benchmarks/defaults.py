"""Is the default network the right one? Rows for results/defaults.csv.

    python -m benchmarks.defaults digits --answers 300 600 1347
    python -m benchmarks.defaults cifar10 --answers 300 1000 5000 50000
    python -m benchmarks.defaults packages --answers 300 1500 6000
    python -m benchmarks.defaults pictures --answers 300 1000 3000 --seeds 0 1

Uniform questions about half of the classes, one answer about each item. `digits` are pixels in a table of numbers,
`cifar10` features of EfficientNet-Lite0, `packages` those of wordllama. Each row is one trained network: linear
(solved, its penalty chosen by held-out answers), mlp, or the default: `OneOfClassifier()`, which does not know where
the array comes from; where an encoder made it, `oneof train` takes the linear layer below 5,000 answers without a
comparison. `pictures` are those of KMNIST, learned from their pixels by the two networks between which the default
decides by the number of items. Accuracy by labels that were never trained on. Rows that are there already are not run
again.
"""

import argparse
import time
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks import pages
from benchmarks.encoders import ask
from benchmarks.package_texts import SECTIONS, load_package_texts
from benchmarks.rows import append_rows, has_row
from oneof import OneOfClassifier, datasets, encoders
from oneof.classifier.linear import solve
from oneof.training import Config
from oneof.training.splits import split

ROWS = pages.RESULTS / "defaults.csv"
Split = tuple[NDArray[Any], NDArray[np.int64], NDArray[Any], NDArray[np.int64]]


def digits(seed: int) -> Split:
    """Pixels, 64 numbers per item."""
    train, test = datasets.load("digits", "train"), datasets.load("digits", "test")
    x, other = (part.images.reshape(len(part), -1) for part in (train, test))
    return x, train.labels, other, test.labels


def cifar10(seed: int) -> Split:
    """Features of photographs."""
    encoder = encoders.create("efficientnet-lite0")
    train, test = datasets.load("cifar10", "train"), datasets.load("cifar10", "test")
    return encoder.transform(train.images), train.labels, encoder.transform(test.images), test.labels


def packages(seed: int) -> Split:
    """Features of one-line texts; 2,000 of 8,000 are for the comparison."""
    _, texts, labels = load_package_texts(seed=seed)
    x = encoders.create("wordllama").transform(texts)
    return x[:6000], labels[:6000], x[6000:], labels[6000:]


def pictures(seed: int) -> Split:
    """Pictures, 28 x 28 pixels."""
    train, test = datasets.load("kmnist", "train"), datasets.load("kmnist", "test")
    return train.images, train.labels, test.images, test.labels


SOURCES = {"digits": digits, "cifar10": cifar10, "packages": packages, "pictures": pictures}
NETWORKS = {name: ("cnn", "cnn-quick") if name == "pictures" else ("linear", "mlp", "default") for name in SOURCES}


def predict(network: str, x: Any, answers: Any, test: Any, seed: int) -> tuple[NDArray[np.int64], str]:
    """The predictions of one trained network, and which one it was."""
    if network == "linear":
        training, _, _ = split(answers, Config().holdout, seed, None)  # the others train without these answers, too
        return solve(x, training, seed).predict_proba(test).argmax(axis=1), network
    model = OneOfClassifier(backbone="auto" if network == "default" else network, random_state=seed).fit(x, answers)
    return model.predict(test), model.config_.backbone


def run(data: str, counts: list[int], seeds: list[int]) -> None:
    """Train what is missing, and keep the rows."""
    for seed in seeds:
        x, labels, test, truth = SOURCES[data](seed)
        classes = len(SECTIONS) if data == "packages" else 10
        for count in counts:
            chosen = np.random.default_rng([seed, 0]).permutation(len(x))[:count]
            answers = ask(labels[chosen], classes, classes // 2, seed)
            for network in NETWORKS[data]:
                if has_row(ROWS, data=data, answers=count, seed=seed, network=network):
                    continue
                started = time.process_time()
                predictions, used = predict(network, x[chosen], answers, test, seed)
                row = {"data": data, "answers": count, "seed": seed, "network": network, "used": used}
                row |= {"accuracy": round(float((predictions == truth).mean()), 4)}
                row |= {"cpu_seconds": round(time.process_time() - started, 1)}
                print(row, flush=True)
                append_rows(ROWS, pd.DataFrame([row]))


def facts() -> dict[str, str]:
    """The tables of the pages, means over seeds: the default against the better of the two; networks for pictures."""
    everything = pd.read_csv(ROWS)
    rows = everything[everything["data"] != "pictures"]
    # Only seeds for which all three were run: the others would compare different answers.
    complete = (
        rows.pivot(index=["data", "answers", "seed"], columns="network", values="accuracy")
        .dropna()
        .groupby(level=[0, 1])
    )
    means, counted = complete.mean(), complete.size()
    shown = pd.DataFrame({"data": means.index.get_level_values(0)}, index=means.index)
    shown["answers"] = [f"{count:,}" for count in means.index.get_level_values(1)]
    for network in ("linear", "mlp", "default"):
        shown[network] = (100 * means[network]).map("{:.1f} %".format)
    gap = 100 * (means["default"] - means[["linear", "mlp"]].max(axis=1))
    shown["default less the better"] = gap.map("{:+.1f} points".format)
    shown["seeds"] = counted
    of_pictures = everything[everything["data"] == "pictures"].groupby(["answers", "network"])["accuracy"]
    networks = (100 * of_pictures.mean()).unstack().map("{:.1f} %".format).reset_index()
    networks["seeds"] = of_pictures.size().unstack().min(axis=1).to_numpy()
    networks["answers"] = networks["answers"].map("{:,}".format)
    return {"table": pages.table(shown), "worst": f"{-gap.min():.1f}", "pictures": pages.table(networks)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", choices=SOURCES)
    parser.add_argument("--answers", type=int, nargs="+", required=True)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    given = parser.parse_args()
    run(given.data, given.answers, given.seeds)
