"""How accurate are models on encoded items, by the number of answers? Rows for results/encoders.csv.

    python -m benchmarks.encoders cifar10 --answers 500 1000 2000 5000 --seeds 0 1 2
    python -m benchmarks.encoders scratch --answers 500 2000 --seeds 0      # CIFAR-10 from its pixels; minutes a row
    python -m benchmarks.encoders packages --answers 1500 6000 --seeds 0 1 2

Each row is one trained model: uniform questions, one answer about each item; the accuracy by labels that were never
trained on, beside the label-free one with its interval. Where the column `told` is "labels", the model got every label
in place of an answer. Rows that are there already are not run again.
"""

import argparse
import time
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks import pages
from benchmarks.package_texts import SECTIONS, load_package_texts
from benchmarks.rows import append_rows, has_row
from oneof import Answers, UniformQueries, datasets, encoders, respond
from oneof.classifier import OneOfClassifier
from oneof.classifier.choosing_encoders import CANDIDATES, choose_encoder
from oneof.classifier.choosing_networks import fit_chosen
from oneof.classifier.linear import solve
from oneof.items.loading import Items
from oneof.training import Config, Features, predict_classes

ROWS = pages.RESULTS / "encoders.csv"


def append(row: dict[str, Any]) -> None:
    """Print a row, and add it to the committed results."""
    append_rows(ROWS, pd.DataFrame([row]))
    print(row, flush=True)


def ask(labels: NDArray[np.int64], classes: int, size: int, seed: int, names: list[str] | None = None) -> Answers:
    """One uniform question about each item, answered without noise. names: of the items."""
    subsets = UniformQueries(classes, size).draw(len(labels), rng=np.random.default_rng([seed, 1]))
    return Answers(subsets, respond(subsets, labels), item_names=names)


def row_of(
    x: Any, answers: Answers, test: Any, truth: NDArray[np.int64], seed: int, *, encoded: bool = True
) -> dict[str, Any]:
    """Train as `oneof train` does, and compare with the labels of the test items."""
    started = time.perf_counter()
    items = Features(x)
    fitted = fit_chosen(items, answers, Config(seed=seed), encoded=encoded)
    seconds = time.perf_counter() - started
    accuracy = float((predict_classes(fitted.network, Features(test)) == truth).mean())
    assert fitted.accuracy is not None
    judged = {"label_free": fitted.accuracy.value, "low": fitted.accuracy.low, "high": fitted.accuracy.high}
    return {
        "network": fitted.config.backbone,
        "accuracy": accuracy,
        **judged,
        "seconds": round(seconds, 1),
    }


def with_labels(x: Any, labels: NDArray[np.int64], classes: int, test: Any, truth: Any) -> dict[str, Any]:
    """The better of a linear layer and, where there is much data, hidden layers, trained with every label."""
    started = time.perf_counter()
    exact = Answers(np.eye(classes, dtype=np.bool_)[labels], np.ones(len(labels), dtype=np.bool_))
    found = {"linear": float((solve(x, exact).predict_proba(test).argmax(axis=1) == truth).mean())}
    if len(labels) >= 50_000:
        hidden = OneOfClassifier(backbone="mlp", holdout=0.0, random_state=0).fit(x, labels)
        found["mlp"] = float((hidden.predict(test) == truth).mean())
    network = max(found, key=lambda name: found[name])
    return {"network": network, "accuracy": found[network], "seconds": round(time.perf_counter() - started, 1)}


def cifar10(counts: list[int], seeds: list[int]) -> None:
    """Photographs of 32 pixels, scaled up for EfficientNet-Lite0."""
    train, test = datasets.load("cifar10", "train"), datasets.load("cifar10", "test")
    encoder = encoders.create("efficientnet-lite0")
    x, other = (encoder.transform(part.images) for part in (train, test))
    for answers in counts:
        for seed in seeds:
            rows = np.random.default_rng([seed, 0]).permutation(len(x))[:answers]
            key = {"data": "cifar10", "encoder": encoder.name, "answers": answers, "seed": seed}
            if not has_row(ROWS, **key, told="answers"):
                given = ask(train.labels[rows], 10, 5, seed)
                append({**key, "told": "answers", **row_of(x[rows], given, other, test.labels, seed)})
            if not has_row(ROWS, **key, told="labels"):
                append({**key, "told": "labels", **with_labels(x[rows], train.labels[rows], 10, other, test.labels)})


def scratch(counts: list[int], seeds: list[int]) -> None:
    """The same photographs, questions and answers, with a network that is trained on the pixels from scratch."""
    train, test = datasets.load("cifar10", "train"), datasets.load("cifar10", "test")
    for answers in counts:
        for seed in seeds:
            rows = np.random.default_rng([seed, 0]).permutation(len(train.images))[:answers]
            key = {"data": "cifar10", "encoder": "pixels", "answers": answers, "seed": seed, "told": "answers"}
            if not has_row(ROWS, **key):
                given = ask(train.labels[rows], 10, 5, seed)
                append({**key, **row_of(train.images[rows], given, test.images, test.labels, seed, encoded=False)})


def packages(counts: list[int], seeds: list[int]) -> None:
    """One-line descriptions of packages in twelve sections; 2,000 of the 8,000 are for the comparison."""
    for seed in seeds:
        names, texts, labels = load_package_texts(seed=seed)
        test, truth = texts[6000:], labels[6000:]
        for answers in counts:
            given = ask(labels[:answers], len(SECTIONS), 6, seed, names[:answers])
            items = Items(np.array(texts[:6000], dtype=object), np.array(names[:6000]), kind="texts")
            key = {"data": "packages", "answers": answers, "seed": seed}
            for name in (*CANDIDATES["texts"], "auto"):
                if has_row(ROWS, **key, encoder=name, told="answers"):
                    continue
                chosen = choose_encoder(items, given, name)
                aligned = chosen.items.align(given)
                row = row_of(chosen.items.x, aligned, chosen.encoder.transform(test), truth, seed)
                append({**key, "encoder": name, "told": "answers", **row, "chosen": chosen.encoder.name})
            if not has_row(ROWS, **key, encoder="words+wordllama", told="labels"):
                encoder = encoders.create("words+wordllama").fit(texts[:6000])
                x, other = encoder.transform(texts[:answers]), encoder.transform(test)
                row = with_labels(x, labels[:answers], len(SECTIONS), other, truth)
                append({**key, "encoder": "words+wordllama", "told": "labels", **row})


def facts() -> dict[str, str]:
    """The tables of the page: means over the seeds, and how often the label-free interval held the true accuracy."""
    rows = pd.read_csv(ROWS)
    rows["held"] = (rows["low"] <= rows["accuracy"]) & (rows["accuracy"] <= rows["high"])
    tables = {}
    for data, part in rows.groupby("data"):
        found = part.groupby(["told", "encoder", "answers"], as_index=False).agg(
            accuracy=("accuracy", "mean"),
            label_free=("label_free", "mean"),
            held=("held", "sum"),
            seeds=("seed", "nunique"),
        )
        judged = found["told"] == "answers"
        shown = {
            "trained on": found["told"],
            "encoder": found["encoder"],
            "items": found["answers"].map("{:,}".format),
            "accuracy": (100 * found["accuracy"]).map("{:.1f} %".format),
            "label-free": (100 * found["label_free"]).map("{:.1f} %".format).where(judged, ""),
            "intervals that held": (found["held"].astype(str) + " of " + found["seeds"].astype(str)).where(judged, ""),
            "seeds": found["seeds"],
        }
        tables[str(data)] = pages.table(pd.DataFrame(shown))
    board = pd.read_csv(pages.RESULTS / "leaderboard.csv")
    best = board[(board["dataset"] == "CIFAR-10") & (board["p_yes"] == 0.5) & (board["objective"] == "Likelihood")]
    some = rows[(rows["encoder"] == "efficientnet-lite0") & (rows["told"] == "answers") & (rows["answers"] == 2000)]
    tables["photographs"] = f"{100 * some['accuracy'].mean():.0f} %"
    return tables | {
        "from-nothing": f"{best['accuracy_mean'].item():.1f} %",
        "paper": f"{best['paper_best'].item():.1f} %",
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", choices=["cifar10", "scratch", "packages"])
    parser.add_argument("--answers", type=int, nargs="+", required=True)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    options = parser.parse_args()
    {"cifar10": cifar10, "scratch": scratch, "packages": packages}[options.data](options.answers, options.seeds)
