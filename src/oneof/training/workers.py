"""Several processes that train one network on one global batch.

Each worker takes its part of every batch. The counts that an objective divides by are summed over the workers before
the forward pass, the raw risk after it; so each back-propagates its exact share of the *global* raw risk, and the
slope of the correction, which is one number, is applied to the summed gradient. Averaging risks that each worker has
corrected by itself would not give the same: the correction is not linear.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, cast

import torch
from lightning_fabric import Fabric
from torch import Tensor


class WorkerLost(RuntimeError):
    """Another worker of the run has stopped, so this one cannot go on."""


class Workers:
    """The processes of a run, this one among them; alone it does nothing and costs nothing."""

    def __init__(self, fabric: Fabric) -> None:
        self.fabric = fabric
        self.size, self.rank = fabric.world_size, fabric.global_rank

    @property
    def first(self) -> bool:
        """Whether this is the worker that prints and writes."""
        return self.rank == 0

    def part(self, rows: Tensor) -> Tensor:
        """This worker's part of a batch: together the parts are the batch, and no item is in two of them."""
        if self.size == 1:
            return rows
        if len(rows) < self.size:
            raise ValueError(f"a batch of {len(rows)} items cannot be shared by {self.size} workers: enlarge it")
        return torch.tensor_split(rows, self.size)[self.rank]

    def sum_numbers(self, numbers: Sequence[float]) -> tuple[float, ...]:
        """Each number summed over the workers."""
        if self.size == 1:
            return tuple(numbers)
        return tuple(self.sum(torch.tensor(numbers, dtype=torch.float64)).tolist())

    def sum(self, values: Tensor) -> Tensor:
        """A tensor summed over the workers."""
        return values if self.size == 1 else cast(Tensor, self.fabric.all_reduce(values.clone(), reduce_op="sum"))

    def gather(self, values: Tensor) -> Tensor:
        """One row per worker."""
        rows = torch.zeros(self.size, *values.shape, dtype=values.dtype)
        rows[self.rank] = values
        return self.sum(rows)

    @contextmanager
    def watch(self, path: Path | None) -> Iterator[None]:
        """Turn what the network layer says when a worker is gone into what the user can do about it."""
        try:
            yield
        except torch.distributed.DistError as error:
            raise self._lost(path) from error
        except RuntimeError as error:
            if self.size > 1 and any(word in str(error) for word in ("gloo", "NCCL", "onnection")):
                raise self._lost(path) from error
            raise

    def _lost(self, path: Path | None) -> WorkerLost:
        kept = f"; go on from {path} with --resume" if path is not None and path.exists() else ""
        return WorkerLost(f"worker {self.rank} of {self.size} stopped, because another one was lost{kept}")

    def unsynchronised(self, module: Any, enabled: bool) -> AbstractContextManager[Any]:
        """Gradients of all but the last micro-batch stay here, to be summed over the workers once."""
        if self.size == 1:
            return nullcontext()
        return self.fabric.no_backward_sync(module, enabled=enabled)

    def agree(self, wish: bool, position: int) -> bool:
        """What the first worker wishes, for all of them; they ask each other only at every fiftieth position."""
        if self.size == 1:
            return wish
        return position % 50 == 0 and self.sum_numbers([float(wish and self.first)])[0] > 0

    def wait(self) -> None:
        """Until all workers have come this far."""
        if self.size > 1:
            self.fabric.barrier()


PRECISIONS = {"32": "32-true", "bf16": "bf16-mixed", "16": "16-mixed"}
"""What Fabric calls the precisions of a configuration."""


def launch(devices: int = 1, nodes: int = 1, *, precision: str = "32", device: str = "auto") -> Fabric:
    """Start (or, under torchrun, join) the workers of this command; each runs what follows."""
    if precision == "16" and not torch.cuda.is_available():
        # Half precision needs its gradients scaled, and only CUDA can; elsewhere it would silently be another one.
        raise ValueError("precision 16 needs a GPU with CUDA, and there is none: use bf16 or 32")
    options: dict[str, Any] = {"accelerator": device, "precision": PRECISIONS[precision]}
    if devices * nodes == 1:
        return Fabric(devices=1, **options)
    fabric = Fabric(devices=devices, num_nodes=nodes, strategy="ddp", **options)
    fabric.launch()
    return fabric
