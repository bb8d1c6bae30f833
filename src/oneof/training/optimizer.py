"""Optimizers and schedules of the recipes."""

from typing import Any

from torch import nn
from torch.optim import Adadelta, AdamW, Optimizer
from torch.optim.lr_scheduler import LRScheduler, OneCycleLR, StepLR

from oneof.training.config import Config


def create_optimizer(network: nn.Module, config: Config, batches: int, epochs: int) -> tuple[Optimizer, LRScheduler]:
    """The optimizer and its learning rate schedule, which makes a step after each batch. config: resolved."""
    if config.learning_rate is None or config.weight_decay is None:
        raise ValueError("the configuration is not resolved: call config.resolve(items, image) first")
    rate, decay = config.learning_rate, config.weight_decay
    optimizer: Optimizer
    if config.optimizer == "adadelta":
        optimizer = Adadelta(network.parameters(), lr=rate, weight_decay=decay)
    else:
        # Weight decay of biases and normalisation scales does not regularise, it only shifts the function.
        matrices = [p for p in network.parameters() if p.ndim > 1]
        vectors = [p for p in network.parameters() if p.ndim <= 1]
        groups: list[dict[str, Any]] = [{"params": matrices}, {"params": vectors, "weight_decay": 0.0}]
        optimizer = AdamW([group for group in groups if group["params"]], lr=rate, weight_decay=decay, fused=True)
    if config.schedule == "step":
        return optimizer, StepLR(optimizer, step_size=config.step_size * batches, gamma=config.gamma)
    return optimizer, OneCycleLR(optimizer, max_lr=rate, total_steps=max(4, batches * epochs) + 1, pct_start=0.25)
