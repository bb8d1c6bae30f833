"""Who may judge a model: the one place that decides which answers count, and says what was left out.

- Never an answer about an item that the model was trained on: it agrees too often. The item counts, not the question.
- Never an answer to an adaptive question (chosen by looking at the model), nor one that was given rather than asked
  (labels, candidate sets, complementary labels): the law of those questions is not known.
- An answer to a question made from a prediction judges that prediction, and no other.
- Never an annotator whose answers say nothing, or the opposite (see `annotators`).

A skip ("can't tell") stays: whatever its reason, the answer would have agreed or not. So does a prediction that
changed since its question was made. Both are *unknown*, and widen the interval on both sides.
"""

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oneof.answers import Answers
from oneof.evaluation.agreement import Floats, agreement_rates, decoy_rates

MOST_CHANGED = 0.05
"""The share of changed predictions above which the questions are taken to be about another model."""


@dataclass(frozen=True)
class Judges:
    """n answers that may judge, one entry each. notes: what was left out, in sentences.

    guess: int, the model's class for the item. rho1, rho0: flip rates. decoy: whether the question was made from the
    prediction. unknown: whether the answer is a skip, or its prediction has changed since.
    """

    answers: Answers
    guess: NDArray[np.int64]
    rho1: Floats
    rho0: Floats
    decoy: NDArray[np.bool_]
    unknown: NDArray[np.bool_]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.guess)

    def __getitem__(self, rows: Any) -> Self:
        columns = {field.name: getattr(self, field.name) for field in fields(self)}
        return type(self)(**{name: value if name == "notes" else value[rows] for name, value in columns.items()})

    @property
    def inside(self) -> NDArray[np.bool_]:
        """Whether the question holds the prediction, (n,)."""
        return self.answers.contains(self.guess)

    @property
    def agrees(self) -> NDArray[np.bool_]:
        """Whether the answer is what it would be if the prediction were right, (n,); False where it is unknown."""
        return np.asarray((self.inside == self.answers.responses) & ~self.unknown)

    def rates(self, rho1: Floats | None = None, rho0: Floats | None = None) -> tuple[Floats, Floats]:
        """P(agrees | prediction right) and P(agrees | prediction wrong) of each answer, (n,); with other flip rates."""
        told = self.answers.classes, self.sizes, *_pair(self, rho1, rho0)
        uniform = agreement_rates(*told)
        if not self.decoy.any():
            return uniform
        right, wrong = (np.where(self.decoy, a, b) for a, b in zip(decoy_rates(*told), uniform, strict=True))
        return right, wrong

    def first_of_each_item(self) -> Self:
        """One answer per item, the first that is not unknown: answers about different items are independent."""
        order = np.lexsort((np.arange(len(self)), self.unknown, self.answers.items))
        items = self.answers.items[order]
        kept = np.sort(order[np.concatenate([[True], items[1:] != items[:-1]])])
        return self if len(kept) == len(self) else self[kept]

    @cached_property
    def one_an_item(self) -> bool:
        """Whether no item has two answers."""
        return len(np.unique(self.answers.items)) == len(self)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Labels in each question, (n,)."""
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
    """The answers that may judge these predictions; an error that says why where there are none.

    predictions: int (items,). trained_on: the items that the model has learned from, if any of them is among these.
    decoys: whether questions made from predictions may judge as well.

    >>> answers = Answers([[True, False]] * 3, [True] * 3, design=["uniform", "adaptive", "given"])
    >>> judges = choose_judges([0, 0, 1], answers)
    >>> len(judges), judges.notes[0]
    (1, 'left out 1 answer to questions chosen by looking at a model: those cannot judge it')
    """
    guesses = as_predictions(predictions, answers)
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
        changed = decoy & (guesses[answers.items] != answers.predicted)
        others = not decoys or np.count_nonzero(changed & kept) > MOST_CHANGED * np.count_nonzero(decoy & kept)
        if others:
            leave_out(decoy, "to questions made from the predictions of another model: they judge that one alone")
    if not kept.any():
        reasons = "; ".join(notes) or "there are none at all"
        raise ValueError(f"there are no answers to randomly drawn questions to judge by: {reasons}")
    unknown = changed if answers.skipped is None else changed | answers.skipped
    for rows, what in ((unknown & ~changed, "skip"), (changed, "prediction that changed since its question was made")):
        count = int(np.count_nonzero(rows & kept))
        if count:
            notes.append(f"{count} {what}{'s' * (count > 1)} may have agreed or not: the interval allows for both")
    columns = (answers, guesses[answers.items], rho1, rho0, decoy, unknown)
    return Judges(*columns, notes=tuple(notes))[kept]


def as_predictions(predictions: ArrayLike, answers: Answers) -> NDArray[np.int64]:
    """Class numbers, one for each item that the answers are about."""
    found = np.asarray(predictions)
    if found.ndim != 1 or found.dtype.kind not in "iu":
        raise ValueError(f"predictions must be class numbers (items,), not {found.dtype} {found.shape}")
    if len(found) and not (found.min() >= 0 and found.max() < answers.classes):
        raise ValueError(f"predictions must be in 0..{answers.classes - 1}, found {found.min()}..{found.max()}")
    if len(answers) and answers.items.max() >= len(found):
        raise ValueError(f"there are answers about item {answers.items.max()}, but only {len(found)} items")
    return found.astype(np.int64)


def counted(count: int, what: str = "answer") -> str:
    """So many of something, in words."""
    return f"{count:,} {what}{'s' * (count != 1)}"


def _pair(judges: Judges, rho1: Floats | None, rho0: Floats | None) -> tuple[Floats, Floats]:
    return judges.rho1 if rho1 is None else rho1, judges.rho0 if rho0 is None else rho0


def _refuse_useless(total: Floats) -> None:
    if (total >= 1).any():
        row = int(np.argmax(total >= 1))
        raise ValueError(f"flip_yes + flip_no must be less than 1, but is {total[row]:g} for answer {row}")
