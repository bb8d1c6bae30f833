"""The protocol of objectives, made so that a batch may be split into micro-batches or over several machines.

The raw risk of a batch is a sum over its answers, divided by counts that depend on the answers alone. So an objective
gives `counts`, which are added up over the parts of a batch, and then, from the total counts, each part's share of the
`raw` risk; the shares are added up too. The correction is applied last, to the risk of the whole batch: it is *not* the
average of the corrected risks of the parts.
"""

from collections.abc import Callable
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from oneof.answers import Answers
from oneof.objectives.losses import spell
from oneof.objectives.registry import correcting
from oneof.queries.moment import consistent_sets

Counts = tuple[float, ...]


class Risk(NamedTuple):
    """The risk of a batch: `value` is back-propagated; `raw` is the risk before any correction. Both are scalars.

    It can be used like its value: `loss = objective(...)`, then `loss.backward()`, `loss.item()`, `loss - penalty`,
    `f"{loss:.3f}"`.
    """

    value: Tensor
    raw: Tensor

    def __getattr__(self, name: str) -> Any:
        """What the value has: `backward`, `item`, `detach` and so on."""
        if name.startswith("_"):  # copying and pickling ask for such names, and mean the pair
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.value, name)

    # A tuple's own + would append the penalty, and its * would repeat the pair: these override them.
    def __add__(self, other: Any) -> Tensor:  # type: ignore[override]
        return torch.as_tensor(self.value + (other.value if isinstance(other, Risk) else other))

    def __mul__(self, other: Any) -> Tensor:  # type: ignore[override]
        return torch.as_tensor(self.value * (other.value if isinstance(other, Risk) else other))

    def __radd__(self, other: Any) -> Tensor:
        return self.__add__(other)

    def __rmul__(self, other: Any) -> Tensor:  # type: ignore[override]
        return self.__mul__(other)

    def __neg__(self) -> Tensor:
        return torch.neg(self.value)

    def __sub__(self, other: Any) -> Tensor:
        return self.__add__(-other)

    def __rsub__(self, other: Any) -> Tensor:
        return torch.as_tensor(other - self.value)

    def __truediv__(self, other: Any) -> Tensor:
        return torch.as_tensor(self.value / other)

    def __float__(self) -> float:
        return self.value.item()

    def __format__(self, spec: str) -> str:
        return format(self.value.item(), spec) if spec else repr(self)


class Batch(NamedTuple):
    """n answers about b items.

    subsets: bool (n, k). responses: bool (n,). rows: int (n,), the row of the logits that each answer is about; None
    if answer i is about row i. items: int (b,), the training item of each row of the logits, for objectives that keep
    something for each item. flip_yes, flip_no: rates, scalar or (n,), or None if answers are never wrong.
    """

    subsets: Tensor
    responses: Tensor
    rows: Tensor | None = None
    items: Tensor | None = None
    flip_yes: Tensor | float | None = None
    flip_no: Tensor | float | None = None

    @classmethod
    def of(cls, answers: Answers, device: torch.device | str = "cpu") -> "Batch":
        """All answers except skips; `answers.items` are the rows of the logits that they are about."""
        answers = answers.answered
        rates = above_zero(answers.flip_yes), above_zero(answers.flip_no)
        in_order = np.array_equal(answers.items, np.arange(len(answers)))
        rows = None if in_order else torch.tensor(answers.items, device=device)
        flips = (None if rate is None else torch.tensor(rate, device=device) for rate in rates)
        subsets, responses = (torch.tensor(part, device=device) for part in (answers.subsets, answers.responses))
        return cls(subsets, responses, rows, None, *flips)

    @property
    def noisy(self) -> bool:
        """Whether answers may be wrong."""
        return self.flip_yes is not None or self.flip_no is not None

    def consistent(self) -> Tensor:
        """The labels that each answer leaves possible, bool (n, k)."""
        return consistent_sets(self.subsets, self.responses)

    def per_answer(self, values: Tensor) -> Tensor:
        """Values of items, (b, ...), repeated for each of their answers, (n, ...)."""
        return values if self.rows is None else values[self.rows]

    def per_item(self, values: Tensor, items: int) -> Tensor:
        """Values of answers, (n, k), added up over the answers about each item, (b, k)."""
        if self.rows is None:
            return values
        return values.new_zeros(items, values.shape[1]).index_add_(0, self.rows, values)

    def shares(self, dtype: torch.dtype) -> Tensor | None:
        """The weight of each answer if every item has weight one: 1 / (number of answers about its item). (n,).

        None if every item has one answer, so that this common case costs nothing.
        """
        if self.rows is None:
            return None
        return torch.bincount(self.rows).to(dtype).reciprocal()[self.rows]


class Objective:
    """What training minimises. A subclass defines `raw`; if needed also `counts`, `correct`, and the state it keeps."""

    corrects_flips = False
    """Whether the objective takes flip rates into account; if not, answers with flip rates are refused."""

    def counts(self, batch: Batch) -> Counts:
        """What the raw risk is divided by, to be added up over parts. Here: the number of items with answers."""
        if batch.rows is None:
            return (float(batch.responses.shape[0]),)
        return (float(torch.count_nonzero(torch.bincount(batch.rows))),)

    def raw(self, logits: Tensor, batch: Batch, counts: Counts) -> Tensor:
        """This part's share of the uncorrected risk. counts: of the whole batch. (b, k) -> scalar."""
        raise NotImplementedError

    def correct(self, raw: Tensor) -> Tensor:
        """The risk that is back-propagated, from the raw risk of the whole batch."""
        return raw

    def slope(self, raw: float) -> float:
        """The derivative of `correct`: the gradient of the corrected risk is this times that of the raw risk."""
        if type(self).correct is Objective.correct:
            return 1.0
        z = torch.tensor(raw, dtype=torch.float64, requires_grad=True)
        (slope,) = torch.autograd.grad(self.correct(z), z)
        return float(slope)

    def prepare(self, items: int, classes: int) -> None:
        """Called once before training, for objectives that keep something for each item."""

    def merge(self, total: Callable[[Tensor], Tensor]) -> None:
        """Merge the state of several workers; `total` sums a tensor over them."""

    def state_dict(self) -> dict[str, Any]:
        """The state that a checkpoint must hold, so that training can resume exactly."""
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore the state that `state_dict` gave."""

    def __call__(
        self,
        logits: Tensor,
        subsets: Tensor | Answers,
        responses: Tensor | None = None,
        *,
        rows: Tensor | None = None,
        items: Tensor | None = None,
        flip_yes: Tensor | float | None = None,
        flip_no: Tensor | float | None = None,
    ) -> Risk:
        """The risk of a batch. logits: (b, k). Other arguments: see `Batch`; without `rows`, b = n.

        Instead of subsets, responses, rows and flip rates you can pass `Answers` whose items are rows of the logits.

        >>> from oneof import Answers, objectives
        >>> loss = objectives.create("likelihood")(torch.zeros(1, 4), Answers([[True, True, False, False]], [True]))
        >>> round(loss.item(), 4)
        0.6931
        """
        if isinstance(subsets, Answers):
            beside = {"responses": responses, "rows": rows, "flip_yes": flip_yes, "flip_no": flip_no}
            extra = [name for name, value in beside.items() if value is not None]
            if extra:
                raise ValueError(f"Answers hold their own {extra[0]}: use answers.replace(...) to change them")
            batch = Batch.of(subsets, logits.device)._replace(items=items)
        elif responses is None:
            raise ValueError("responses are missing: pass subsets and responses, or Answers")
        else:
            batch = Batch(subsets, responses, rows, items, above_zero(flip_yes), above_zero(flip_no))
        check(self, logits, batch)
        if logits.dtype.itemsize < 4:
            logits = logits.float()  # a sum of small differences needs full precision
        raw = self.raw(logits, batch, self.counts(batch))
        return Risk(self.correct(raw), raw)

    def __repr__(self) -> str:
        options = (f"{name}={spell(getattr(self, name))}" for name in signature(type(self)).parameters)
        return f"{type(self).__name__}({', '.join(options)})"


def check(objective: Objective, logits: Tensor, batch: Batch) -> None:
    """Refuse shapes and types that would silently broadcast to a wrong result."""
    subsets, responses = batch.subsets, batch.responses
    if logits.ndim != 2 or subsets.ndim != 2 or logits.shape[1] != subsets.shape[1]:
        raise ValueError(
            f"logits {tuple(logits.shape)} and subsets {tuple(subsets.shape)} must be (items, classes) and "
            "(answers, classes) with the same number of classes"
        )
    if subsets.dtype != torch.bool or responses.dtype != torch.bool:
        raise ValueError(f"subsets and responses must be bool tensors, not {subsets.dtype} and {responses.dtype}")
    n = subsets.shape[0]
    if responses.shape != (n,):
        raise ValueError(f"responses must have shape ({n},), one for each answer, not {tuple(responses.shape)}")
    if n == 0:
        raise ValueError("there are no answers in this batch")
    if batch.rows is None and logits.shape[0] != n:
        raise ValueError(f"{n} answers but {len(logits)} rows of logits: pass rows, the row that each answer is about")
    if batch.rows is not None:
        _check_rows(batch.rows, n, len(logits))
    if batch.items is not None and batch.items.shape != (logits.shape[0],):
        raise ValueError(
            f"items must have shape ({len(logits)},), one for each row of logits, not {tuple(batch.items.shape)}"
        )
    if batch.noisy:
        if not objective.corrects_flips:
            raise ValueError(f"{objective} cannot correct for flips; use one of {', '.join(correcting())}")
        _check_rates(batch)


def size_range(sizes: Tensor, classes: int) -> tuple[int, int]:
    """The smallest and the largest of these sizes of sets, (n,); an error if a set is empty or has all labels."""
    smallest, largest = (int(end.item()) for end in sizes.aminmax())
    if smallest < 1 or largest >= classes:
        row = int(((sizes < 1) | (sizes >= classes)).nonzero()[0])
        raise ValueError(
            f"answer {row}: its question has no label or every label, expected 1..{classes - 1} of {classes} labels"
        )
    return smallest, largest


def _check_rows(rows: Tensor, answers: int, items: int) -> None:
    if rows.shape != (answers,) or rows.dtype != torch.int64:
        raise ValueError(
            f"rows must be int64 of shape ({answers},), one for each answer, not {rows.dtype} {tuple(rows.shape)}"
        )
    smallest, largest = (int(end.item()) for end in rows.aminmax())
    if smallest < 0 or largest >= items:
        raise ValueError(f"rows must be in 0..{items - 1}, the rows of the logits, but go from {smallest} to {largest}")


def above_zero(rate: Any) -> Any:
    """The flip rates, or None if all are zero, which means no noise.

    >>> above_zero(0.0), above_zero(np.zeros(3)), above_zero(0.1)
    (None, None, 0.1)
    """
    return rate if rate is not None and (rate != 0 if isinstance(rate, (int, float)) else rate.any()) else None


def _check_rates(batch: Batch) -> None:
    total = torch.zeros(len(batch.responses), device=batch.responses.device)
    for name, rate in (("flip_yes", batch.flip_yes), ("flip_no", batch.flip_no)):
        given = torch.as_tensor(0.0 if rate is None else rate, device=total.device)
        if given.shape not in ((), total.shape):
            raise ValueError(f"{name} must be a number or have shape {tuple(total.shape)}, not {tuple(given.shape)}")
        if not ((given >= 0) & (given < 1)).all():
            raise ValueError(f"{name} must be a rate in [0, 1), but one is {given[~((given >= 0) & (given < 1))][0]}")
        total = total + given
    if not (total < 1).all():
        raise ValueError(f"flip_yes + flip_no must be less than 1, but is {total.max().item():g} for one answer")
