"""Pictures as they are: scaled into one frame, (n, channels, height, width) bytes, for a network trained on them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from oneof.encoders.base import Encoded, Encoder, State
from oneof.encoders.reading import as_pictures, decode_all
from oneof.items.allocating import allocate
from oneof.items.pictures import Fill, Frame, Unreadable

SAMPLE = 2000
"""Pictures that the frame is learned from."""


class Pixels(Encoder):
    """Bytes of pictures in a frame that is learned: median height and width, and grey where all pictures are.

    size: of the longer side of the frame, at most. fill, background: see `oneof.items.pictures.Frame`.

    >>> Pixels().fit(np.zeros((5, 28, 28), np.uint8)).frame_.shape
    (1, 28, 28)
    """

    name: str = "pixels"
    takes: str = "pictures"
    frame_: Frame

    def __init__(self, size: int = 64, fill: Fill = "pad", background: str = "white") -> None:
        self.size = size
        self.fill = fill
        self.background = background

    def fit(self, X: Any, y: Any = None) -> "Pixels":
        """Learn the frame from the outlines of the pictures; those that cannot be read do not count."""
        pictures = as_pictures(X)
        outlines, why = [], ""
        for row in range(0, len(pictures), max(1, len(pictures) // SAMPLE)):
            try:
                outlines.append(pictures.outline(row))
            except Unreadable as error:
                why = why or f"{getattr(pictures[row], 'name', f'number {row}')}: {error}"
        if not outlines:
            raise ValueError(f"none of the {len(pictures)} pictures can be read: {why}")
        height, width = (float(np.median([outline[side] for outline in outlines])) for side in (0, 1))
        scale = min(1.0, self.size / max(height, width))
        grey = all(outline[2] for outline in outlines)
        return self.framed(max(1, round(height * scale)), max(1, round(width * scale)), grey)

    def framed(self, height: int, width: int, grey: bool) -> "Pixels":
        """This encoder with the given frame in place of a learned one."""
        self.frame_ = Frame(height, width, grey, self.fill, self.background)
        return self

    def encode(self, X: Any, *, shown: bool = False) -> Encoded:
        """Bytes (m, channels, height, width); on disk where they are too many for memory."""
        pictures = as_pictures(X)
        x: NDArray[np.uint8] = allocate((len(pictures), *self.frame_.shape), np.dtype(np.uint8))
        rows: list[int] = []
        problems: dict[int, str] = {}
        for row, found in decode_all(pictures, self.frame_, shown=shown):
            if isinstance(found, Unreadable):
                problems[row] = str(found)
            else:
                x[len(rows)] = found
                rows.append(row)
        return Encoded(x[: len(rows)], np.array(rows, dtype=np.int64), problems)

    def state(self) -> State:
        """The frame."""
        return {"height": self.frame_.height, "width": self.frame_.width, "grey": self.frame_.grey}, {}

    def restore(self, facts: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> "Pixels":
        """This encoder with the frame of another."""
        return self.framed(**facts)
