"""One step on one global batch, however it is cut into micro-batches and spread over workers: the gradient is exact."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from oneof.objectives import Batch, Objective
from oneof.objectives.base import check
from oneof.training.workers import Workers


class Step(NamedTuple):
    """Figures of a step: the corrected and the raw risk of the global batch, and whether its answers were all alike."""

    value: float
    raw: float
    one_sided: bool


def gradient(
    forward: Callable[[Tensor], Tensor],
    network: nn.Module,
    objective: Objective,
    parts: Sequence[tuple[Tensor, Batch]],
    workers: Workers,
) -> Step:
    """Set the gradient of the global batch's corrected risk on the parameters of `network`.

    parts: this worker's micro-batches, items (b, ...) with their answers. The gradient of the corrected risk is its
    slope, one number, times the gradient of the raw risk; so the raw risk is back-propagated part by part, and the
    slope is put on at the end, when the raw risk of the whole is known. Where gradients are scaled, for half precision,
    they still are then, and the slope is one more factor.
    """
    counted = [objective.counts(batch) for _, batch in parts]
    yes = sum(int(torch.count_nonzero(batch.responses)) for _, batch in parts)
    answers = sum(len(batch.responses) for _, batch in parts)
    *counts, yes_everywhere, answers_everywhere = workers.sum_numbers(
        [*(sum(column) for column in zip(*counted, strict=True)), yes, answers]
    )
    raw = 0.0
    for number, (x, batch) in enumerate(parts):
        with workers.unsynchronised(forward, number < len(parts) - 1):
            logits = forward(x)
            if logits.dtype.itemsize < 4:
                logits = logits.float()  # half precision is for the network; a risk is a sum of small differences
            check(objective, logits, batch)
            share = objective.raw(logits, batch, tuple(counts))
            raw += share.item()
            # Gradients are averaged over workers, but the shares are to be summed.
            workers.fabric.backward(share * workers.size if workers.size > 1 else share)
    (raw,) = workers.sum_numbers([raw])
    slope = objective.slope(raw)
    if slope != 1:
        for parameter in network.parameters():
            if parameter.grad is not None:
                parameter.grad.mul_(slope)
    value = float(objective.correct(torch.tensor(raw, dtype=torch.float64)))
    return Step(value, raw, yes_everywhere in (0, answers_everywhere))
