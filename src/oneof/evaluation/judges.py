"""Which answers may judge a model, and notes on those that were left out.

- An answer about an item that the model was trained on must not judge, whatever the question: it agrees too often.
- An answer to an adaptive question (chosen by looking at a model) must not judge, nor one that was given without a
  question (labels, candidate sets, complementary labels): the law of those questions is not known.
- An answer to a question made from a prediction judges that prediction, and no other.
- An annotator whose answers are useless or inverted must not judge (see `annotators`).

A skip ("can't tell") is kept: its answer would have agreed or not. So is an answer whose prediction has changed since
the question was made. Both are *unknown*, and widen the interval on both sides.
"""

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oneof.answers import Answers
from oneof.evaluation.agreement import Floats, agreement_rates, decoy_rates
from oneof.evaluation.estimate import counted

MOST_CHANGED = 0.05
"""If a larger share of the predictions has changed, the questions are taken to be made from another model."""


@dataclass(frozen=True)
class Judges:
    """n answers that may judge, and columns (n,). notes: sentences on what was left out.

    prediction: int, the predicted class of the item. rho1, rho0: flip rates. decoy: whether the question was made from
    the prediction. unknown: whether the answer is a skip, or its prediction has changed since.
    """

    answers: Answers
    prediction: NDArray[np.int64]
    rho1: Floats
    rho0: Floats
    decoy: NDArray[np.bool_]
    unknown: NDArray[np.bool_]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.prediction)

    def __getitem__(self, rows: Any) -> Self:
        columns = {field.name: getattr(self, field.name) for field in fields(self)}
        return type(self)(**{name: value if name == "notes" else value[rows] for name, value in columns.items()})

    @property
    def inside(self) -> NDArray[np.bool_]:
        """Whether the question contains the prediction, bool (n,)."""
        return self.answers.contains(self.prediction)

    @property
    def agrees(self) -> NDArray[np.bool_]:
        """Whether the answer is what it would be if the prediction were right, (n,); False where it is unknown."""
        return np.asarray((self.inside == self.answers.responses) & ~self.unknown)

    def rates(self, rho1: Floats | None = None, rho0: Floats | None = None) -> tuple[Floats, Floats]:
        """P(agrees | prediction right) and P(agrees | prediction wrong), (n,) each; also for other flip rates."""
        flips = self.rho1 if rho1 is None else rho1, self.rho0 if rho0 is None else rho0
        uniform = agreement_rates(self.answers.classes, self.sizes, *flips)
        if not self.decoy.any():
            return uniform
        decoys = decoy_rates(self.answers.classes, self.sizes, *flips)
        return np.where(self.decoy, decoys[0], uniform[0]), np.where(self.decoy, decoys[1], uniform[1])

    def first_of_each_item(self) -> Self:
        """One answer per item, the first that is not unknown: such answers are independent."""
        order = np.lexsort((np.arange(len(self)), self.unknown, self.answers.items))
        items = self.answers.items[order]
        kept = np.sort(order[np.concatenate([[True], items[1:] != items[:-1]])])
        return self if len(kept) == len(self) else self[kept]

    @cached_property
    def one_per_item(self) -> bool:
        """Whether no item has two answers."""
        return len(np.unique(self.answers.items)) == len(self)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The number of labels in each question, (n,)."""
        return self.answers.sizes


def choose_judges(
    predictions: ArrayLike,
    answers: Answers,
    *,
    flip_yes: ArrayLike | None = None,
    flip_no: ArrayLike | None = None,
    trained_on: ArrayLike | None = None,
    decoys: bool = True,
) -> Judges:
    """The answers that may judge these predictions; an error with the reasons if there are none.

    predictions: int (items,). trained_on: the items that the model was trained on. decoys: whether questions that were
    made from predictions may judge.

    >>> answers = Answers([[True, False]] * 3, [True] * 3, design=["uniform", "adaptive", "given"])
    >>> judges = choose_judges([0, 0, 1], answers)
    >>> len(judges), judges.notes[0]
    (1, 'left out 1 answer to questions chosen by looking at a model: those cannot judge it')
    """
    predicted = as_predictions(predictions, answers)
    rho1, rho0 = answers.flips(flip_yes, flip_no)
    _refuse_useless(rho1 + rho0)
    kept, notes = np.ones(len(answers), dtype=np.bool_), []

    def leave_out(rows: NDArray[np.bool_], reason: str) -> None:
        count = int(np.count_nonzero(rows & kept))
        kept[rows] = False
        if count:
            notes.append(f"left out {counted(count)} {reason}")

    leave_out(answers.has_design("adaptive"), "to questions chosen by looking at a model: those cannot judge it")
    leave_out(
        answers.has_design("given"),
        "that were given, not asked (labels, candidate sets, complementary labels): they train, but cannot judge",
    )
    if trained_on is not None:
        leave_out(np.isin(answers.items, np.asarray(trained_on)), "about items that the model was trained on")
    decoy = answers.has_design("prediction")
    changed = np.zeros(len(answers), dtype=np.bool_)
    if decoy.any() and answers.predicted is not None:
        changed = decoy & (predicted[answers.items] != answers.predicted)
        if not decoys:
            leave_out(decoy, "to questions made from predictions: this figure needs questions drawn at random")
        elif np.count_nonzero(changed & kept) > MOST_CHANGED * np.count_nonzero(decoy & kept):
            leave_out(decoy, "to questions made from the predictions of another model: they judge that one alone")
    if not kept.any():
        reasons = "; ".join(notes) or "there are none at all"
        raise ValueError(f"there are no answers to randomly drawn questions to judge by: {reasons}")
    unknown = changed if answers.skipped is None else changed | answers.skipped
    for rows, what in ((unknown & ~changed, "skip"), (changed, "prediction that changed since its question was made")):
        count = int(np.count_nonzero(rows & kept))
        if count:
            notes.append(f"{count} {what}{'s' * (count > 1)} may have agreed or not: the interval allows for both")
    columns = (answers, predicted[answers.items], rho1, rho0, decoy, unknown)
    return Judges(*columns, notes=tuple(notes))[kept]


def as_predictions(predictions: ArrayLike, answers: Answers) -> NDArray[np.int64]:
    """The predictions, after a check that they are class numbers, one for each item that the answers are about."""
    found = np.asarray(predictions)
    if found.ndim != 1 or found.dtype.kind not in "iu":
        raise ValueError(f"predictions must be class numbers (items,), not {found.dtype} {found.shape}")
    if len(found) and not (found.min() >= 0 and found.max() < answers.classes):
        raise ValueError(f"predictions must be in 0..{answers.classes - 1}, found {found.min()}..{found.max()}")
    if len(answers) and answers.items.max() >= len(found):
        raise ValueError(f"there are answers about item {answers.items.max()}, but only {len(found)} items")
    return found.astype(np.int64)


def _refuse_useless(total: Floats) -> None:
    if (total >= 1).any():
        row = int(np.argmax(total >= 1))
        raise ValueError(f"flip_yes + flip_no must be less than 1, but is {total[row]:g} for answer {row}")
