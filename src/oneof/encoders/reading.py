"""Raw items in the forms that people pass: as pictures, as texts."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from oneof.items.pictures import Frame, Pictures, Unreadable


def as_pictures(X: Any) -> Pictures:
    """Pictures from `Pictures`, a list of paths, PIL images or arrays, or an array (n, h, w[, c]) or (n, c, h, w).

    >>> len(as_pictures(np.zeros((5, 8, 8))))
    5
    """
    if isinstance(X, Pictures):
        return X
    if isinstance(X, str):
        raise ValueError(f"expected several pictures, but got one text, {X[:80]!r}: put its path in a list")
    if not isinstance(X, np.ndarray) and not hasattr(X, "__array__"):
        try:
            return Pictures(list(X))
        except TypeError:
            raise ValueError(f"expected a list of pictures or of their paths, but got {type(X).__name__}") from None
    array = np.asanyarray(X)
    if array.dtype.kind in "OUS":
        return Pictures([str(source) if isinstance(source, np.str_) else source for source in array.ravel()])
    if array.ndim not in (3, 4):
        raise ValueError(f"expected pictures (n, h, w), (n, h, w, c) or (n, c, h, w), but got an array {array.shape}")
    return Pictures(array)


def as_texts(X: Any) -> list[str]:
    """Texts from a list, an array or a column of a frame.

    >>> as_texts(np.array(["one", "two"]))
    ['one', 'two']
    """
    if isinstance(X, str):
        raise ValueError(f"expected several texts, but got one, {X[:80]!r}: put it in a list")
    if hasattr(X, "columns"):
        if "text" not in X:
            raise ValueError(f"expected a column text, found {', '.join(map(str, X.columns))}")
        X = X["text"]
    texts: list[str] = np.asarray(X, dtype=object).ravel().tolist()
    for row, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(f"item {row} is not a text but {type(text).__name__}: {str(text)[:80]}")
    return texts


def decode_all(
    pictures: Pictures, frame: Frame, *, shown: bool = False
) -> Iterator[tuple[int, NDArray[np.uint8] | Unreadable]]:
    """Each row with its picture in the frame, or with the reason why there is none. shown: with a progress bar."""
    yield from enumerate(
        track(pictures.decoded(frame), description="pictures", total=len(pictures), disable=not shown, transient=True)
    )
