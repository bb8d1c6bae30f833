"""Images and labels in memory, in the same form whatever the source."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Dataset:
    """One split of a data set.

    images: uint8 (n, channels, height, width), 0 is black. labels: int64 (n,), in 0..k-1. class_names: k names, in the
    order of the labels. name: as the registry has it, such as "mnist".
    """

    images: NDArray[np.uint8]
    labels: NDArray[np.int64]
    class_names: tuple[str, ...]
    name: str

    def __post_init__(self) -> None:
        if self.images.ndim != 4 or self.images.dtype != np.uint8:
            raise ValueError(
                f"{self.name}: images must be uint8 (n, c, h, w), not {self.images.dtype} {self.images.shape}"
            )
        if self.labels.shape != (len(self.images),) or self.labels.dtype != np.int64:
            raise ValueError(
                f"{self.name}: labels must be int64 ({len(self.images)},), not {self.labels.dtype} {self.labels.shape}"
            )
        if len(self.labels) and not 0 <= self.labels.min() <= self.labels.max() < self.classes:
            found = f"{self.labels.min()}..{self.labels.max()}"
            raise ValueError(f"{self.name}: labels must be in 0..{self.classes - 1}, found {found}")

    def __len__(self) -> int:
        """The number of items."""
        return len(self.labels)

    @property
    def classes(self) -> int:
        """The number of classes, k."""
        return len(self.class_names)
