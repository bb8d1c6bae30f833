"""Objectives that keep something for each training item from one visit to the next.

It is state: part of checkpoints, so that training resumes exactly, and brought together where several workers share one
training.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from oneof.objectives.base import Objective


class Remembering(Objective):
    """Keeps a row of numbers for each training item in `memory`, (items, k); zeros: the item was not visited yet."""

    def __init__(self) -> None:
        self.memory: Tensor | None = None
        self._visited: Tensor | None = None

    def prepare(self, items: int, classes: int) -> None:
        """Make the memory of every training item."""
        self.memory = torch.zeros(items, classes)
        self._visited = torch.zeros(items, dtype=torch.bool)

    def recall(self, items: Tensor, like: Tensor) -> Tensor:
        """What was kept at the last visit, of the type of this tensor and on its device. (b,) -> (b, k)."""
        if self.memory is None:
            raise ValueError("call prepare(items, classes) before training, or leave items out")
        self.memory = self.memory.to(like.device)
        return self.memory.index_select(0, items).to(like.dtype)

    def remember(self, items: Tensor, values: Tensor) -> None:
        """Keep these values, (b, k), until the next visit; to be called after `recall`."""
        assert self.memory is not None
        assert self._visited is not None
        self.memory.index_copy_(0, items, values.to(self.memory.dtype))
        self._visited.index_fill_(0, items.cpu(), True)

    def merge(self, total: Callable[[Tensor], Tensor]) -> None:
        """Every worker gets the memory of the items that other workers visited since the last merge."""
        if self.memory is None or self._visited is None:
            return
        visited = self._visited.to(self.memory.dtype)
        by_any = total(visited) > 0
        updated = total(self.memory.cpu() * visited[:, None])
        self.memory = torch.where(by_any[:, None], updated, self.memory.cpu())
        self._visited.zero_()

    def state_dict(self) -> dict[str, Any]:
        """The memory, (items, k)."""
        return {} if self.memory is None else {"memory": self.memory.clone()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore the memory."""
        memory = state["memory"] if state else None
        self.memory = None if memory is None else memory.clone()
        self._visited = None if memory is None else torch.zeros(len(memory), dtype=torch.bool)
