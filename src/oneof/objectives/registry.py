"""Objectives by name."""

import inspect
from collections.abc import Callable
from copy import deepcopy
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from oneof.objectives.base import Objective

_REGISTRY: dict[str, "Callable[..., Objective]"] = {}
_Named = TypeVar("_Named")
_Factory = TypeVar("_Factory", bound="Callable[..., Objective]")


def enter(name: str, known: dict[str, Any], what: str) -> Callable[[_Named], _Named]:
    """A decorator that enters what it decorates under `name`; a name that is taken is an error.

    known: what was entered before. what: what the names are of, such as "a loss".
    """

    def add(thing: _Named) -> _Named:
        if name in known:
            raise ValueError(f"there is {what} {name!r} already: {known[name]}")
        known[name] = thing
        return thing

    return add


def register(name: str) -> Callable[[_Factory], _Factory]:
    """A class decorator that registers an objective under `name`; a name that is taken is an error."""
    return enter(name, _REGISTRY, "an objective")


def names() -> list[str]:
    """The names that `create` knows."""
    return list(_REGISTRY)


def correcting() -> list[str]:
    """The names of the objectives that take flip rates into account."""
    return [name for name, factory in _REGISTRY.items() if getattr(factory, "corrects_flips", False)]


def options(name: str) -> list[str]:
    """The options that the objective `name` takes."""
    if name not in _REGISTRY:
        raise ValueError(f"unknown objective {name!r}, expected one of {', '.join(_REGISTRY)}")
    return list(inspect.signature(_REGISTRY[name]).parameters)


def create(name: str | Callable[..., Any], **given: Any) -> "Objective":
    """An objective by name, with its options. An objective given as an object is copied, so that no state is shared.

    >>> create("abs", loss="gce", weights="agreement")
    Absolute(loss='gce', weights='agreement', queries=None, kappa=1.0)
    """
    if not isinstance(name, str):
        if not callable(getattr(name, "raw", None)) or inspect.isclass(name):
            raise ValueError(f"{name!r} is not an objective, expected one of {', '.join(_REGISTRY)}, or an Objective")
        if given:
            raise ValueError(f"{name!r} has its options already: give {', '.join(given)} to the objective itself")
        return cast("Objective", deepcopy(name))
    known = options(name)
    for option in given:
        if option not in known:
            raise ValueError(f"objective {name!r} has no option {option!r}; it takes {', '.join(known) or 'none'}")
    return _REGISTRY[name](**given)
