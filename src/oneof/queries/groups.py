"""Groups of classes: "a bird" is one label to read, and stands for all the kinds of birds.

A question is a set of classes, and its answer tells the same of each of them however the set was shown. So a group is
only a name for several classes: `shown` says how to write a question with as few labels as its groups allow, and
nothing else has to know of them: not the answers, not the evidence, not training.

With many classes, groups are what makes short questions tell much: of 100 classes, five labels hold 5 % of what is
believed, and the answer is worth 0.29 bits; two groups of 20 and some labels hold half of it, and give a whole bit.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

Bits = NDArray[np.bool_]
Floats = NDArray[np.float64]

OFFERED = 0.5
"""Share of the groups that a question may use, drawn anew for each: the same groups always together would leave
classes that no answer separates."""


@dataclass(frozen=True)
class Groups:
    """g groups of k classes. names: g names. members: bool (g, k), two classes at least in each, never all of them.

    >>> groups = Groups.from_parents(["bird", "bird", "pet", "pet", ""])
    >>> groups.names
    ('bird', 'pet')
    >>> groups.shown([True, True, False, True, False])
    (['bird'], [3])
    """

    names: tuple[str, ...]
    members: Bits

    def __post_init__(self) -> None:
        members = np.asarray(self.members, dtype=np.bool_)
        object.__setattr__(self, "members", members)
        if members.ndim != 2 or len(members) != len(self.names):
            raise ValueError(f"members must have shape ({len(self.names)}, classes), not {members.shape}")
        if len(set(self.names)) < len(self.names):
            raise ValueError(f"group names must differ, but {_twice(self.names)!r} comes twice")
        sizes, k = members.sum(axis=1), members.shape[1]
        odd = np.flatnonzero((sizes < 2) | (sizes >= k))
        if len(odd):
            raise ValueError(
                f"group {self.names[odd[0]]!r} has {sizes[odd[0]]} of {k} classes, expected at least 2 and not all"
            )

    def __len__(self) -> int:
        return len(self.names)

    @classmethod
    def from_parents(cls, parents: Sequence[str]) -> "Groups":
        """From the parent of each class: a name, a path such as "animal/bird" for groups within groups, or nothing.

        A parent of a single class, or of all, is no group: it would be another name for what can be asked without it.
        """
        paths = [[part.strip() for part in str(parent).split("/") if part.strip()] for parent in parents]
        found: dict[str, list[int]] = {}
        for label, path in enumerate(paths):
            for depth in range(len(path)):
                found.setdefault("/".join(path[: depth + 1]), []).append(label)
        kept = {name: labels for name, labels in found.items() if 2 <= len(labels) < len(paths)}
        members = np.zeros((len(kept), len(paths)), dtype=np.bool_)
        for row, labels in enumerate(kept.values()):
            members[row, labels] = True
        return cls(tuple(kept), members)

    @classmethod
    def from_confusions(cls, beliefs: ArrayLike, count: int, class_names: Sequence[str] | None = None) -> "Groups":
        """About `count` groups of classes that a model confuses. beliefs: (n, k), as `adaptive.belief` gives them.

        Two classes are near if the same items are believed to be of both (average linkage over the cosine of their
        columns). The names list the members.

        >>> p = [[0.5, 0.5, 0.0, 0.0], [0.4, 0.6, 0.0, 0.0], [0.0, 0.0, 0.3, 0.7], [0.1, 0.0, 0.6, 0.3]]
        >>> Groups.from_confusions(p, 2, ["crow", "raven", "cat", "lynx"]).names
        ('crow, raven', 'cat, lynx')
        """
        q = np.asarray(beliefs, dtype=np.float64)
        if q.ndim != 2 or not 2 <= count <= q.shape[1]:
            raise ValueError(f"{count} groups need beliefs of shape (items, at least {count} classes), not {q.shape}")
        names = [str(j) for j in range(q.shape[1])] if class_names is None else list(class_names)
        columns = q / np.maximum(np.linalg.norm(q, axis=0), 1e-300)
        apart = (1 - columns.T @ columns).clip(0, 1)
        np.fill_diagonal(apart, 0)
        of = fcluster(linkage(squareform(apart, checks=False), "average"), count, "maxclust")
        together = [np.flatnonzero(of == number) for number in dict.fromkeys(of.tolist())]
        parents = np.full(len(names), "", dtype=object)
        for labels in together:
            parents[labels] = ", ".join(names[j] for j in labels).replace("/", " or ")
        return cls.from_parents(parents.tolist())

    def shown(self, subset: ArrayLike) -> tuple[list[str], list[int]]:
        """How to show a question, bool (k,): the groups that it contains whole, largest first, and other classes."""
        left = np.array(subset, dtype=np.bool_)
        if left.shape != (self.members.shape[1],):
            raise ValueError(f"the question must have shape ({self.members.shape[1]},), not {left.shape}")
        names = []
        for group in np.argsort(-self.members.sum(axis=1), kind="stable"):
            if left[self.members[group]].all():
                names.append(self.names[group])
                left &= ~self.members[group]
        return names, np.flatnonzero(left).tolist()

    def labels_shown(self, subsets: ArrayLike) -> NDArray[np.int64]:
        """How many labels each question takes with these groups. bool (n, k) -> (n,)."""
        shown = map(self.shown, np.asarray(subsets))
        return np.array([len(groups) + len(labels) for groups, labels in shown], dtype=np.int64)

    def grow(
        self, q: Floats, rng: np.random.Generator, target: float, limit: int, worth_of: Callable[[Floats, Any], Floats]
    ) -> tuple[Bits, Floats]:
        """The most telling question of at most `limit` groups and labels about each item. (n, k) -> (n, k), (n,).

        Groups are tried from the likeliest on, then labels; one joins if it shares no class with those that joined
        before and brings the mass nearer the target. worth_of: bits over cost, from mass and number of labels shown.
        """
        n, k = q.shape
        masses = q @ self.members.T
        keys = np.concatenate(
            [masses * (rng.random(masses.shape) < OFFERED), q * rng.uniform(0.9, 1.0, q.shape)], axis=1
        )
        sets = np.concatenate([self.members, np.eye(k, dtype=np.bool_)])
        tries = min(len(self) + max(32, limit), len(sets))
        some = np.argpartition(-keys, tries - 1, axis=1)[:, :tries]
        order = np.take_along_axis(some, np.argsort(-np.take_along_axis(keys, some, axis=1), axis=1), axis=1)
        asked, mass, size = np.zeros((n, k), dtype=np.bool_), np.zeros(n), np.zeros(n, dtype=np.int64)
        best, worth = np.zeros((n, k), dtype=np.bool_), np.full(n, -np.inf)
        for step in range(tries):
            rows = np.flatnonzero(size < limit)
            joining = sets[order[rows, step]]
            grown = mass[rows] + (q[rows] * joining).sum(axis=1)
            joins = (np.abs(grown - target) < np.abs(mass[rows] - target)) & ~(joining & asked[rows]).any(axis=1)
            rows = rows[joins]
            asked[rows] |= joining[joins]
            mass[rows], size[rows] = grown[joins], size[rows] + 1
            value = worth_of(mass[rows].clip(0, 1), size[rows])
            better = value > worth[rows]
            best[rows[better]], worth[rows[better]] = asked[rows[better]], value[better]
        return best, worth


def _twice(names: Sequence[str]) -> str:
    return next(name for place, name in enumerate(names) if name in names[:place])
