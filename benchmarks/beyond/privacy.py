"""What privacy costs on digits, m = 5: accuracy under randomised response beside what was predicted. Five seeds.

    python -m benchmarks.beyond.privacy

The prediction: n private answers are worth n / c open ones, with c either the least factor of linear estimates,
((e^eps + 1)/(e^eps - 1))^2, or the ratio of bits per answer, both as `oneof plan` prints them; the accuracy of so many
open answers is measured. Less jitter is tried at epsilon = 1, to see what overfitting does. Writes
results/beyond/privacy.csv and .png; with --draw, only the figure.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
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
from oneof import plan
from oneof.noise.privacy import cost, privatise

EPSILONS = (1.0, 2.0, 4.0)
JITTER, LESS = 1.1, 0.8
SETTINGS: dict[str, Any] = {"epochs": 80, "batch_size": 128}


def measure() -> pd.DataFrame:
    rows = []
    for seed in SEEDS:
        for epsilon in EPSILONS:
            rows += [measure_one(JITTER, epsilon, kind, seed) for kind in WORTH]
        rows.append(measure_one(JITTER, np.inf, "open", seed))
        rows += [measure_one(LESS, 1.0, kind, seed) for kind in ("private", "predicted, bits")]
    return pd.DataFrame(rows)


def measure_one(jitter: float, epsilon: float, kind: str, seed: int) -> dict[str, Any]:
    X, labels = images("digits", "train")
    count = len(X) if kind == "open" else round(len(X) * WORTH[kind](epsilon))
    answers = uniform_answers(labels, 5, count, seed)
    if kind == "private":
        answers = privatise(answers, epsilon, rng=np.random.default_rng([seed, 77]))
    model = classifier(seed, jitter=jitter, **SETTINGS).fit(X, answers)
    row = {"jitter": jitter, "epsilon": epsilon, "kind": kind, "seed": seed, "answers": count}
    row |= {"test_accuracy": accuracy(model, *images("digits", "test"))}
    print(row, flush=True)
    return row


def _bits(epsilon: float | None) -> float:
    table = plan(10, 0.9, 0.1, epsilon=epsilon)
    return float(table["bits"].to_numpy()[table["size"] == 5][0])


WORTH: dict[str, Callable[[float], float]] = {
    "private": lambda epsilon: 1.0,
    "predicted, linear": lambda epsilon: 1 / cost(epsilon),
    "predicted, bits": lambda epsilon: _bits(epsilon) / _bits(None),
}
"""How many open answers a private one should be worth."""


def draw(rows: pd.DataFrame) -> Figure:
    rows = rows[rows["jitter"] == JITTER]
    figure, (axes,) = panels(1, width=4.8, height=3.4)
    open_ = rows[rows["kind"] == "open"]["test_accuracy"].mean()
    axes.axhline(open_, color="#666666", linestyle="--", linewidth=0.9, label=f"without privacy: {open_:.1f}")
    for place, kind in enumerate(WORTH):
        over_seeds = rows[rows["kind"] == kind].groupby("epsilon")["test_accuracy"].agg(["mean", "std"])
        axes.errorbar(np.arange(3) + 0.08 * (place - 1), over_seeds["mean"], over_seeds["std"], color=COLOURS[place],
                      marker=MARKERS[place], markersize=5, linewidth=1.2, elinewidth=0.8, capsize=2,
                      label="measured" if kind == "private" else kind)  # fmt: skip
    axes.set_xticks(range(3), [f"epsilon = {epsilon:g}" for epsilon in EPSILONS])
    axes.set_ylabel("test accuracy (%)")
    axes.legend(frameon=False, fontsize="small", loc="lower right")
    return figure


def facts() -> dict[str, str]:
    """Texts for the pages, from the rows."""
    mean = kept("privacy").groupby(["jitter", "kind", "epsilon"])["test_accuracy"].mean()

    def over_epsilons(kind: str) -> str:
        *first, last = (f"{mean[JITTER, kind, epsilon]:.1f}" for epsilon in EPSILONS)
        return f"{', '.join(first)} and {last} %"

    return {
        "measured": over_epsilons("private"),
        "bits": over_epsilons("predicted, bits"),
        "linear": over_epsilons("predicted, linear"),
        "open": f"{mean[JITTER, 'open', np.inf]:.1f} %",
        "less-measured": f"{mean[LESS, 'private', 1.0]:.1f} %",
        "less-bits": f"{mean[LESS, 'predicted, bits', 1.0]:.1f} %",
    }


if __name__ == "__main__":
    run("privacy", measure, draw, __doc__ or "")
