"""Ten annotators with 300 answers each about digits, two of them tossing a coin: are they found? Five seeds.

    python -m benchmarks.beyond.annotators

Nobody's rates are known, no item is gold, no question is repeated: rates and model are fitted together. Writes
results/beyond/annotators.csv and .png; with --draw, only the figure.
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from benchmarks.beyond.common import COLOURS, SEEDS, accuracy, classifier, images, kept, panels, run
from oneof import Answers, UniformQueries, respond
from oneof.noise import fit_with_noise

NAMES = np.array([f"annotator {number}" for number in range(10)])
COINS = 2


def measure() -> pd.DataFrame:
    X, labels = images("digits", "train")
    X_test, truth = images("digits", "test")
    rows = []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        flip_yes, flip_no = rng.uniform(0.02, 0.25, (2, len(NAMES)))
        flip_yes[-COINS:] = flip_no[-COINS:] = 0.5
        who = rng.permutation(np.repeat(np.arange(len(NAMES)), 300))
        items = np.concatenate([rng.permutation(len(X)) for _ in range(3)])[: len(who)]
        subsets = UniformQueries(10, 5).draw(len(who), rng)
        responses = respond(subsets, labels[items], flip_yes=flip_yes[who], flip_no=flip_no[who], rng=rng)
        answers = Answers(subsets, responses, items, annotators=NAMES[who])
        both = fit_with_noise(classifier(seed, epochs=80, batch_size=128), X, answers, folds=2, seed=seed)
        right = accuracy(both.estimator, X_test, truth)
        found = both.rates.table().assign(seed=seed, true_flip_yes=flip_yes, true_flip_no=flip_no, test_accuracy=right)
        rows.append(found)
        wrong = np.abs(found[["flip_yes", "flip_no"]].to_numpy() - np.stack([flip_yes, flip_no], axis=1)).mean()
        print(seed, f"mean absolute error {wrong:.4f}", both.rates.named("random"), f"accuracy {right:.2f}", flush=True)
    return pd.concat(rows, ignore_index=True)


def draw(rows: pd.DataFrame) -> Figure:
    figure, axes = panels(2, width=3.4, height=3.3)
    for panel, column, title in zip(
        axes, ("flip_yes", "flip_no"), ("P(no | truth yes)", "P(yes | truth no)"), strict=True
    ):
        panel.plot([0, 0.7], [0, 0.7], color="#999999", linewidth=0.8)
        for verdict, colour, marker in (
            ("fine", COLOURS[0], "o"),
            ("random", COLOURS[1], "s"),
            ("unclear", COLOURS[4], "x"),
        ):
            part = rows[rows["verdict"] == verdict]
            if len(part):
                panel.errorbar(part[f"true_{column}"], part[column], part[f"{column}_error"], fmt=marker, color=colour,
                               markersize=4, elinewidth=0.6, label=f"named {verdict}")  # fmt: skip
        panel.set_xlabel("true rate")
        panel.set_title(title, fontsize="medium")
        panel.set_xlim(0, 0.7)
        panel.set_ylim(0, 0.7)
    axes[0].set_ylabel("estimated rate")
    axes[0].legend(frameon=False, fontsize="small", loc="upper left")
    return figure


def facts() -> dict[str, str]:
    """Texts for the pages, from the rows."""
    rows = kept("annotators")
    coins = rows["true_flip_yes"] == 0.5
    named = rows["verdict"] == "random"
    wrong = (rows[["flip_yes", "flip_no"]].to_numpy() - rows[["true_flip_yes", "true_flip_no"]].to_numpy())[~coins]
    return {
        "found": f"{(named & coins).sum()} of {coins.sum()}",
        "wrongly": f"{(named & ~coins).sum()} of {(~coins).sum()}",
        "error": f"{np.abs(wrong).mean():.3f}",
    }


if __name__ == "__main__":
    run("annotators", measure, draw, __doc__ or "")
