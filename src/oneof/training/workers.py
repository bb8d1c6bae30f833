"""Several processes that train one network on one global batch.

Each worker takes its part of every batch. The counts that an objective divides by are summed over the workers before
the forward pass, the raw risk after it. So each worker back-propagates its exact share of the *global* raw risk, and
the slope of the correction, which is one number, is applied to the summed gradient. An average of the workers' own
corrected risks would be something else, because the correction is not linear.

Processes that wait for each other lose time whenever one of them is late. So nothing is waited for in a step but the
exchange of the gradients: sums of numbers are begun before work that does not need them, and buffers are made equal
once an epoch.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from lightning_fabric import Fabric  # imported late: it takes a second, and only training needs it


class WorkerLost(RuntimeError):
    """Another worker of the run has stopped, so this one cannot continue."""


class Workers:
    """The processes of a run, including this one. With one process every method is trivial and costs nothing."""

    def __init__(self, fabric: "Fabric") -> None:
        self.fabric = fabric
        self.size, self.rank = fabric.world_size, fabric.global_rank

    @property
    def first(self) -> bool:
        """Whether this is the worker that prints and writes."""
        return self.rank == 0

    def part(self, rows: Tensor) -> Tensor:
        """This worker's part of a batch: each item is in the part of exactly one worker."""
        if self.size == 1:
            return rows
        if len(rows) < self.size:
            raise ValueError(f"a batch of {len(rows)} items cannot be shared by {self.size} workers: enlarge it")
        return torch.tensor_split(rows, self.size)[self.rank]

    def begin_sum(self, numbers: Sequence[float]) -> Callable[[], tuple[float, ...]]:
        """Begin to sum each number over the workers; the function returned waits for the sums."""
        if self.size == 1:
            return lambda: tuple(numbers)
        values = torch.tensor(numbers, dtype=torch.float64, device=self.fabric.device)
        work = torch.distributed.all_reduce(values, async_op=True)

        def sums() -> tuple[float, ...]:
            work.wait()
            return tuple(values.tolist())

        return sums

    def sum_numbers(self, numbers: Sequence[float]) -> tuple[float, ...]:
        """Each number summed over the workers."""
        return self.begin_sum(numbers)()

    def sum(self, values: Tensor) -> Tensor:
        """A tensor summed over the workers."""
        return values if self.size == 1 else cast(Tensor, self.fabric.all_reduce(values.clone(), reduce_op="sum"))

    def share_buffers(self, network: nn.Module) -> None:
        """Give every worker the buffers of the first one, such as the running statistics of batch normalisation.

        Each worker's own come from its parts of the batches, and are not used in training.
        """
        if self.size > 1:
            for buffer in network.buffers():
                torch.distributed.broadcast(buffer, src=0)

    def gather(self, values: Tensor) -> Tensor:
        """The values of all workers, one row for each."""
        rows = torch.zeros(self.size, *values.shape, dtype=values.dtype)
        rows[self.rank] = values
        return self.sum(rows)

    @contextmanager
    def watch(self, path: Path | None) -> Iterator[None]:
        """Within this block an error of the communication layer, because a worker was lost, becomes `WorkerLost`."""
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
        """A context in which gradients are not summed over the workers: for all micro-batches but the last."""
        if self.size == 1:
            return nullcontext()
        return self.fabric.no_backward_sync(module, enabled=enabled)

    def agree(self, wish: bool, position: int) -> bool:
        """The wish of the first worker, for all; False except at every fiftieth position, where they communicate."""
        if self.size == 1:
            return wish
        return position % 50 == 0 and self.sum_numbers([float(wish and self.first)])[0] > 0

    def wait(self) -> None:
        """Wait until all workers have come here."""
        if self.size > 1:
            self.fabric.barrier()


PRECISIONS = {"32": "32-true", "bf16": "bf16-mixed", "16": "16-mixed"}
"""Fabric's names for the precisions of a configuration."""


def launch(devices: int = 1, nodes: int = 1, *, precision: str = "32", device: str = "auto") -> "Fabric":
    """Start the workers of this command, or join them if torchrun has started them; each runs the code that follows."""
    from lightning_fabric import Fabric
    from lightning_fabric.strategies.ddp import DDPStrategy

    if precision == "16" and not torch.cuda.is_available():
        # Half precision needs scaled gradients, which only CUDA supports; elsewhere Fabric would silently use another.
        raise ValueError("precision 16 needs a GPU with CUDA, and there is none: use bf16 or 32")
    options: dict[str, Any] = {"accelerator": device, "precision": PRECISIONS[precision]}
    if devices * nodes == 1:
        return Fabric(devices=1, **options)
    fabric = Fabric(devices=devices, num_nodes=nodes, strategy=DDPStrategy(broadcast_buffers=False), **options)
    fabric.launch()
    return fabric
