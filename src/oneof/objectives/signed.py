"""An objective for programs that know one tensor of labels an item, such as the Trainer of Hugging Face's transformers.

The labels are `Answers.signed`: +1 on the labels asked about after a yes, -1 after a no, 0 elsewhere.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from oneof.objectives.base import Objective
from oneof.objectives.registry import create

ComputeLoss = Callable[..., Tensor]


def compute_loss_func(objective: str | Objective = "likelihood", **options: Any) -> ComputeLoss:
    """A function of outputs and signed labels, as `transformers.Trainer(compute_loss_func=...)` expects it.

    outputs: logits (b, k), or what a model of transformers gives, with `logits` in it. labels: (b, k), rows of
    `Answers.signed`; a row of zeros is a skip and teaches nothing. num_items_in_batch: what the Trainer counts over the
    micro-batches of a step, k for each item.

    >>> loss = compute_loss_func("likelihood")
    >>> round(loss(torch.zeros(1, 4), torch.tensor([[1, 1, 0, 0]])).item(), 4)
    0.6931
    """
    chosen = create(objective, **options)

    def loss(outputs: Any, labels: Tensor, num_items_in_batch: Tensor | int | None = None) -> Tensor:
        logits = _logits(outputs)
        if labels.shape != logits.shape:
            raise ValueError(f"labels {tuple(labels.shape)} must be like the logits {tuple(logits.shape)}: signed rows")
        answered = (labels != 0).any(dim=1)
        items = len(labels) if num_items_in_batch is None else float(num_items_in_batch) / labels.shape[1]
        if items > len(labels) and not _is_mean(chosen):
            raise ValueError(f"{chosen} judges a batch as a whole: train with gradient_accumulation_steps=1")
        if not answered.any():
            return logits.sum() * 0.0
        told = labels[answered]
        risk = chosen(logits[answered], told != 0, (told > 0).any(dim=1)).value
        return risk * (torch.count_nonzero(answered) / items)

    return loss


def _logits(outputs: Any) -> Tensor:
    found = outputs
    if isinstance(outputs, dict):  # as are the outputs of transformers
        found = outputs["logits"]
    elif not isinstance(outputs, Tensor):
        found = getattr(outputs, "logits", None)
    if not isinstance(found, Tensor):
        raise ValueError(f"expected logits, or an output with logits in it, not {type(outputs).__name__}")
    return found


def _is_mean(objective: Objective) -> bool:
    """Whether the risk of a batch is the mean over its items, so that micro-batches may be added up."""
    one = type(objective)
    return one.correct is Objective.correct and one.counts is Objective.counts
