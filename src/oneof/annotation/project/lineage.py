"""Classes that change while people answer: what answers to earlier questions say of the classes of today.

A class keeps its number for ever, and each change of the list (a class is added, merged or retired) starts a new
*edition* of it. A question belongs to the edition that it was drawn from. Nothing that was stored is rewritten: an
answer is read through the changes since, so that every change can be taken back.

    retire r     the question is asked as if r had not been in the list. Exact if no item is of class r; what is left of
                 the labels is still uniform among those of its size, so the answer goes on judging.
    merge b, a   both were shown: one label is left, exact. Neither: nothing changes, exact. One of them: after a yes
                 the merged class is possible and stays in the list; after a no it is possible too (the item may be of
                 the part that was not shown), so it leaves the list. Nothing false is said, and all that was said of
                 other classes is kept.
    add n        where things of class n were before: in no class (a question without n is as it was), in class p (n was
                 shown whenever p was), or nobody knows (nothing is said of n: after a yes it joins the list).

    taken back   for a question from before the change it is as if nothing had been. For one from in between: what was
                 retired was in no list, so it is as an addition from no class; what was merged was shown whenever the
                 other was; what was added goes back to where its things were, by a merge, a retirement, or, where
                 nobody knows, with all that an answer cannot exclude. Changes are taken back last first, so that the
                 list is then as it was before.

After a merge or an addition the labels are no longer drawn uniformly from the classes of today: such answers train,
and judge nothing (design "given"). An answer whose list is empty, or holds every class, says nothing any more.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oneof.annotation.project.classes import Class


@dataclass(frozen=True)
class Reading:
    """What an answer says today. shown: bool (classes of today,). uniform: whether the law of its question is kept."""

    shown: NDArray[np.bool_]
    uniform: bool


@dataclass(frozen=True)
class Lineage:
    """The classes of a project by number, with those that are gone."""

    classes: Sequence[Class]

    @property
    def edition(self) -> int:
        """How often the list was changed."""
        return max(
            (max(one.added, one.ended or 0, *(back for _, back, _ in one.away)) for one in self.classes), default=0
        )

    def active(self, edition: int | None = None) -> list[int]:
        """The numbers of the classes of an edition, by default of today, in order."""
        now = self.edition if edition is None else edition
        return [
            number
            for number, one in enumerate(self.classes)
            if one.added <= now
            and (one.ended is None or one.ended > now)
            and not any(gone <= now < back for gone, back, _ in one.away)
        ]

    def last_change(self) -> int | None:
        """The number of the class whose change of the list is the last that stands; None without one."""
        changes = {
            one.ended or one.added: number
            for number, one in enumerate(self.classes)
            if not one.undone and (one.ended or one.added)
        }
        return changes[max(changes)] if changes else None

    def today(self, number: int) -> int | None:
        """The class that a number stands for today; None if it was retired."""
        one = self.classes[number]
        while one.ended is not None:
            if one.into is None:
                return None
            number, one = one.into, self.classes[one.into]
        return number

    def place(self, number: int) -> int | None:
        """The place of a class among those of today; None if it was retired."""
        now = self.today(number)
        return None if now is None else self.active().index(now)

    def read(self, subset: Sequence[int], yes: bool, edition: int) -> Reading | None:
        """What an answer to these labels, drawn from an edition, says today; None if it says nothing.

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
        """Whether an answer about an item of known class is right; None if that cannot be told any more."""
        if edition == self.edition:
            return (self.today(gold) in subset) == yes
        told, place = self.read(subset, yes, edition), self.place(gold)
        if told is None or place is None or not told.uniform:
            return None
        return bool(told.shown[place]) == yes
