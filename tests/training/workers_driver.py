"""Trains one small network per objective, each cut off and resumed, on two workers, and writes the weights.

    python workers_driver.py OUT

The test does the same alone, by importing this script.
"""

import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import torch
from lightning_fabric import Fabric
from torch import nn

from oneof import Answers, UniformQueries, objectives, respond
from oneof.training import Answered, Config, Features, train
from oneof.training.workers import Workers, launch

CASES = {
    "ure": {"objective": "ure", "loss": "gce"},
    "nn": {"objective": "nn", "loss": "gce"},
    "abs": {"objective": "abs", "loss": "gce"},
    "abs-agreement": {"objective": "abs", "loss": "gce", "weights": "agreement"},
    **{
        name: {"objective": name}
        for name in ("likelihood", "mcl-exp", "mcl-mae", "mcl-log", "pll-avg", "proden", "agreeing-visits")
    },
}
ITEMS, FEATURES, CLASSES, EPOCHS = 320, 200, 5, 4


def network() -> nn.Module:
    """Without batch normalisation, whose statistics are each worker's own."""
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(FEATURES, 32), nn.ReLU(), nn.Linear(32, CLASSES))


def data() -> tuple[Features, Answers]:
    """Labels that cannot be learned, so that the raw risk soon turns negative; two answers for some items."""
    rng = np.random.default_rng(0)
    labels = rng.integers(CLASSES, size=ITEMS)
    about = np.concatenate([np.arange(ITEMS), np.arange(0, ITEMS, 4)])
    subsets = UniformQueries(CLASSES, 3).draw(len(about), rng)
    return Features(rng.normal(size=(ITEMS, FEATURES))), Answers(subsets, respond(subsets, labels[about]), about)


class CutOff(Exception):
    """The run ends here, on every worker."""


def results(fabric: Fabric, accumulate: int = 1, path: Path | None = None) -> dict[str, Any]:
    """What came of each case. With a path, each run is cut off after its second epoch, and goes on from there."""

    def cut_off(network: nn.Module) -> dict[str, Any]:
        epochs.append(len(epochs) + 1)
        if len(epochs) == 3:
            raise CutOff
        return {}

    features, answers = data()
    found = {}
    for name, options in CASES.items():
        config = Config(**options, epochs=EPOCHS, batch_size=64, accumulate=accumulate, learning_rate=3e-2)
        config = config.resolve(ITEMS, image=False)
        arguments = features, Answered(answers), objectives.create(config.objective, **config.objective_options())
        if path is not None:
            path.unlink(missing_ok=True)
            epochs: list[int] = []
            with suppress(CutOff):
                train(network(), *arguments, config, fabric=fabric, path=path, judge=cut_off)
            assert epochs == [1, 2, 3]
            arguments = features, Answered(answers), objectives.create(config.objective, **config.objective_options())
        run = train(network(), *arguments, config, fabric=fabric, path=path, resume=path is not None)
        found[name] = {
            "weights": dict(run.network.state_dict()),
            "negative": [row["negative"] for row in run.history],
            "memory": arguments[2].state_dict(),
        }
    return found


def judged_alike(fabric: Fabric) -> bool:
    """Whether all workers judge the same network after each epoch, though each normalises its own parts of batches."""
    features, answers = data()
    config = Config(epochs=2, batch_size=64, average=0.9).resolve(ITEMS, image=False)
    sums: list[float] = []

    def judge(network: nn.Module) -> dict[str, Any]:
        sums.extend(float(tensor.double().sum()) for tensor in network.state_dict().values())
        return {}

    normalised = nn.Sequential(nn.BatchNorm1d(FEATURES), network())
    train(normalised, features, Answered(answers), objectives.create("likelihood"), config, fabric=fabric, judge=judge)
    first, *others = Workers(fabric).gather(torch.tensor(sums, dtype=torch.float64))
    return len(others) == 1 and all(torch.equal(first, other) for other in others)


if __name__ == "__main__":
    torch.set_num_threads(1)
    out = Path(sys.argv[1])
    fabric = launch(2)
    found = results(fabric, path=out.with_suffix(".checkpoint")) | {"judged alike": judged_alike(fabric)}
    if fabric.global_rank == 0:
        torch.save(found, out)
