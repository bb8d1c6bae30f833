"""oneof: train classifiers from yes/no answers to "is it one of these?".

The names below are loaded on first use, so that `import oneof` stays quick and does not import torch.
"""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oneof import datasets, losses, noise, objectives, privacy, theory
    from oneof.answers import Answers
    from oneof.classifier import OneOfClassifier
    from oneof.evaluation import Estimate, estimate_accuracy, estimate_risk
    from oneof.planning import plan
    from oneof.queries import UniformQueries, WeightedQueries, respond

_HOME = {
    "Answers": "oneof.answers",
    "Estimate": "oneof.evaluation",
    "OneOfClassifier": "oneof.classifier",
    "UniformQueries": "oneof.queries",
    "WeightedQueries": "oneof.queries",
    "estimate_accuracy": "oneof.evaluation",
    "estimate_risk": "oneof.evaluation",
    "plan": "oneof.planning",
    "respond": "oneof.queries",
}
_MODULES = ("datasets", "losses", "noise", "objectives", "privacy", "theory")

__version__ = version("oneof")
__all__ = [
    "Answers",
    "Estimate",
    "OneOfClassifier",
    "UniformQueries",
    "WeightedQueries",
    "datasets",
    "estimate_accuracy",
    "estimate_risk",
    "losses",
    "noise",
    "objectives",
    "plan",
    "privacy",
    "respond",
    "theory",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"oneof.{name}")
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'oneof' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
