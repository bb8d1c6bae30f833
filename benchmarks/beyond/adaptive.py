"""Accuracy against the number of answers: uniform questions of 1, 3 and 5 labels, and adaptive ones. Five seeds.

    ONEOF_DATA=... python -m benchmarks.beyond.adaptive digits
    ONEOF_DATA=... python -m benchmarks.beyond.adaptive mnist      # 4000 training and 2000 test images of MNIST

The count of adaptive answers includes the tenth of them that is uniform and only judges; uniform runs train on all.
Writes results/beyond/adaptive_NAME.csv and .png; with --draw, only the figure.
"""

import sys
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from benchmarks.beyond.common import (
    COLOURS,
    MARKERS,
    SEEDS,
    accuracy,
    classifier,
    images,
    kept,
    panels,
    run,
    uniform_answers,
)
from oneof.planning.simulation import simulate_adaptive

UNIFORM = {"digits": (200, 400, 700, 1347), "mnist": (500, 1000, 2000, 4000)}
ADAPTIVE: dict[str, Any] = {
    "digits": {"budget": 700, "batch": 75, "start": 100},
    "mnist": {"budget": 2000, "batch": 200, "start": 400},
}
ITEMS = {"digits": (None, None), "mnist": (4000, 2000)}
EPOCHS = {"digits": 60, "mnist": 40}
LABEL_FREE = {"accuracy": "label_free_accuracy", "low": "label_free_low", "high": "label_free_high"}


def measure(name: str) -> pd.DataFrame:
    return pd.concat([measure_one(name, seed) for seed in SEEDS], ignore_index=True)


def measure_one(name: str, seed: int) -> pd.DataFrame:
    X, labels = images(name, "train", ITEMS[name][0])
    X_test, truth = images(name, "test", ITEMS[name][1])
    rows: list[Any] = []

    def new() -> Any:
        return classifier(seed, X[0].size, epochs=EPOCHS[name])

    def tested(model: Any) -> dict[str, float]:
        return {"test_accuracy": accuracy(model, X_test, truth)}

    for size in (1, 3, 5):
        for count in UNIFORM[name]:
            figures = tested(new().fit(X, uniform_answers(labels, size, count, seed)))
            rows.append({"questions": f"uniform, m = {size}", "answers": count, **figures})
    played = simulate_adaptive(new(), X, labels, 10, seed=seed, strategy="spread", report=tested, **ADAPTIVE[name])
    history = played.history.rename(columns=LABEL_FREE)
    history[list(LABEL_FREE.values())] *= 100
    rows += history.assign(questions="adaptive").to_dict(orient="records")
    table = pd.DataFrame(rows).assign(seed=seed)
    print(seed, table.groupby("questions")["test_accuracy"].max().to_dict(), flush=True)
    return table[["questions", "seed", "answers", "labels_shown", "test_accuracy", *LABEL_FREE.values()]]


def draw(rows: pd.DataFrame) -> Figure:
    figure, (axes,) = panels(1, width=5.0, height=3.6)
    for (questions, part), colour, marker in zip(rows.groupby("questions"), COLOURS, MARKERS, strict=False):
        over_seeds = part.groupby("answers")["test_accuracy"].agg(["mean", "std"])
        axes.plot(over_seeds.index, over_seeds["mean"], marker=marker, markersize=4, color=colour, label=questions)
        low, high = over_seeds["mean"] - over_seeds["std"], (over_seeds["mean"] + over_seeds["std"]).clip(upper=100)
        axes.fill_between(over_seeds.index, low, high, color=colour, alpha=0.18, linewidth=0)
    axes.set_xlabel("answers")
    axes.set_ylabel("test accuracy (%)")
    axes.set_title("mean and standard deviation over five seeds", fontsize="medium")
    axes.legend(frameon=False)
    return figure


def facts() -> dict[str, str]:
    """Texts for the pages: how few adaptive answers were as good as all uniform ones with five labels."""
    found = {}
    for name in UNIFORM:
        mean = kept(f"adaptive_{name}").groupby(["questions", "answers"])["test_accuracy"].mean()
        uniform, adaptive = mean["uniform, m = 5"], mean["adaptive"]
        all_of_them = uniform.index.max()
        enough = adaptive.index[adaptive >= uniform[all_of_them]].min()
        found[name] = (
            f"{enough} adaptive answers gave {adaptive[enough]:.1f} %, {all_of_them} uniform ones of five labels "
            f"{uniform[all_of_them]:.1f} %"
        )
    return found


if __name__ == "__main__":
    chosen = sys.argv.pop(1) if len(sys.argv) > 1 else ""
    if chosen not in UNIFORM:
        sys.exit(f"say which data set: {' or '.join(UNIFORM)}")
    run(f"adaptive_{chosen}", lambda: measure(chosen), draw, __doc__ or "")
