"""The methods that are compared, under the paper's names, and what each one is in this library."""

from collections.abc import Mapping
from dataclasses import dataclass, field

SUPERVISED = "Supervised"
"""The same network trained with the labels: a ceiling, not a method that learns from answers."""


@dataclass(frozen=True)
class Method:
    """A name in the tables, the objective's name in `oneof.objectives`, and the objective's options."""

    name: str
    objective: str
    options: Mapping[str, str] = field(default_factory=dict)


_METHODS = [
    Method("URE-MAE", "ure", {"loss": "mae"}),
    Method("TMCL-EXP", "mcl-exp"),
    Method("TMCL-MAE", "mcl-mae"),
    Method("PLL-Avg", "pll-avg"),
    Method("PRODEN", "proden"),
    Method("GCE-ABS", "abs", {"loss": "gce"}),
    Method("GCE-NN", "nn", {"loss": "gce"}),
    Method("GCE-URE", "ure", {"loss": "gce"}),
    Method("Likelihood", "likelihood"),
    Method("GCE-ABS (agreement)", "abs", {"loss": "gce", "weights": "agreement"}),
    Method("GCE-ABS (minimum norm)", "abs", {"loss": "gce", "weights": "minimum-norm"}),
    Method("GCE-NN (agreement)", "nn", {"loss": "gce", "weights": "agreement"}),
    Method("GCE-NN (minimum norm)", "nn", {"loss": "gce", "weights": "minimum-norm"}),
    Method("GCE-URE (agreement)", "ure", {"loss": "gce", "weights": "agreement"}),
    Method("GCE-URE (minimum norm)", "ure", {"loss": "gce", "weights": "minimum-norm"}),
]
_OURS = len(_METHODS)

MAIN = ("URE-MAE", "TMCL-EXP", "TMCL-MAE", "PLL-Avg", "PRODEN")
"""The columns of Table II."""

CORRECTIONS = ("GCE-ABS", "GCE-NN", "GCE-URE")
"""The rows of Table III."""

CORRECTED = (
    "GCE-ABS", "GCE-ABS (agreement)", "GCE-ABS (minimum norm)", "GCE-NN", "GCE-NN (agreement)", "GCE-NN (minimum norm)",
)  # fmt: skip
"""The corrected risks that the leaderboard compares by held-out answers: two corrections, each with three weights."""

LEADERBOARD = ("Likelihood", "GCE-ABS")
"""The leaderboard's objectives: the likelihood, and a corrected risk."""


def register(added: Method) -> None:
    """Make a method known under its name; its objective must be known to `oneof.objectives` when it is run."""
    if added.name == SUPERVISED or added.name in names():
        raise ValueError(f"there is a method {added.name!r} already")
    _METHODS.append(added)


def from_outside() -> tuple[str, ...]:
    """The names of the methods that were registered from outside this package."""
    return tuple(added.name for added in _METHODS[_OURS:])


def method(name: str) -> Method:
    """The method of that name.

    >>> method("GCE-NN").objective
    'nn'
    """
    for candidate in _METHODS:
        if candidate.name == name:
            return candidate
    raise ValueError(f"unknown method {name!r}; known: {', '.join(candidate.name for candidate in _METHODS)}")


def names() -> tuple[str, ...]:
    """The names of all methods, the paper's first."""
    return tuple(candidate.name for candidate in _METHODS)
