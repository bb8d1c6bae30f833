"""Items and answers as compact tensors; a batch is cut out by index, with no work per item in Python."""

from typing import Any
from zlib import crc32

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from oneof.answers import Answers
from oneof.objectives import Batch


class Features:
    """The items: images (n, c, h, w), uint8 or float; tables (n, d); or a scipy sparse matrix (n, d).

    Arrays are wrapped, not copied, so memory-mapped ones stay on disk; sparse rows become dense a batch at a time.

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
            if array.dtype != np.uint8 and array.dtype != np.float32:
                array = array.astype(np.float32)
            if array.ndim == 3:
                array = array[:, None]
            if array.ndim == 4 and array.shape[3] in (1, 3) and array.shape[1] not in (1, 3):
                array = np.moveaxis(array, 3, 1)
            if any(stride < 0 for stride in array.strides):
                array = np.ascontiguousarray(array)  # torch has no negative strides, as of x[:, ::-1]
            self._tensor = torch.from_numpy(array if array.flags.writeable else _wrap_read_only(array))
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
        return self._tensor[rows]

    def check_finite(self) -> None:
        """Refuse NaN and infinity, naming the first item and feature."""
        values = self._rows.data if self.sparse else self._tensor.numpy()
        if values.dtype == np.uint8:
            return
        for start in range(0, len(values), 4096):
            bad = np.argwhere(~np.isfinite(values[start : start + 4096]))
            if len(bad):
                item, *feature = (int(part) for part in (start + bad[0][0], *bad[0][1:]))
                if self.sparse:  # there the position is one among the stored values
                    feature = [int(self._rows.indices[item])]
                    item = int(np.searchsorted(self._rows.indptr, item, side="right")) - 1
                place = f"item {item}, feature {', '.join(map(str, feature))}"
                raise ValueError(f"Input X contains NaN or infinity in {place}; expected finite numbers")


class Answered:
    """The answers, arranged by item: `batch(items)` gives all answers about those items.

    rows: the items that have any answer, int64 (b,).
    """

    def __init__(self, answers: Answers) -> None:
        self.classes = answers.classes
        order = np.argsort(answers.items, kind="stable")
        items = answers.items[order]
        self.items, starts, counts = np.unique(items, return_index=True, return_counts=True)
        size = int(items[-1]) + 1 if len(items) else 0
        self._start = torch.zeros(size, dtype=torch.int64)
        self._count = torch.zeros(size, dtype=torch.int64)
        self._start[self.items] = torch.from_numpy(starts)
        self._count[self.items] = torch.from_numpy(counts)
        self._single = bool((counts == 1).all())
        self._subsets = torch.from_numpy(answers.subsets[order])
        self._responses = torch.from_numpy(answers.responses[order])
        self._flips = [
            None if rate is None else torch.from_numpy(rate[order].astype(np.float32))
            for rate in (answers.flip_yes, answers.flip_no)
        ]

    def fingerprint(self) -> int:
        """A number that other answers, or the same about other items, would hardly have."""
        total = crc32(self._start.numpy().data)
        for column in (self._subsets, self._responses, *self._flips):
            total = total if column is None else crc32(column.numpy().data, total)
        return total

    def batch(self, items: Tensor, device: torch.device | str = "cpu") -> Batch:
        """Every answer about these items, (b,), each of which has one at least."""
        if self._single:
            at, rows = self._start[items], None
        else:
            counts = self._count[items]
            rows = torch.repeat_interleave(torch.arange(len(items)), counts)
            first = torch.cumsum(counts, 0) - counts
            at = torch.arange(len(rows)) - first[rows] + self._start[items][rows]
            rows = rows.to(device)
        flips = [None if rate is None else rate[at].to(device) for rate in self._flips]
        return Batch(self._subsets[at].to(device), self._responses[at].to(device), rows, items.to(device), *flips)


def _wrap_read_only(array: np.ndarray) -> np.ndarray:
    """torch warns about read-only memory, which we never write to; a memory map is opened again as copy-on-write."""
    if isinstance(array, np.memmap) and array.filename is not None and array.flags.c_contiguous:
        return np.memmap(array.filename, dtype=array.dtype, mode="c", offset=array.offset, shape=array.shape)
    return array.copy()
