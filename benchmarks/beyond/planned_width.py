"""Does the planned number of held-out answers give the width that was asked for? Simulated, 1000 times for each row.

    python -m benchmarks.beyond.planned_width

Writes results/beyond/planned_width.csv and .png; with --draw, only the figure.
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from benchmarks.beyond.common import COLOURS, panels, run
from oneof import Answers, UniformQueries, estimate_accuracy, plan, respond
from oneof.noise.privacy import flip_rate

TIMES = 1000


def measure() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    rows = []
    for accuracy, width, epsilon in ((0.7, 0.1, None), (0.9, 0.05, None), (0.97, 0.04, None), (0.9, 0.1, 2.0)):
        planned = plan(10, accuracy, width, epsilon=epsilon).set_index("size")["answers"]
        rate = 0.0 if epsilon is None else flip_rate(epsilon)
        for size in (2, 3, 5, 7):
            n = int(planned[size])
            widths, covered = np.empty(TIMES), 0
            for time in range(TIMES):
                labels = rng.integers(10, size=n)
                other = (labels + rng.integers(1, 10, size=n)) % 10
                predictions = np.where(rng.random(n) < accuracy, labels, other)
                subsets = UniformQueries(10, size).draw(n, rng)
                responses = respond(subsets, labels, flip_yes=rate, flip_no=rate, rng=rng)
                found = estimate_accuracy(predictions, Answers(subsets, responses), flip_yes=rate, flip_no=rate)
                widths[time] = found.high - found.low
                covered += found.low <= accuracy <= found.high
            rows.append(
                {
                    "accuracy": accuracy,
                    "width": width,
                    "epsilon": epsilon,
                    "size": size,
                    "answers": n,
                    "mean_width": widths.mean(),
                    "ratio": widths.mean() / width,
                    "coverage": covered / TIMES,
                }
            )
            print(rows[-1], flush=True)
    return pd.DataFrame(rows)


def draw(rows: pd.DataFrame) -> Figure:
    figure, (left, right) = panels(2)
    for (keys, part), colour in zip(
        rows.fillna({"epsilon": np.inf}).groupby(["accuracy", "width", "epsilon"]), COLOURS, strict=False
    ):
        accuracy, width, epsilon = (float(str(key)) for key in keys)
        label = f"accuracy {accuracy:g}, width {width:g}" + ("" if np.isinf(epsilon) else f", epsilon {epsilon:g}")
        left.plot(part["size"], part["ratio"], marker="o", markersize=4, color=colour, label=label)
        right.plot(part["size"], part["coverage"], marker="o", markersize=4, color=colour)
    left.axhspan(0.9, 1.1, color="#999999", alpha=0.15, linewidth=0)
    left.set_ylim(0.8, 1.2)
    left.set_title("mean width / width asked for", fontsize="medium")
    left.legend(frameon=False, fontsize="x-small", loc="upper left")
    right.axhline(0.95, color="#666666", linestyle="--", linewidth=0.9)
    right.set_ylim(0.9, 1.0)
    right.set_title("share of intervals that hold the truth", fontsize="medium")
    for panel in (left, right):
        panel.set_xlabel("labels in a question, m")
    return figure


if __name__ == "__main__":
    run("planned_width", measure, draw, __doc__ or "")
