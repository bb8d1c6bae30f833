"""The exact gradient of one global batch, however it is split into micro-batches and over workers."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from oneof.objectives import Batch, Objective
from oneof.objectives.base import check
from oneof.training.workers import Workers


class Step(NamedTuple):
    """Figures of a step: the corrected and the raw risk of the global batch, and whether all its answers were equal."""

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
    """Compute the gradient of the corrected risk of the global batch, into the parameters of `network`.

    parts: this worker's micro-batches, items (b, ...) with their answers. The gradient of the corrected risk is the
    slope of the correction, one number, times the gradient of the raw risk. So the raw risk is back-propagated part by
    part, and the slope is multiplied at the end, when the raw risk of the whole batch is known. Gradients that are
    scaled for half precision stay scaled; the slope is one more factor.
    """
    counted = [objective.counts(batch) for _, batch in parts]
    yes = sum(int(torch.count_nonzero(batch.responses)) for _, batch in parts)
    answers = sum(len(batch.responses) for _, batch in parts)
    # Neither sum is waited for before it is needed: the one goes on during the forward pass, the other during the last
    # backward pass.
    sums = workers.begin_sum([*(sum(column) for column in zip(*counted, strict=True)), yes, answers])
    raw = 0.0
    for number, (x, batch) in enumerate(parts):
        last = number == len(parts) - 1
        with workers.unsynchronised(forward, not last):
            logits = forward(x)
            if logits.dtype.itemsize < 4:
                logits = logits.float()  # a sum of small differences needs full precision
            check(objective, logits, batch)
            *counts, yes_everywhere, answers_everywhere = sums()
            share = objective.raw(logits, batch, tuple(counts))
            raw += share.item()
            if last:
                total = workers.begin_sum([raw])
            # Fabric averages gradients over workers, but the shares must be summed.
            workers.fabric.backward(share * workers.size if workers.size > 1 else share)
    (raw,) = total()
    slope = objective.slope(raw)
    if slope != 1:
        for parameter in network.parameters():
            if parameter.grad is not None:
                parameter.grad.mul_(slope)
    value = float(objective.correct(torch.tensor(raw, dtype=torch.float64)))
    return Step(value, raw, yes_everywhere in (0, answers_everywhere))
