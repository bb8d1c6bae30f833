"""The protocol of objectives, built so that a batch may be split over micro-batches or machines.

The raw risk of a batch is a sum over its answers, divided by counts that depend on the answers alone. So an objective
gives its `counts`, which add up over the parts of a batch, and each part's share of the `raw` risk, given the counts
of the whole; shares add up too. The correction comes last, on the whole: a corrected risk is *not* the average of
the corrected risks of the parts.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor

Counts = tuple[float, ...]


class Risk(NamedTuple):
    """`value` is back-propagated; `raw` is the risk before any correction. Both are scalars."""

    value: Tensor
    raw: Tensor


class Batch(NamedTuple):
    """n answers about b items.

    subsets: bool (n, k). responses: bool (n,). rows: int (n,), the row of the logits each answer is about; None
    where answer i is about row i. items: int (b,), which training items the rows of the logits are, for objectives
    that remember. flip_yes, flip_no: rates, scalar or (n,), or None.
    """

    subsets: Tensor
    responses: Tensor
    rows: Tensor | None = None
    items: Tensor | None = None
    flip_yes: Tensor | float | None = None
    flip_no: Tensor | float | None = None

    @property
    def noisy(self) -> bool:
        """Whether flip rates were given."""
        return self.flip_yes is not None or self.flip_no is not None

    def consistent(self) -> Tensor:
        """The labels each answer leaves possible, bool (n, k)."""
        return self.subsets == self.responses[:, None]

    def per_answer(self, values: Tensor) -> Tensor:
        """Values of items (b, ...) repeated for each of their answers (n, ...)."""
        return values if self.rows is None else values[self.rows]

    def per_item(self, values: Tensor, items: int) -> Tensor:
        """Values of answers (n, k) added up over the answers of each item (b, k)."""
        if self.rows is None:
            return values
        return values.new_zeros(items, values.shape[1]).index_add_(0, self.rows, values)

    def shares(self, dtype: torch.dtype) -> Tensor | None:
        """The weight of each answer when every item counts as one: 1 / (answers about its item). (n,).

        None where every answer is about an item of its own, so that the plain case costs nothing.
        """
        if self.rows is None:
            return None
        return torch.bincount(self.rows).to(dtype).reciprocal()[self.rows]


class Objective:
    """What training minimises. Subclasses give `raw`, and where needed `counts`, `correct` and what they remember."""

    corrects_flips = False
    """Whether flip rates are taken into account; if not, giving them is an error rather than a silent bias."""

    def counts(self, batch: Batch) -> Counts:
        """What the raw risk is divided by; counts of parts add up. Here: the number of items with answers."""
        if batch.rows is None:
            return (float(len(batch.responses)),)
        return (float(torch.count_nonzero(torch.bincount(batch.rows))),)

    def raw(self, logits: Tensor, batch: Batch, counts: Counts) -> Tensor:
        """The share of this part in the uncorrected risk of a batch with these counts. (b, k) -> scalar."""
        raise NotImplementedError

    def correct(self, raw: Tensor) -> Tensor:
        """What is back-propagated, from the raw risk of the whole batch."""
        return raw

    def prepare(self, items: int, classes: int) -> None:
        """Told once before training how many items and classes there are; for objectives that remember."""

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint must hold to go on exactly."""
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take up what `state_dict` gave."""

    def __call__(
        self,
        logits: Tensor,
        subsets: Tensor,
        responses: Tensor,
        *,
        rows: Tensor | None = None,
        items: Tensor | None = None,
        flip_yes: Tensor | float | None = None,
        flip_no: Tensor | float | None = None,
    ) -> Risk:
        """The risk of a batch. logits: (b, k). The rest as in `Batch`; without `rows`, b = n."""
        batch = Batch(subsets, responses, rows, items, flip_yes, flip_no)
        check(self, logits, batch)
        raw = self.raw(logits, batch, self.counts(batch))
        return Risk(self.correct(raw), raw)


def check(objective: Objective, logits: Tensor, batch: Batch) -> None:
    """Refuse shapes and types that would broadcast into a wrong number."""
    subsets, responses = batch.subsets, batch.responses
    if logits.ndim != 2 or subsets.ndim != 2 or logits.shape[1] != subsets.shape[1]:
        raise ValueError(
            f"logits {tuple(logits.shape)} and subsets {tuple(subsets.shape)} must be (items, classes) and "
            "(answers, classes) with the same number of classes"
        )
    if subsets.dtype != torch.bool or responses.dtype != torch.bool:
        raise ValueError(f"subsets and responses must be bool tensors, not {subsets.dtype} and {responses.dtype}")
    n = len(subsets)
    if responses.shape != (n,):
        raise ValueError(f"responses must have shape ({n},), one an answer, not {tuple(responses.shape)}")
    if n == 0:
        raise ValueError("there are no answers in this batch")
    if batch.rows is None and len(logits) != n:
        raise ValueError(f"{n} answers but {len(logits)} rows of logits: pass rows to say which is about which")
    if batch.rows is not None and batch.rows.shape != (n,):
        raise ValueError(f"rows must have shape ({n},), one an answer, not {tuple(batch.rows.shape)}")
    if batch.noisy and not objective.corrects_flips:
        raise ValueError(f"{type(objective).__name__} cannot correct for flips; use the likelihood, ure, nn or abs")
