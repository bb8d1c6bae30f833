"""How accurate are models on encoded items, by the number of answers? Rows for results/encoders.csv.

    python -m benchmarks.encoders cifar10 --answers 500 1000 2000 5000 --seeds 0 1 2
    python -m benchmarks.encoders packages --answers 1500 6000 --seeds 0 1 2

Each row is one trained model: uniform questions, one answer an item; the accuracy by labels that were never trained on,
beside the label-free one with its interval. `labels` has every label in place of an answer. Rows that are there already
are not run again.
"""

import argparse
import time
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import oneof
from benchmarks import pages
from benchmarks.package_texts import SECTIONS, load_package_texts
from oneof import Answers, UniformQueries, datasets, encoders, respond
from oneof.classifier import OneOfClassifier
from oneof.classifier.choosing import CANDIDATES, choose_encoder, fit_chosen
from oneof.classifier.linear import solve
from oneof.files.atomic import replacing
from oneof.items.loading import Items
from oneof.training import Config, Features, predict_classes

RESULTS = pages.RESULTS / "encoders.csv"
KEY = ["data", "encoder", "told", "answers", "seed"]


def append(row: dict[str, Any]) -> None:
    """Add a row to the committed results."""
    rows = pd.DataFrame([row])
    known = pd.read_csv(RESULTS) if RESULTS.is_file() else rows[:0]
    with replacing(RESULTS) as part:
        pd.concat([known, rows] if len(known) else [rows]).to_csv(part, index=False)
    print(row, flush=True)


def done(**key: Any) -> bool:
    """Whether there is such a row already."""
    if not RESULTS.is_file():
        return False
    known = pd.read_csv(RESULTS)
    return bool((known[list(key)].astype(str) == pd.Series(key).astype(str)).all(axis=1).any())


def ask(labels: NDArray[np.int64], classes: int, size: int, seed: int, names: list[str] | None = None) -> Answers:
    """One uniform question an item, answered without noise."""
    subsets = UniformQueries(classes, size).draw(len(labels), rng=np.random.default_rng([seed, 1]))
    return Answers(subsets, respond(subsets, labels), item_names=names)


def row_of(x: Any, answers: Answers, test: Any, truth: NDArray[np.int64], seed: int) -> dict[str, Any]:
    """Train as `oneof train` does, and compare with the labels of the test items."""
    started = time.perf_counter()
    fitted = fit_chosen(x, answers, Config(seed=seed), encoded=True)
    seconds = time.perf_counter() - started
    accuracy = float((predict_classes(fitted.network, Features(test)) == truth).mean())
    assert fitted.accuracy is not None
    judged = {"label_free": fitted.accuracy.value, "low": fitted.accuracy.low, "high": fitted.accuracy.high}
    return {"network": fitted.config.backbone, "accuracy": accuracy, **judged, "seconds": round(seconds, 1)}


def with_labels(x: Any, labels: NDArray[np.int64], classes: int, test: Any, truth: Any) -> dict[str, Any]:
    """The better of the linear layer and, where there is much data, hidden layers, told every label."""
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
            if not done(**key, told="answers"):
                asked = ask(train.labels[rows], 10, 5, seed)
                append({**key, "told": "answers", **row_of(x[rows], asked, other, test.labels, seed)})
            if not done(**key, told="labels"):
                append({**key, "told": "labels", **with_labels(x[rows], train.labels[rows], 10, other, test.labels)})


def packages(counts: list[int], seeds: list[int]) -> None:
    """One-line descriptions of packages in twelve sections; 2,000 of the 8,000 are for the comparison."""
    for seed in seeds:
        names, texts, labels = load_package_texts(seed=seed)
        test, truth = texts[6000:], labels[6000:]
        for answers in counts:
            asked = ask(labels[:answers], len(SECTIONS), 6, seed, names[:answers])
            all_texts = np.empty(6000, dtype=object)
            all_texts[:] = texts[:6000]
            items = Items(all_texts, np.array(names[:6000]), kind="texts")
            key = {"data": "packages", "answers": answers, "seed": seed}
            for name in (*CANDIDATES["texts"], "auto"):
                if done(**key, encoder=name, told="answers"):
                    continue
                chosen = choose_encoder(items, asked, name)
                aligned = chosen.items.align(asked)
                row = row_of(chosen.items.x, aligned, chosen.encoder.transform(test), truth, seed)
                append({**key, "encoder": name, "told": "answers", **row, "chosen": chosen.encoder.name})
            if not done(**key, encoder="words+wordllama", told="labels"):
                encoder = encoders.create("words+wordllama").fit(texts[:6000])
                x, other = encoder.transform(texts[:answers]), encoder.transform(test)
                row = with_labels(x, labels[:answers], len(SECTIONS), other, truth)
                append({**key, "encoder": "words+wordllama", "told": "labels", **row})


def facts() -> dict[str, str]:
    """The tables of the page: means over the seeds, and how often the label-free interval held the true accuracy."""
    rows = pd.read_csv(RESULTS)
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
            "told": found["told"],
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
    told = rows[(rows["data"] == "cifar10") & (rows["told"] == "answers") & (rows["answers"] == 2000)]
    tables["photographs"] = f"{100 * told['accuracy'].mean():.0f} %"
    return tables | {
        "from-nothing": f"{best['accuracy_mean'].item():.1f} %",
        "paper": f"{best['paper_best'].item():.1f} %",
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", choices=["cifar10", "packages"])
    parser.add_argument("--answers", type=int, nargs="+", required=True)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    given = parser.parse_args()
    print(f"oneof {oneof.__version__}")
    {"cifar10": cifar10, "packages": packages}[given.data](given.answers, given.seeds)
