"""Other sources of answers than questions: labels, candidate sets, complementary labels, frames and files.

A label y is a yes to "is it one of {y}?", a candidate set C a yes to "is it one of C?", and a complementary label (a
class that it is *not*) a no to "is it one of {y}?". They train like any other answer. They cannot judge: the questions
were not drawn at random, so nobody knows how often a wrong prediction agrees with them.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oneof.answers.checks import as_bits, listed, refuse_first

if TYPE_CHECKING:
    import pandas as pd

    from oneof.answers.table import Answers


def of_labels(labels: ArrayLike, classes: int | Sequence[str], response: bool) -> dict[str, Any]:
    """The columns of answers to questions with one label each, which all have the same response.

    labels: (n,), class numbers, or names if `classes` gives names.
    """
    names = None if isinstance(classes, (int, np.integer)) else [str(name) for name in classes]
    k = int(classes) if isinstance(classes, (int, np.integer)) else len(classes)
    array = np.asarray(labels)
    if array.ndim != 1:
        raise ValueError(f"labels must have shape (n,), not {array.shape}")
    if array.dtype.kind in "OUT" and names is not None:
        place = {name: number for number, name in enumerate(names)}
        numbers = np.array([place.get(str(label), -1) for label in array], dtype=np.int64)
        expected = f"one of {listed(names)}"
    elif array.dtype.kind in "iu" or not array.size:
        numbers, expected = array.astype(np.int64), f"a class number in 0..{k - 1}"
    else:
        raise ValueError(f"labels must be class numbers, or names if classes are names, not {array.dtype}")
    refuse_first((numbers < 0) | (numbers >= k), lambda i: f"label {array[i]}, expected {expected}")
    subsets = np.zeros((len(numbers), k), dtype=np.bool_)
    subsets[np.arange(len(numbers)), numbers] = True
    responses = np.full(len(numbers), response)
    return {"subsets": subsets, "responses": responses, "class_names": names, "design": "given"}


def of_candidates(mask: ArrayLike) -> dict[str, Any]:
    """The columns of a yes to each candidate set, bool (n, k). A set of all classes becomes a skip."""
    sets = as_bits(mask, "candidates", ndim=2)
    sizes = sets.sum(axis=1)
    refuse_first(sizes == 0, lambda i: "no candidate, expected at least one label")
    skipped = sizes == sets.shape[1]
    # No question may have all labels, so a skip gets an arbitrary one: nothing depends on it.
    sets = np.where(skipped[:, None], np.arange(sets.shape[1]) == 0, sets)
    return {"subsets": sets, "responses": ~skipped, "skipped": skipped, "design": "given"}


def of_signed(signed: ArrayLike) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Subsets and responses from an array (n, k) of +1, -1 and 0."""
    array = np.asarray(signed)
    if array.ndim != 2 or not np.isin(array, (-1, 0, 1)).all():
        raise ValueError(f"signed must be an array (n, classes) of -1, 0 and +1, not shape {array.shape}")
    yes, no = (array == 1).any(axis=1), (array == -1).any(axis=1)
    refuse_first(yes & no, lambda i: "holds both +1 and -1, expected one sign: an answer is yes or no")
    return array != 0, yes


class Sources:
    """The methods of `Answers` that make them from something else, or something else from them."""

    if TYPE_CHECKING:

        def __init__(self, *args: Any, **columns: Any) -> None: ...

    @classmethod
    def from_labels(cls, labels: ArrayLike, classes: int | Sequence[str], items: ArrayLike | None = None) -> Self:
        """Exact labels, (n,), as answers: each is a yes to a question about itself alone. They train, but cannot judge.

        >>> from oneof import Answers
        >>> Answers.from_labels([2, 0], classes=3).consistent
        array([[False, False,  True],
               [ True, False, False]])
        """
        return cls(items=items, **of_labels(labels, classes, response=True))

    @classmethod
    def from_complementary(
        cls, labels: ArrayLike, classes: int | Sequence[str], items: ArrayLike | None = None
    ) -> Self:
        """Complementary labels, (n,), as answers: a class that the item is not. They train, but cannot judge.

        >>> from oneof import Answers
        >>> Answers.from_complementary([2], classes=3).consistent
        array([[ True,  True, False]])
        """
        return cls(items=items, **of_labels(labels, classes, response=False))

    @classmethod
    def from_candidates(
        cls, mask: ArrayLike, class_names: Sequence[str] | None = None, items: ArrayLike | None = None
    ) -> Self:
        """Candidate sets (partial labels), bool (n, k), as answers. They train, but cannot judge.

        >>> from oneof import Answers
        >>> Answers.from_candidates([[True, False, True]]).consistent
        array([[ True, False,  True]])
        """
        return cls(items=items, class_names=class_names, **of_candidates(mask))

    @classmethod
    def from_signed(cls, signed: ArrayLike, items: ArrayLike | None = None, **columns: Any) -> Self:
        """The inverse of `signed`: an array (n, k) of +1, -1 and 0.

        >>> from oneof import Answers
        >>> Answers.from_signed([[0, -1, -1]]).consistent
        array([[ True, False, False]])
        """
        return cls(*of_signed(signed), items, **columns)

    @classmethod
    def from_frame(cls, frame: "pd.DataFrame", *, classes: int | Sequence[str] | None = None) -> "Answers":
        """From a table with columns item, subset (a list of labels, or text), answer, and the optional ones of `load`.

        >>> import pandas as pd
        >>> from oneof import Answers
        >>> table = pd.DataFrame({"item": ["a", "b"], "subset": [["cat", "dog"], ["owl"]], "answer": ["yes", "n"]})
        >>> Answers.from_frame(table).class_names
        ('cat', 'dog', 'owl')
        """
        from oneof.answers.frames import from_frame  # pandas and pyarrow are slow to import

        return from_frame(frame, classes)

    def to_frame(self) -> "pd.DataFrame":
        """A table with one row for each answer: item, subset (a list of labels), answer, and the other known columns.

        >>> from oneof import Answers
        >>> Answers([[True, False]], [True], class_names=["cat", "dog"]).to_frame().to_dict("records")
        [{'item': 0, 'subset': ['cat'], 'answer': 'yes'}]
        """
        from oneof.answers.frames import to_frame  # pandas and pyarrow are slow to import

        return to_frame(cast("Answers", self))

    def save(self, path: str | Path) -> None:
        """Write a .csv, .jsonl, .parquet or .npz file, complete or not at all. `load` gives the same answers back."""
        from oneof.answers.files import save  # pandas and pyarrow are slow to import

        save(cast("Answers", self), Path(path))

    @classmethod
    def load(cls, path: str | Path, *, classes: int | Sequence[str] | None = None) -> "Answers":
        """Read answers from .csv, .jsonl, .parquet or .npz.

        Columns: item, subset (labels joined by `|` in csv, a list elsewhere), answer (yes, no or skip), and where they
        are known annotator, flip_yes, flip_no, design, predicted. classes: how many, or their names in order; by
        default what the file says, or else the labels seen in it.
        """
        from oneof.answers.files import load  # pandas and pyarrow are slow to import

        return load(Path(path), classes=classes)
