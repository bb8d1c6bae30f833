"""Items and answers as compact tensors, from which a batch is taken by index, without a Python loop over items."""

import warnings
from typing import Any
from zlib import crc32

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from oneof.answers import Answers
from oneof.answers.bitsets import unpack
from oneof.answers.grouping import by_item
from oneof.objectives import Batch
from oneof.objectives.base import above_zero


class Features:
    """The items: images (n, c, h, w), uint8 or float; tables (n, d); or a scipy sparse matrix (n, d).

    Arrays are wrapped, not copied, so memory-mapped ones stay on disk. Only in a batch sparse rows become dense, and
    numbers other than uint8 become float32.

    >>> Features(np.zeros((5, 8, 8), dtype=np.uint8)).shape
    (1, 8, 8)
    """

    def __init__(self, x: Any) -> None:
        self.sparse = sp.issparse(x)
        if self.sparse:
            self._rows = sp.csr_matrix(x, dtype=np.float32)
            shape: tuple[int, ...] = (int(x.shape[1]),)
        else:
            array = x.detach().cpu().numpy() if isinstance(x, Tensor) else np.asanyarray(x)
            if array.ndim not in (2, 3, 4):
                raise ValueError(f"items must be (n, features) or (n, [channels,] height, width), not {array.shape}")
            if array.dtype not in _KINDS:
                array = array.astype(np.float32)
            if array.ndim == 3:
                array = array[:, None]
            if array.ndim == 4 and array.shape[3] in (1, 3) and array.shape[1] not in (1, 3):
                array = np.moveaxis(array, 3, 1)
            if any(stride < 0 for stride in array.strides):
                array = np.ascontiguousarray(array)  # torch has no negative strides, such as those of x[:, ::-1]
            self._tensor = _wrap(array)
            shape = tuple(self._tensor.shape[1:])
        self.shape = shape

    @property
    def image(self) -> bool:
        """Whether the items are images."""
        return len(self.shape) == 3

    def __len__(self) -> int:
        return int(self._rows.shape[0] if self.sparse else len(self._tensor))

    def __getitem__(self, rows: Tensor) -> Tensor:
        if self.sparse:
            return torch.from_numpy(self._rows[rows.numpy()].toarray())
        return _as_network_takes(self._tensor[rows])

    @property
    def values(self) -> Any:
        """The items themselves, not copied: an array, or a sparse matrix."""
        return self._rows if self.sparse else self._tensor.numpy()

    def check_finite(self) -> None:
        """Refuse NaN and infinity, naming the first item and feature."""
        values = torch.from_numpy(self._rows.data) if self.sparse else self._tensor
        if not values.is_floating_point():
            return
        step = max(1, (1 << 20) // max(1, values[:1].numel()))
        for start in range(0, len(values), step):
            bad = (~torch.isfinite(_as_network_takes(values[start : start + step]))).nonzero()
            if len(bad):
                item, *feature = (int(part) for part in (start + bad[0][0], *bad[0][1:]))
                if self.sparse:  # then the position is that of a stored value
                    feature = [int(self._rows.indices[item])]
                    item = int(np.searchsorted(self._rows.indptr, item, side="right")) - 1
                place = f"item {item}, feature {', '.join(map(str, feature))}"
                raise ValueError(f"Input X contains NaN or infinity in {place}; expected finite numbers")


class Answered:
    """The answers, sorted by item: `batch(items)` gives all answers about those items.

    items: the items that have answers, int64 (b,).
    """

    def __init__(self, answers: Answers) -> None:
        self.classes = answers.classes
        order, starts = by_item(answers.items)
        items = answers.items[order]
        self.items = items[starts]
        size = int(items[-1]) + 1 if len(items) else 0
        self._start = torch.zeros(size, dtype=torch.int64)
        self._start[self.items] = torch.from_numpy(starts)
        self._count: Tensor | None = None  # None if every item has one answer
        if len(starts) < len(items):
            self._count = torch.zeros(size, dtype=torch.int64)
            self._count[self.items] = torch.from_numpy(np.diff(starts, append=len(items)))
        self._packed = answers.packed[order]
        self._responses = _wrap(answers.responses[order])
        self._flips = [
            None if rate is None else torch.from_numpy(rate[order].astype(np.float32))
            for rate in (above_zero(answers.flip_yes), above_zero(answers.flip_no))
        ]

    def fingerprint(self) -> int:
        """A checksum of the answers and the items that they are about."""
        total = crc32(self._packed.data, crc32(self._start.numpy().data, self.classes))
        for column in (self._responses, *self._flips):
            total = total if column is None else crc32(column.numpy().data, total)
        return total

    def batch(self, items: Tensor, device: torch.device | str = "cpu") -> Batch:
        """All answers about these items, (b,), each of which must have at least one."""
        if self._count is None:
            places, rows = self._start[items], None
        else:
            counts = self._count[items]
            rows = torch.repeat_interleave(torch.arange(len(items)), counts)
            first = torch.cumsum(counts, 0) - counts
            places = torch.arange(len(rows)) - first[rows] + self._start[items][rows]
            rows = rows.to(device)
        flips = [None if rate is None else rate[places].to(device) for rate in self._flips]
        subsets = torch.from_numpy(unpack(self._packed[places.numpy()], self.classes))
        return Batch(subsets.to(device), self._responses[places].to(device), rows, items.to(device), *flips)


_KINDS = tuple(
    np.dtype(kind) for kind in ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64")
)
"""The types of numbers that torch can wrap without a copy."""


def _as_network_takes(values: Tensor) -> Tensor:
    return values if values.dtype == torch.uint8 else values.float()


def _wrap(array: np.ndarray) -> Tensor:
    """The array as a tensor, not copied even if it is read-only: nothing here writes to it."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The given NumPy array is not writable")
        return torch.from_numpy(array)
