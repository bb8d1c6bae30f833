"""Classes that change while people answer: what answers to earlier questions say about the current classes.

A class keeps its number for ever. Each change of the list of classes (one is added, merged or retired) starts a new
*edition* of the list, and a question belongs to the edition that it was drawn from. Nothing that is stored is ever
rewritten: an answer is read through all changes since its edition, so that every change can be taken back. The labels
that a question showed are then read as follows.

    retire r     r is taken out of the labels. This is exact if no item is of class r. The other labels are still drawn
                 uniformly among those of their number, so the answer goes on judging.
    merge b, a   If both were shown, one label is left; if neither was, nothing changes; both are exact. If only one of
                 them was shown, the merged class stays possible whatever the answer (after a no, the item may be of the
                 part that was not shown): it is among the labels of a yes, and not among those of a no. What the answer
                 says about other classes is kept.
    add n        Depends on where items of class n belonged before. To no class: nothing changes. To class p: n was
                 shown whenever p was. Nobody knows: the answer says nothing about n, so n joins the labels of a yes.

    taken back   A question from before the change is read as if the change had never been. For a question from after
                 it: a class that was retired was not shown; a class that was merged was shown whenever the other was; a
                 class that was added is read as where its items belonged before, by a merge or a retirement, and if
                 nobody knows that, an answer that may depend on it says nothing. Changes are taken back in reverse
                 order, so that the list is afterwards as it was before.

After a merge or an addition the labels are no longer drawn uniformly from the current classes: such answers train, but
do not judge (design "given"). An answer whose labels are none or all of the current classes says nothing any more.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oneof.annotation.project.classes import Class


@dataclass(frozen=True)
class Reading:
    """What an answer says now. shown: its labels, bool (current classes,). uniform: whether they are still so drawn."""

    shown: NDArray[np.bool_]
    uniform: bool


@dataclass(frozen=True)
class Lineage:
    """The classes of a project by number, those that are gone included."""

    classes: Sequence[Class]

    @property
    def edition(self) -> int:
        """The current edition: how often the list was changed."""
        return max(
            (max(one.added, one.ended or 0, *(back for _, back, _ in one.away)) for one in self.classes), default=0
        )

    def active(self, edition: int | None = None) -> list[int]:
        """The numbers of the classes of an edition, by default of the current one, in order."""
        edition = self.edition if edition is None else edition
        return [
            number
            for number, one in enumerate(self.classes)
            if one.added <= edition
            and (one.ended is None or one.ended > edition)
            and not any(gone <= edition < back for gone, back, _ in one.away)
        ]

    def last_change(self) -> int | None:
        """The number of the class that the last change was about, of those not taken back; None without a change."""
        changes = {
            one.ended or one.added: number
            for number, one in enumerate(self.classes)
            if not one.undone and (one.ended or one.added)
        }
        return changes[max(changes)] if changes else None

    def today(self, number: int) -> int | None:
        """The current class that a class number stands for, after merges; None if the class was retired."""
        one = self.classes[number]
        while one.ended is not None:
            if one.into is None:
                return None
            number, one = one.into, self.classes[one.into]
        return number

    def place(self, number: int) -> int | None:
        """The place of a class among the current ones; None if it was retired."""
        current = self.today(number)
        return None if current is None else self.active().index(current)

    def read(self, subset: Sequence[int], yes: bool, edition: int) -> Reading | None:
        """What an answer to these labels, from an edition of the list, says now; None if it says nothing.

        >>> cat, dog, wolf = Class("cat"), Class("dog"), Class("wolf", ended=1, into=1)
        >>> lineage = Lineage([cat, dog, wolf, Class("bird")])
        >>> lineage.read([0, 2], yes=True, edition=0).shown.tolist()
        [True, True, False]
        """
        shown, uniform = set(subset), True
        for step in range(edition + 1, self.edition + 1):
            for number, one in enumerate(self.classes):
                if one.undone and edition < one.added:
                    continue
                returned = [into for gone, back, into in one.away if back == step and gone <= edition]
                if returned:
                    uniform = False
                    if returned[0] in shown:
                        shown.add(number)
                elif one.added == step:
                    uniform = False
                    if (one.before is None and yes) or (isinstance(one.before, int) and one.before in shown):
                        shown.add(number)
                elif one.ended == step and one.into is not None:
                    uniform = False
                    if (one.into in shown) != (number in shown):
                        shown = shown | {one.into} if yes else shown - {one.into}
                    shown.discard(number)
                elif one.ended == step:
                    if one.undone:
                        uniform = False
                        if one.before is None and (number in shown) == yes:
                            return None
                    shown.discard(number)
        active = self.active()
        mask = np.isin(active, list(shown))
        return None if not mask.any() or mask.all() else Reading(mask, uniform)

    def right(self, gold: int, subset: Sequence[int], yes: bool, edition: int) -> bool | None:
        """Whether an answer about an item of the known class `gold` is right; None if that cannot be decided now."""
        if edition == self.edition:
            return (self.today(gold) in subset) == yes
        reading, place = self.read(subset, yes, edition), self.place(gold)
        if reading is None or place is None or not reading.uniform:
            return None
        return bool(reading.shown[place]) == yes
