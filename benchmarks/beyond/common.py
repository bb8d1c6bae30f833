"""What the experiments of this folder share: data, a network that resists noise, simulated answers, files."""

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure
from numpy.typing import NDArray
from torch import Tensor, nn

from oneof import Answers, OneOfClassifier, UniformQueries, respond
from oneof.datasets import load
from oneof.datasets.registry import Split
from oneof.files.atomic import replacing

RESULTS = Path(__file__).parents[2] / "results" / "beyond"
"""Accuracies in the rows are per cent, as in `results/rows.csv`."""

SEEDS = range(5)
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#4D4D4D")
MARKERS = ("o", "s", "^", "D", "v")


class Jitter(nn.Module):
    """Gaussian noise on standardised inputs while training, so that the network cannot memorise wrong answers."""

    def __init__(self, deviation: float) -> None:
        super().__init__()
        self.deviation = deviation

    def forward(self, x: Tensor) -> Tensor:
        return x + self.deviation * torch.randn_like(x) if self.training else x


def classifier(seed: int, pixels: int = 64, *, jitter: float = 0.8, **settings: Any) -> OneOfClassifier:
    """One hidden layer of 256 with jittered inputs, all answers used for training."""
    torch.manual_seed(seed)
    network = nn.Sequential(nn.Flatten(), Jitter(jitter), nn.Linear(pixels, 256), nn.ReLU(), nn.Linear(256, 10))
    return OneOfClassifier(backbone=network, augment="none", holdout=0.0, random_state=seed, **settings)


def images(name: str, split: Split, items: int | None = None) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Images and labels; the first `items` of them in a fixed random order."""
    data = load(name, split)
    if items is None:
        return data.images, data.labels
    chosen = np.random.default_rng(0).permutation(len(data))[:items]
    return data.images[chosen], data.labels[chosen]


def uniform_answers(
    labels: NDArray[np.int64], size: int, count: int, seed: int, *, flip: float = 0.0, aware: bool = True
) -> Answers:
    """Answers to uniform questions about ten classes; no item is asked about again before each was asked about once.

    aware: the answers carry their flip rate.
    """
    rng = np.random.default_rng([seed, size])
    items = np.concatenate([rng.permutation(len(labels)) for _ in range(-(-count // len(labels)))])[:count]
    subsets = UniformQueries(10, size).draw(count, rng)
    responses = respond(subsets, labels[items], flip_yes=flip, flip_no=flip, rng=rng)
    rate = flip if aware else None
    return Answers(subsets, responses, items, flip_yes=rate, flip_no=rate)


def accuracy(model: OneOfClassifier, X: NDArray[np.uint8], labels: NDArray[np.int64]) -> float:
    """Per cent right."""
    return 100 * float((model.predict(X) == labels).mean())


def kept(name: str) -> pd.DataFrame:
    """The rows that were measured."""
    return pd.read_csv(RESULTS / f"{name}.csv")


def run(name: str, measure: Callable[[], pd.DataFrame], draw: Callable[[pd.DataFrame], Figure], about: str) -> None:
    """Measure and draw, or with --draw only draw: results/beyond/NAME.csv and NAME.png."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draw", action="store_true", help="only draw what is there")
    torch.set_num_threads(1)
    path = RESULTS / f"{name}.csv"
    if not parser.parse_args().draw:
        rows = measure()
        RESULTS.mkdir(parents=True, exist_ok=True)
        with replacing(path) as part:
            rows.to_csv(part, index=False, float_format="%.6g")
    with replacing(path.with_suffix(".png")) as part:
        draw(kept(name)).savefig(part, dpi=160)


def panels(count: int, width: float = 3.6, height: float = 3.0) -> tuple[Figure, list[Any]]:
    """A row of plain axes."""
    figure = Figure(figsize=(width * count, height), layout="constrained")
    axes = list(np.atleast_1d(figure.subplots(1, count)))
    for panel in axes:
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(color="#E4E4E4", linewidth=0.5)
        panel.set_axisbelow(True)
    return figure, axes
