"""An objective for programs that pass one tensor of labels per item, such as Hugging Face's Trainer.

The labels are rows of `Answers.signed`: +1 on the labels of the question after a yes, -1 after a no, 0 elsewhere.
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

    outputs: logits (b, k), or the output of a transformers model, which has `logits`. labels: (b, k), rows of
    `Answers.signed`; a row of zeros is a skip and is ignored. num_items_in_batch: the number of labels in all
    micro-batches of a step, as the Trainer counts them: k for each item.

    >>> loss = compute_loss_func("likelihood")
    >>> round(loss(torch.zeros(1, 4), torch.tensor([[1, 1, 0, 0]])).item(), 4)
    0.6931
    """
    chosen = create(objective, **options)

    def loss(outputs: Any, labels: Tensor, num_items_in_batch: Tensor | int | None = None) -> Tensor:
        logits = _logits(outputs)
        if labels.shape != logits.shape:
            raise ValueError(
                f"labels {tuple(labels.shape)} must have the shape of the logits, {tuple(logits.shape)}: signed rows"
            )
        answered = (labels != 0).any(dim=1)
        items = len(labels) if num_items_in_batch is None else float(num_items_in_batch) / labels.shape[1]
        if items > len(labels) and not _is_mean(chosen):
            raise ValueError(
                f"the risk {chosen} of a batch is not a mean over items: train with gradient_accumulation_steps=1"
            )
        if not answered.any():
            return logits.sum() * 0.0
        signed = labels[answered]
        risk = chosen(logits[answered], signed != 0, (signed > 0).any(dim=1)).value
        return risk * (torch.count_nonzero(answered) / items)

    return loss


def _logits(outputs: Any) -> Tensor:
    found = outputs
    if isinstance(outputs, dict):  # so are the outputs of transformers
        found = outputs["logits"]
    elif not isinstance(outputs, Tensor):
        found = getattr(outputs, "logits", None)
    if not isinstance(found, Tensor):
        raise ValueError(f"expected logits, or an output that has logits, not {type(outputs).__name__}")
    return found


def _is_mean(objective: Objective) -> bool:
    """Whether the risk of a batch is the mean over its items, so that micro-batches may be added up."""
    kind = type(objective)
    return kind.correct is Objective.correct and kind.counts is Objective.counts
