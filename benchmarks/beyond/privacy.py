"""What privacy costs on digits, m = 5: accuracy under randomised response beside what was predicted. Five seeds.

    python -m benchmarks.beyond.privacy

The prediction: n private answers are worth n / c open ones, with c either the least factor of linear estimates,
((e^eps + 1)/(e^eps - 1))^2, or the ratio of bits an answer, both as `oneof plan` prints them; the accuracy of so many
open answers is measured. Writes results/beyond/privacy.csv and .png; with --draw, only the figure.
"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from benchmarks.beyond.common import COLOURS, MARKERS, SEEDS, classifier, images, panels, run, uniform_answers
from oneof import plan
from oneof.noise.privacy import cost, privatise

EPSILONS = (1.0, 2.0, 4.0)
SETTINGS: dict[str, Any] = {"jitter": 1.1, "epochs": 80, "batch_size": 128}


def measure() -> pd.DataFrame:
    X, labels = images("digits", "train")
    X_test, truth = images("digits", "test")
    n = len(X)
    open_bits = _bits(None)
    rows = []
    for seed in SEEDS:
        for epsilon in EPSILONS:
            worth = {
                "private": n,
                "predicted, linear": n / cost(epsilon),
                "predicted, bits": n * _bits(epsilon) / open_bits,
            }
            for kind, count in worth.items():
                answers = uniform_answers(labels, 5, round(count), seed)
                if kind == "private":
                    answers = privatise(answers, epsilon, rng=np.random.default_rng([seed, 77]))
                model = classifier(seed, **SETTINGS).fit(X, answers)
                accuracy = float((model.predict(X_test) == truth).mean())
                rows.append({"epsilon": epsilon, "kind": kind, "seed": seed, "answers": len(answers), "test": accuracy})
                print(rows[-1], flush=True)
        model = classifier(seed, **SETTINGS).fit(X, uniform_answers(labels, 5, n, seed))
        accuracy = float((model.predict(X_test) == truth).mean())
        rows.append({"epsilon": np.inf, "kind": "open", "seed": seed, "answers": n, "test": accuracy})
    return pd.DataFrame(rows)


def _bits(epsilon: float | None) -> float:
    table = plan(10, 0.9, 0.1, epsilon=epsilon)
    return float(table["bits"].to_numpy()[table["size"] == 5][0])


def draw(rows: pd.DataFrame) -> Figure:
    figure, (axes,) = panels(1, width=4.8, height=3.4)
    open_ = rows[rows["kind"] == "open"]["test"].mean() * 100
    axes.axhline(open_, color="#666666", linestyle="--", linewidth=0.9, label=f"without privacy: {open_:.1f}")
    for place, kind in enumerate(("private", "predicted, linear", "predicted, bits")):
        over_seeds = rows[rows["kind"] == kind].groupby("epsilon")["test"].agg(["mean", "std"]) * 100
        axes.errorbar(np.arange(3) + 0.08 * (place - 1), over_seeds["mean"], over_seeds["std"], color=COLOURS[place],
                      marker=MARKERS[place], markersize=5, linewidth=1.2, elinewidth=0.8, capsize=2,
                      label="measured" if kind == "private" else kind)  # fmt: skip
    axes.set_xticks(range(3), [f"epsilon = {epsilon:g}" for epsilon in EPSILONS])
    axes.set_ylabel("test accuracy (%)")
    axes.legend(frameon=False, fontsize="small", loc="lower right")
    return figure


if __name__ == "__main__":
    run("privacy", measure, draw, __doc__ or "")
