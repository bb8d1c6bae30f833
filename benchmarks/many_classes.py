"""How many questions until 80 % and 85 %, with at most five labels shown? Adaptive against uniform questions.

    ONEOF_DATA=... python -m benchmarks.many_classes letters adaptive --seeds 0 1 2
    ONEOF_DATA=... python -m benchmarks.many_classes letters uniform-5 uniform-13 --seeds 0 1 2
    ONEOF_DATA=... python -m benchmarks.many_classes cifar10 watch uniform-5 --seeds 10 11 12 13 --budget 1000

Data: `digits` (10 classes, pixels), `cifar10` (10, features of EfficientNet-Lite0, a pool of 6,000 pictures),
`fashionmnist` (10, histograms of gradients, 6,000), `letters` (EMNIST, 26 classes, histograms of gradients, 6,000;
groups: A to F, G to M, ..., A to M, N to Z), `joined` (the classes of MNIST, KMNIST, FashionMNIST and the letters, 56,
histograms of gradients, 12,000; groups: digits, kana, clothes, and those of the letters) and `characters` (100 letters
of five scripts, see benchmarks/characters.py, 6,000; groups: the scripts).
One linear layer throughout, with the same penalty for every way of asking.

`adaptive` compares the strategies label-free after the start (`rehearse`), counts the tenth of the questions that only
judges, and sees groups as one label each. `uniform-M` shows M labels, asks about every item once before it asks about
one again, and trains on every answer. `watch` asks as uniform-5 does until the model foresees enough of the answers.
`labels` trains on every label of the pool.
Rows go to results/many_classes.csv, one for each training; runs that are there are not done again.
"""

import argparse
import os
from itertools import chain
from typing import Any, Literal

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.characters import PARENTS, draw_characters, gradients
from benchmarks.pages import RESULTS, table
from benchmarks.rows import append_rows, has_row
from oneof import Answers, datasets, encoders
from oneof.classifier.linear import LinearClassifier
from oneof.encoders.cache import cache_folder
from oneof.files.atomic import replacing
from oneof.planning.simulation import simulate_adaptive
from oneof.queries.groups import Groups

ROWS = RESULTS / "many_classes.csv"
POOL, TEST = 6000, 3000
RANGES = ["A to M/A to F"] * 6 + ["A to M/G to M"] * 7 + ["N to Z/N to S"] * 6 + ["N to Z/T to Z"] * 7
JOINED = {"mnist": ["digits"] * 10, "kmnist": ["kana"] * 10, "fashionmnist": ["clothes"] * 10, "emnist_letters": RANGES}
"""The parts of `joined`, and the groups of their classes."""
GRADIENTS = ("letters", "fashionmnist", "joined")
PENALTY = {"digits": 3e-5, "cifar10": 1e-4, "fashionmnist": 3e-5, "letters": 3e-5, "joined": 3e-5, "characters": 3e-5}
CLASSES = {"digits": 10, "cifar10": 10, "fashionmnist": 10, "letters": 26, "joined": 56, "characters": 100}
GROUPS = {"letters": RANGES, "joined": [*chain(*JOINED.values())], "characters": PARENTS}
START = {"digits": 100, "cifar10": 100, "fashionmnist": 100, "letters": 260, "joined": 560, "characters": 1000}
BATCH = {"digits": 50, "cifar10": 100, "fashionmnist": 100, "letters": 200, "joined": 400, "characters": 400}
BUDGET = {"digits": 700, "cifar10": 1500, "fashionmnist": 1000, "letters": 2460, "joined": 6160, "characters": 4200}
UNIFORM = {
    "digits": (50, 700),
    "cifar10": (100, 1500),
    "fashionmnist": (100, 1000),
    "letters": (400, 6000),
    "joined": (1500, 18_000),
    "characters": (3000, 30_000),
}
"""Step and last number of answers of uniform runs."""
FRESH = 10
"""Runs with this seed or a larger one had no part in the development."""


def load(data: str) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.float32], NDArray[np.int64]]:
    """Features and labels of the pool and of the test items, kept in the cache folder."""
    kept = cache_folder() / "many_classes" / f"{data}.npz"
    if not kept.is_file():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with replacing(kept) as part, part.open("wb") as file:
            np.savez(file, *_computed(data))
    with np.load(kept) as arrays:
        x, labels, test, truth = (arrays[name] for name in arrays.files)
    return x, labels, test, truth


def _computed(data: str) -> tuple[NDArray[Any], ...]:
    if data == "characters":
        pictures, labels = draw_characters(POOL + TEST, seed=0)
        x = gradients(pictures)
        return x[:POOL], labels[:POOL], x[POOL:], labels[POOL:]
    names = {"letters": ["emnist_letters"], "joined": list(JOINED)}.get(data, [data])
    parts: list[NDArray[Any]] = []
    splits: dict[Literal["train", "test"], int] = {"train": POOL, "test": TEST}
    for split, count in splits.items():
        found, first = [], 0
        for name in names:
            source = datasets.load(name, split)
            rows = np.random.default_rng(0).permutation(len(source))[: count if len(names) == 1 else count // 2]
            found.append((source.images[rows], source.labels[rows] + first))
            first += len(source.class_names)
        pictures, labels = (np.concatenate(part) for part in zip(*found, strict=True))
        if data == "cifar10":
            parts += [encoders.create("efficientnet-lite0").transform(pictures), labels]
        elif data in GRADIENTS:
            parts += [gradients(pictures), labels]
        else:
            parts += [pictures.reshape(len(pictures), -1).astype(np.float32), labels]
    return tuple(parts)


def play(data: str, asking: str, seed: int, budget: int | None = None) -> pd.DataFrame:
    """A row for each training of one run. budget: the last number of answers, if not the usual one."""
    x, labels, test, truth = load(data)
    k = CLASSES[data]

    def tested(model: Any) -> dict[str, float]:
        return {"test": float((model.predict_proba(test).argmax(axis=1) == truth).mean())}

    columns = ["data", "asking", "seed", "answers", "labels_shown", "strategy", "test", "accuracy", "low", "high"]
    model = LinearClassifier(penalty=PENALTY[data])
    if asking == "labels":
        row = {"data": data, "asking": asking, "seed": seed, "answers": len(labels), "labels_shown": 0, "strategy": ""}
        return pd.DataFrame([row | tested(model.fit(x, Answers.from_labels(labels, k)))], columns=columns)
    settings: dict[str, Any] = {"start": START[data], "batch": BATCH[data], "budget": BUDGET[data], "largest": 5}
    if asking == "adaptive":
        groups = Groups.from_parents(GROUPS[data]) if data in GROUPS else None
        settings |= {"strategy": "rehearse", "groups": groups}
    elif asking.startswith("uniform-"):
        step, last = UNIFORM[data]
        size = int(asking.removeprefix("uniform-"))
        settings |= {"strategy": "uniform", "start": step, "batch": step, "budget": last, "largest": None}
        settings |= {"start_size": size, "uniform_share": 0.0}
    else:
        settings |= {"strategy": asking}
        if asking == "watch":
            settings["start"] = UNIFORM[data][0]
    settings["budget"] = budget or settings["budget"]
    played = simulate_adaptive(
        model, x, labels, k, seed=seed, report=tested, progress=lambda row: print(row, flush=True), **settings
    )
    return played.history.assign(data=data, asking=asking, seed=seed)[columns]


def questions_until(target: float, run: pd.DataFrame) -> float:
    """The number of answers from which on a run stays above the target, interpolated between trainings; or infinite."""
    run = run.sort_values("answers")
    above = run["test"].to_numpy() >= target
    if not above[-1]:
        return float("inf")
    first = len(above) - int(np.argmin(above[::-1])) if not above.all() else 0
    if first == 0:
        return float(run["answers"].iloc[0])
    pair = run.iloc[first - 1 : first + 1]
    return float(np.interp(target, pair["test"], pair["answers"]))


def facts() -> dict[str, str]:
    """Texts for the pages, from the rows."""
    rows = pd.read_csv(ROWS)
    fresh, labels = rows[(rows["seed"] >= FRESH) & (rows["asking"] != "labels")], rows[rows["asking"] == "labels"]
    many = fresh["data"] == "joined"
    return {
        "table": table(reached(rows[rows["seed"] < FRESH])),
        "fresh": table(reached(fresh[many], (0.7, 0.8))),
        "watch": table(watched(fresh[~many])),
        "ceiling": f"{100 * labels.loc[labels['data'] == 'joined', 'test'].mean():.1f} %",
    }


def reached(rows: pd.DataFrame, targets: tuple[float, float] = (0.8, 0.85)) -> pd.DataFrame:
    """Questions until each target, by data set and way of asking."""
    shown = []
    for data, k in CLASSES.items():
        runs = rows[rows["data"] == data]
        if runs.empty:
            continue
        needed: dict[str, dict[float, list[float]]] = {}
        for (asking, _), run in runs.groupby(["asking", "seed"]):
            for target in targets:
                needed.setdefault(str(asking), {}).setdefault(target, []).append(questions_until(target, run))
        for asking, found in sorted(needed.items()):
            line = {"data": data, "classes": k, "asking": asking, "seeds": len(found[targets[0]])}
            for target, counts in found.items():
                mean, last = float(np.mean(counts)), runs.loc[runs["asking"] == asking, "answers"].max()
                line[f"until {target:.0%}"] = f"{mean:,.0f}" if np.isfinite(mean) else f"over {last:,}"
                few = needed.get("uniform-5", {}).get(target, [np.nan])
                line[f"of uniform-5, {target:.0%}"] = _share(mean, float(np.mean(few)), runs)
            shown.append(line)
    return pd.DataFrame(shown)


def watched(rows: pd.DataFrame) -> pd.DataFrame:
    """The strategy "watch" beside uniform questions: accuracies on the way, and questions for equal accuracy."""
    found = []
    for data, runs in rows.groupby("data", sort=False):
        means = runs.pivot_table(index="answers", columns="asking", values="test").dropna()
        answers = np.asarray(means.index, dtype=np.float64)
        mine, uniform = np.asarray(means["watch"]), np.asarray(means["uniform-5"])
        # How many questions "watch" needed for the accuracy of uniform ones, relative to what those needed.
        reached = np.maximum.accumulate(uniform)
        ratios = np.interp(reached, np.maximum.accumulate(mine), answers, right=np.inf) / answers
        line: dict[str, Any] = {"data": data, "seeds": runs["seed"].nunique()}
        for share in (0.25, 0.5, 1.0):
            pair = (np.interp(share * answers[-1], answers, accuracy) for accuracy in (mine, uniform))
            line[f"at {share:.0%} of the answers"] = " / ".join(f"{100 * accuracy:.1f}" for accuracy in pair)
        for name, ratio in (("questions, at worst", ratios.max()), ("questions, at the end", ratios[-1])):
            line[name] = f"{ratio:.2f}" if np.isfinite(ratio) else "not reached"
        found.append(line)
    return pd.DataFrame(found)


def _share(mine: float, uniform: float, rows: pd.DataFrame) -> str:
    """Questions relative to uniform-5; where uniform-5 never reaches the target, a bound by its last number."""
    if not np.isfinite(mine) or np.isnan(uniform):
        return ""
    last = float(rows.loc[rows["asking"] == "uniform-5", "answers"].max())
    return f"{mine / uniform:.2f}" if np.isfinite(uniform) else f"below {mine / last:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", choices=CLASSES)
    parser.add_argument("asking", nargs="+", help="adaptive, uniform-M, or one strategy: spread, finish or watch")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--budget", type=int, help="the last number of answers")
    options = parser.parse_args()
    for asking in options.asking:
        for seed in options.seeds:
            if not has_row(ROWS, data=options.data, asking=asking, seed=seed):
                append_rows(ROWS, play(options.data, asking, seed, options.budget), float_format="%.6g")


if __name__ == "__main__":
    main()
