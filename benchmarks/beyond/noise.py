"""Noisy answers on digits, m = 5: flip rates ignored, known, or estimated from the answers alone. Five seeds.

    python -m benchmarks.beyond.noise

The network sees jittered inputs while training, a little (0.5 standard deviations) or a lot (1.0): jitter keeps it from
learning wrong answers by heart, whether the rates are known or not. Writes results/beyond/noise.csv and .png; with
--draw, only the figure.
"""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from benchmarks.beyond.common import COLOURS, SEEDS, accuracy, classifier, images, kept, panels, run, uniform_answers
from benchmarks.pages import table
from oneof.noise import fit_with_noise

RATES = (0.1, 0.2)
JITTERS = (0.5, 1.0)
METHODS = ("ignored", "known", "estimated", "known, 3 answers an item")


def measure() -> pd.DataFrame:
    return pd.concat([measure_one(jitter, seed) for jitter in JITTERS for seed in SEEDS], ignore_index=True)


def measure_one(jitter: float, seed: int) -> pd.DataFrame:
    X, labels = images("digits", "train")
    X_test, truth = images("digits", "test")
    n = len(X)
    rows: list[dict[str, Any]] = []

    def new() -> Any:
        return classifier(seed, jitter=jitter, epochs=100, batch_size=128)

    def add(flip: float, rates: str, model: Any, flip_yes: float, flip_no: float) -> None:
        row = {"jitter": jitter, "flip": flip, "rates": rates, "seed": seed}
        rows.append(row | {"test_accuracy": accuracy(model, X_test, truth), "flip_yes": flip_yes, "flip_no": flip_no})
        print(rows[-1], flush=True)

    add(0.0, "known", new().fit(X, uniform_answers(labels, 5, n, seed)), 0.0, 0.0)
    for flip in RATES:
        blind = uniform_answers(labels, 5, n, seed, flip=flip, aware=False)
        add(flip, "ignored", new().fit(X, blind), 0.0, 0.0)
        add(flip, "known", new().fit(X, uniform_answers(labels, 5, n, seed, flip=flip)), flip, flip)
        if jitter == JITTERS[-1]:
            both = fit_with_noise(new(), X, blind, folds=2, seed=seed)
            add(flip, "estimated", both.estimator, float(both.rates.flip_yes[0]), float(both.rates.flip_no[0]))
    if jitter == JITTERS[-1]:
        thrice = uniform_answers(labels, 5, 3 * n, seed, flip=0.2)
        add(0.2, "known, 3 answers an item", new().fit(X, thrice), 0.2, 0.2)
    return pd.DataFrame(rows)


def draw(rows: pd.DataFrame) -> Figure:
    figure, axes = panels(len(JITTERS), width=4.0, height=3.4)
    for panel, jitter in zip(axes, JITTERS, strict=True):
        here = rows[rows["jitter"] == jitter]
        clean = here[here["flip"] == 0]["test_accuracy"].mean()
        panel.axhline(clean, color="#666666", linestyle="--", linewidth=0.9, label="no answer flipped")
        shown = [method for method in METHODS if method in set(here[here["flip"] > 0]["rates"])]
        for place, method in enumerate(shown):
            part = here[(here["flip"] > 0) & (here["rates"] == method)]
            over_seeds = part.groupby("flip")["test_accuracy"].agg(["mean", "std"])
            x = [RATES.index(flip) + 0.21 * (place - (len(shown) - 1) / 2) for flip in over_seeds.index]
            look: Any = {"color": COLOURS[place], "label": f"rates {method}", "error_kw": {"linewidth": 0.8}}
            bars = panel.bar(x, over_seeds["mean"], 0.19, yerr=over_seeds["std"], **look)
            panel.bar_label(bars, fmt="%.1f", fontsize=7, padding=2)
        panel.set_xticks(range(len(RATES)), [f"{rate:.0%} flipped" for rate in RATES])
        panel.set_xlim(-0.6, len(RATES) - 0.4)
        panel.set_ylim(60, 102)
        panel.set_title(f"input jitter {jitter:g}, no flips: {clean:.1f}", fontsize="medium")
    axes[0].set_ylabel("test accuracy (%)")
    handles, labels = axes[-1].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize="small")
    return figure


def facts() -> dict[str, str]:
    """Texts for the pages, from the rows."""
    rows = kept("noise")
    mean = rows.groupby(["jitter", "flip", "rates"])["test_accuracy"].mean()
    shown = ("ignored", "known", "estimated")
    lines = [
        {"test accuracy, %": f"{100 * flip:.0f} % flipped, input jitter {jitter}"}
        | {f"rates {rates}": f"{mean[jitter, flip, rates]:.1f}" for rates in shown if (jitter, flip, rates) in mean}
        for jitter in JITTERS
        for flip in RATES
    ]
    name = f"20 % flipped, input jitter {JITTERS[-1]}, three answers an item"
    lines.append({"test accuracy, %": name, "rates known": f"{mean[JITTERS[-1], 0.2, METHODS[-1]]:.1f}"})
    found = {
        "table": table(pd.DataFrame(lines).fillna("")),
        "once": f"{mean[1.0, 0.2, 'known']:.1f}",
        "thrice": f"{mean[1.0, 0.2, METHODS[-1]]:.1f}",
        "half": f"{mean[1.0, 0.1, 'known']:.1f}",
    }
    for name, jitter in (("little", 0.5), ("strong", 1.0)):
        gains = [f"{mean[jitter, flip, 'known'] - mean[jitter, flip, 'ignored']:.0f}" for flip in RATES]
        found |= {f"clean-{name}": f"{mean[jitter, 0.0, 'known']:.1f}", f"gain-{name}": " and ".join(gains)}
    return found


if __name__ == "__main__":
    run("noise", measure, draw, __doc__ or "")
