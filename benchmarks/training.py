"""What the training loop costs on top of the network itself, against what people write today, and in memory.

    python -m benchmarks.training

Three loops train the same network with the same optimizer on the same items, an epoch at a time and turn by turn,
on one thread:

    bare        forward, cross-entropy, backward, optimizer step, on batches cut beforehand
    oneof       `oneof.training.train` as it is: batches by index, objective, schedule, history, progress
    DataLoader  a Dataset that transforms one item at a time, as in most tutorials

Times are CPU seconds of this process, so that other work on the machine hardly counts; ratios are medians over turns.
"""

import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

from benchmarks.timing import peak_resident
from oneof import Answers, UniformQueries, models, objectives, respond
from oneof.training import Answered, Config, Features, Network, train
from oneof.training.network import standardise
from oneof.training.optimizer import create_optimizer
from oneof.training.workers import launch

BATCH, CLASSES, TURNS = 128, 10, 15


def measure() -> pd.DataFrame:
    """A row for each network: what the loop adds to it, what a DataLoader would cost, and the peak of memory."""
    torch.set_num_threads(1)
    rows: list[dict[str, Any]] = []
    for backbone, shape, batches in (("cnn", (1, 28, 28), 5), ("mlp", (64,), 200)):
        task = Task(backbone, shape, batches * BATCH)
        seconds = turn_by_turn([task.bare, task.oneof, task.oneof_as_loader, task.data_loader])
        rows.append(
            {
                "network": f"{backbone}, {'x'.join(map(str, shape))}",
                "milliseconds a step": round(1e3 * median(seconds[1]) / batches, 2),
                "times the bare loop": round(ratio(seconds[1], seconds[0]), 3),
                "DataLoader loop, times oneof": round(ratio(seconds[3], seconds[2]), 2),
            }
        )
    command = [sys.executable, "-m", "benchmarks.training", "--memory"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    data, peak = (float(figure) for figure in printed.split())
    # Measured once, on the CNN: what training needs beside its data does not depend on the network much.
    rows[0]["peak memory / data"] = round(1 + peak / data, 2)
    return pd.DataFrame(rows).fillna("")


class Task:
    """One network and its items, trained three ways."""

    def __init__(self, backbone: str, shape: tuple[int, ...], items: int) -> None:
        self.backbone, self.shape = backbone, shape
        self.images, self.labels, answers = simulated(items, shape)
        self.features, self.answered = Features(self.images), Answered(answers)
        order = torch.randperm(items, generator=torch.Generator().manual_seed(0))
        self.cut = [(self.features[rows], torch.from_numpy(self.labels)[rows]) for rows in torch.split(order, BATCH)]
        self.image = len(shape) == 3
        self.config = Config(epochs=1, batch_size=BATCH, augment="none").resolve(items, self.image)

    def network(self) -> Network:
        """A fresh network."""
        torch.manual_seed(0)
        return Network(models.create(self.backbone, self.shape, CLASSES), *standardise(self.features))

    def bare(self) -> float:
        """Forward, backward, step."""
        network = self.network()
        return self._plain(network, self.cut)

    def oneof(self) -> float:
        """The loop of this library."""
        return self._oneof(self.config)

    def oneof_as_loader(self) -> float:
        """The same, with random shifts where the items are images."""
        return self._oneof(self.config.model_copy(update={"augment": "shift" if self.image else "none"}))

    def data_loader(self) -> float:
        """One item at a time through a Dataset."""
        network = self.network()
        loader = DataLoader(_OneByOne(self.images, self.labels, network), BATCH, shuffle=True)
        return self._plain(network.backbone, loader)

    def _oneof(self, config: Config) -> float:
        # A run looks for its devices once, however many epochs it has.
        network, objective, fabric = self.network(), objectives.create("likelihood"), launch()
        started = time.process_time()
        train(network, self.features, self.answered, objective, config, fabric=fabric)
        return time.process_time() - started

    def _plain(self, network: nn.Module, batches: Any) -> float:
        network.train()
        optimizer, _ = create_optimizer(network, self.config, batches=len(batches), epochs=1)
        started = time.process_time()
        for images, labels in batches:
            optimizer.zero_grad()
            nn.functional.cross_entropy(network(images), labels).backward()
            optimizer.step()
        return time.process_time() - started


class _OneByOne(Dataset[tuple[Tensor, int]]):
    """Each item becomes a float tensor, is shifted if it is an image, and normalised, on its own."""

    def __init__(self, images: np.ndarray, labels: np.ndarray, network: Network) -> None:
        self.images, self.labels = images, labels
        self.mean, self.scale = network.mean, network.scale

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, row: int) -> tuple[Tensor, int]:
        image = torch.from_numpy(self.images[row]).float()
        if image.ndim == 3:
            (_, height, width), (down, right) = image.shape, torch.randint(5, (2,)).tolist()
            image = nn.functional.pad(image, (2, 2, 2, 2))[:, down : down + height, right : right + width]
        return (image - self.mean) * self.scale, int(self.labels[row])


def turn_by_turn(loops: list[Callable[[], float]]) -> list[list[float]]:
    """Seconds of each loop in each turn; the first turn only warms up."""
    turns = [[loop() for loop in loops] for _ in range(TURNS + 1)][1:]
    return [list(column) for column in zip(*turns, strict=True)]


def ratio(above: list[float], below: list[float]) -> float:
    """The median of the ratios within a turn."""
    return median(a / b for a, b in zip(above, below, strict=True))


def simulated(items: int, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray, Answers]:
    """Items with random pixels, labels, and one answer about each item."""
    rng = np.random.default_rng(0)
    kind = np.uint8 if len(shape) == 3 else np.float32
    images = rng.integers(0, 256, (items, *shape), dtype=np.uint8).astype(kind, copy=False)
    labels = rng.integers(0, CLASSES, items)
    subsets = UniformQueries(CLASSES, 3).draw(items, rng)
    return images, labels, Answers(subsets, respond(subsets, labels))


def memory() -> None:
    """Print the size of the data and how much more memory training takes at its peak, in MB."""
    torch.set_num_threads(1)
    # A first, tiny run loads what torch loads on first use, which does not depend on the data.
    for items in (BATCH, 60_000):
        images, _, answers = simulated(items, (3, 32, 32))
        peak = peak_resident(partial(_train_linear, images, answers))
    if peak is None:
        raise SystemExit("the peak of memory can be measured on Linux alone")
    print((images.nbytes + answers.subsets.nbytes + answers.responses.nbytes) / 1e6, peak / 1e6)


def _train_linear(images: np.ndarray, answers: Answers) -> None:
    features = Features(images)
    config = Config(epochs=1, batch_size=BATCH).resolve(len(images), image=True)
    network = Network(nn.Sequential(nn.Flatten(), nn.Linear(3072, CLASSES)), *standardise(features))
    train(network, features, Answered(answers), objectives.create("likelihood"), config)


if __name__ == "__main__":
    if "--memory" in sys.argv:
        memory()
    else:
        print(measure().to_string(index=False))
