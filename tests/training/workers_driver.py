"""Trains one small network per objective and writes the weights: alone, with micro-batches, or on two workers.

python workers_driver.py OUT DEVICES ACCUMULATE
"""

import sys
from pathlib import Path

import numpy as np
import torch
from torch import nn

from oneof import Answers, UniformQueries, objectives, respond
from oneof.training import Answered, Config, Features, train
from oneof.training.workers import launch

CASES = {
    "ure": {"objective": "ure", "loss": "gce"},
    "nn": {"objective": "nn", "loss": "gce"},
    "abs": {"objective": "abs", "loss": "gce"},
    "abs-agreement": {"objective": "abs", "loss": "gce", "weights": "agreement"},
    **{name: {"objective": name} for name in ("likelihood", "mcl-exp", "mcl-mae", "mcl-log", "pll-avg", "proden")},
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


def main(out: Path, devices: int, accumulate: int) -> None:
    torch.set_num_threads(1)
    fabric = launch(devices)
    features, answers = data()
    results = {}
    for name, options in CASES.items():
        config = Config(**options, epochs=EPOCHS, batch_size=64, accumulate=accumulate, learning_rate=3e-2)
        config = config.resolve(ITEMS, image=False)
        objective = objectives.create(config.objective, **config.objective_options())
        run = train(network(), features, Answered(answers), objective, config, fabric=fabric)
        results[name] = {
            "weights": dict(run.network.state_dict()),
            "negative": [row["negative"] for row in run.history],
            "memory": objective.state_dict(),
        }
    if fabric.global_rank == 0:
        torch.save(results, out)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
