"""Each objective, forward and backward, against `torch.nn.functional.cross_entropy`, with the peak of memory.

python -m benchmarks.objectives
"""

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
import torch
from torch.nn.functional import cross_entropy

from benchmarks.timing import peak_resident, side_by_side
from oneof import UniformQueries, objectives

CASES = ((128, 10, 3, 1000), (4096, 1000, 300, 9))
"""Batch, classes, size, turns."""


def contestants() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every objective by name, with every loss and the paper's weights, and the other weights with one loss."""
    for name in objectives.names():
        if name in ("ure", "nn", "abs", "pll-avg"):
            yield from ((name, {"loss": loss}) for loss in ("mae", "mse", "gce", "cross_entropy"))
            if name != "pll-avg":
                yield from ((name, {"loss": "mae", "weights": weights}) for weights in ("minimum-norm", "agreement"))
        else:
            yield name, {}


def step(name: str, options: dict[str, Any], batch: int, classes: int, size: int) -> tuple[Callable[[], None], ...]:
    """One forward and backward pass of the objective, and one of the cross entropy on the same logits."""
    generator = torch.Generator().manual_seed(0)
    logits = torch.randn(batch, classes, generator=generator, requires_grad=True)
    labels = torch.randint(classes, (batch,), generator=generator)
    subsets = torch.from_numpy(UniformQueries(classes, size).draw(batch, rng=0))
    responses = subsets[torch.arange(batch), labels]
    objective = objectives.create(name, **options)
    objective.prepare(batch, classes)
    items = torch.arange(batch)

    def ours() -> None:
        logits.grad = None
        objective(logits, subsets, responses, items=items).value.backward()

    def theirs() -> None:
        logits.grad = None
        cross_entropy(logits, labels).backward()

    return ours, theirs


def measure() -> pd.DataFrame:
    """One row per objective and case."""
    torch.set_num_threads(1)
    rows = []
    for batch, classes, size, turns in CASES:
        for name, options in contestants():
            ours, theirs = step(name, options, batch, classes, size)
            ratio = side_by_side(ours, theirs, turns)
            peak = peak_resident(ours) if batch * classes > 1_000_000 else None
            rows.append(
                {
                    "objective": " ".join((name, *options.values())),
                    "batch x classes": f"{batch} x {classes}",
                    "microseconds": round(1e6 * ratio.ours),
                    "times cross entropy": round(ratio.value, 2),
                    "peak memory / logits": "" if peak is None else f"{peak / (4 * batch * classes):.1f}",
                }
            )
    return pd.DataFrame(rows)


if __name__ == "__main__":
    print(measure().to_string(index=False))
