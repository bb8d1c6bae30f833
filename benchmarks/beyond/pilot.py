"""A forecast from a pilot of 450 answers about digits, m = 5, beside what three times as many answers gave. Five seeds.

    python -m benchmarks.beyond.pilot

Writes results/beyond/pilot.csv and .png; with --draw, only the figure.
"""

import pandas as pd
from matplotlib.figure import Figure

from benchmarks.beyond.common import COLOURS, SEEDS, accuracy, classifier, images, kept, panels, run, uniform_answers
from oneof.planning.learning_curve import fit_curve, pilot_points

PILOT, LATER = 450, (450, 900, 1347)
LATER_SEEDS = range(100, 105)
"""Pilots that were not used to adjust the method; they are not drawn."""


def measure() -> pd.DataFrame:
    X, labels = images("digits", "train")
    X_test, truth = images("digits", "test")
    rows = []
    for seed in (*SEEDS, *LATER_SEEDS):
        points = pilot_points(classifier(seed, epochs=60), X, uniform_answers(labels, 5, PILOT, seed), seed=seed)
        curve = fit_curve(points["answers"], points["accuracy"], points["error"])
        points[["accuracy", "low", "high"]] *= 100
        rows += [{"seed": seed, "kind": "pilot", **point} for point in points.drop(columns="error").to_dict("records")]
        for count in LATER:
            model = classifier(seed, epochs=60).fit(X, uniform_answers(labels, 5, count, seed))
            forecast = curve.accuracy(count)
            rows.append(
                {
                    "seed": seed,
                    "kind": "forecast",
                    "answers": count,
                    "accuracy": 100 * forecast.value,
                    "low": 100 * forecast.low,
                    "high": 100 * forecast.high,
                    "test_accuracy": accuracy(model, X_test, truth),
                }
            )
            print(rows[-1], flush=True)
    return pd.DataFrame(rows)


def draw(rows: pd.DataFrame) -> Figure:
    figure, axes = panels(len(SEEDS), width=2.4, height=2.8)
    for seed, panel in zip(SEEDS, axes, strict=True):
        part = rows[rows["seed"] == seed]
        for kind, colour, marker, shift in (("pilot", COLOURS[0], "o", 1.0), ("forecast", COLOURS[1], "s", 1.03)):
            found = part[part["kind"] == kind]
            reach = [found["accuracy"] - found["low"], found["high"] - found["accuracy"]]
            panel.errorbar(found["answers"] * shift, found["accuracy"], reach, fmt=marker, color=colour, markersize=4,
                           elinewidth=0.9, label="pilot, label-free" if kind == "pilot" else "forecast")  # fmt: skip
        later = part[part["kind"] == "forecast"]
        panel.plot(later["answers"], later["test_accuracy"], "x", color="#222222", markersize=6, label="came true")
        panel.set_xscale("log")
        panel.set_xticks([50, 100, 200, 450, 1347], ["50", "100", "200", "450", "1347"])
        panel.minorticks_off()
        panel.set_ylim(30, 100)
        panel.set_title(f"seed {seed}", fontsize="medium")
        panel.set_xlabel("answers")
    axes[0].set_ylabel("accuracy (%)")
    axes[-1].legend(frameon=False, fontsize="x-small", loc="lower right")
    return figure


def facts() -> dict[str, str]:
    """Texts for the pages, from the pilots that were not used to adjust the method."""
    rows = kept("pilot")
    rows = rows[(rows["kind"] == "forecast") & rows["seed"].isin(LATER_SEEDS)]
    held = (rows["low"] <= rows["test_accuracy"]) & (rows["test_accuracy"] <= rows["high"])
    bias = (rows["accuracy"] - rows["test_accuracy"]).mean()
    return {
        "held": f"{held.sum()} of {len(rows)}",
        "bias": f"{abs(bias):.1f} points too {'low' if bias < 0 else 'high'}",
    }


if __name__ == "__main__":
    run("pilot", measure, draw, __doc__ or "")
