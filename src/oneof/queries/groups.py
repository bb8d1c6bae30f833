"""Groups of classes: "a bird" is one label to read, and stands for all the kinds of birds.

A question is a set of classes, and its answer tells the same about them however the set was shown. So a group is only a
name for several classes: `shown` says how to write a question with as few labels as possible, and nothing else depends
on the groups: not the answers, not the evidence, not training.

With many classes, groups make short questions tell much. Of 100 equally likely classes, five labels have a probability
of 5 %, and the answer is worth 0.29 bits; two groups of 20 classes and some labels can have one half, worth one bit.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform


@dataclass(frozen=True)
class Groups:
    """g groups of k classes. names: g names. members: bool (g, k), at least two classes in each group, but not all k.

    >>> groups = Groups.from_parents(["bird", "bird", "pet", "pet", ""])
    >>> groups.names
    ('bird', 'pet')
    >>> groups.shown([True, True, False, True, False])
    (['bird'], [3])
    """

    names: tuple[str, ...]
    members: NDArray[np.bool_]

    def __post_init__(self) -> None:
        members = np.asarray(self.members, dtype=np.bool_)
        object.__setattr__(self, "members", members)
        if members.ndim != 2 or len(members) != len(self.names):
            raise ValueError(f"members must have shape ({len(self.names)}, classes), not {members.shape}")
        if len(set(self.names)) < len(self.names):
            raise ValueError(f"group names must differ, but {Counter(self.names).most_common(1)[0][0]!r} comes twice")
        sizes, k = members.sum(axis=1), members.shape[1]
        bad = np.flatnonzero((sizes < 2) | (sizes >= k))
        if len(bad):
            raise ValueError(
                f"group {self.names[bad[0]]!r} has {sizes[bad[0]]} of {k} classes, expected at least 2 and not all"
            )

    def __len__(self) -> int:
        return len(self.names)

    @classmethod
    def from_parents(cls, parents: Sequence[str]) -> "Groups":
        """From the parent of each class: a name, a path such as "animal/bird" for groups within groups, or "".

        A parent of a single class, or of all classes, makes no group: such a label would add nothing to a question.
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
        columns). The name of a group lists its members.

        >>> p = [[0.5, 0.5, 0.0, 0.0], [0.4, 0.6, 0.0, 0.0], [0.0, 0.0, 0.3, 0.7], [0.1, 0.0, 0.6, 0.3]]
        >>> Groups.from_confusions(p, 2, ["crow", "raven", "cat", "lynx"]).names
        ('crow, raven', 'cat, lynx')
        """
        q = np.asarray(beliefs, dtype=np.float64)
        if q.ndim != 2 or not 2 <= count <= q.shape[1]:
            raise ValueError(f"{count} groups need beliefs of shape (items, at least {count} classes), not {q.shape}")
        names = [str(j) for j in range(q.shape[1])] if class_names is None else list(class_names)
        if len(names) != q.shape[1]:
            raise ValueError(f"there are {q.shape[1]} classes but {len(names)} class names")
        columns = q / np.maximum(np.linalg.norm(q, axis=0), 1e-300)
        distances = (1 - columns.T @ columns).clip(0, 1)
        np.fill_diagonal(distances, 0)
        cluster = fcluster(linkage(squareform(distances, checks=False), "average"), count, "maxclust")
        parents = np.full(len(names), "", dtype=object)
        for number in dict.fromkeys(cluster.tolist()):
            labels = np.flatnonzero(cluster == number)
            parents[labels] = ", ".join(names[j] for j in labels).replace("/", " or ")
        return cls.from_parents(parents.tolist())

    def shown(self, subset: ArrayLike) -> tuple[list[str], list[int]]:
        """How to show a question, bool (k,): the groups that it contains, largest first, and its other classes."""
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
        """How many labels each question shows if groups count as one label each. bool (n, k) -> (n,)."""
        shown = map(self.shown, np.asarray(subsets))
        return np.array([len(groups) + len(labels) for groups, labels in shown], dtype=np.int64)
