"""oneof: train classifiers from yes/no answers to "is it one of these?".

The names below are loaded on first use, so that `import oneof` stays quick and does not import torch.
"""

import sys
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.metadata import version
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oneof import datasets, encoders, noise, objectives, theory
    from oneof.answers import Answers
    from oneof.classifier import OneOfClassifier
    from oneof.classifier.model import load
    from oneof.evaluation import (
        Estimate,
        class_report,
        estimate_accuracy,
        estimate_calibration,
        estimate_confusion,
        estimate_risk,
    )
    from oneof.noise import privacy
    from oneof.objectives import losses
    from oneof.planning import plan
    from oneof.queries import PredictionQueries, UniformQueries, WeightedQueries, respond

_HOME = {
    "Answers": "oneof.answers",
    "Estimate": "oneof.evaluation",
    "OneOfClassifier": "oneof.classifier",
    "PredictionQueries": "oneof.queries",
    "UniformQueries": "oneof.queries",
    "WeightedQueries": "oneof.queries",
    "class_report": "oneof.evaluation",
    "estimate_accuracy": "oneof.evaluation",
    "estimate_calibration": "oneof.evaluation",
    "estimate_confusion": "oneof.evaluation",
    "estimate_risk": "oneof.evaluation",
    "load": "oneof.classifier.model",
    "plan": "oneof.planning",
    "respond": "oneof.queries",
}
"""Where each public name lives."""

_MODULES = {
    "datasets": "oneof.datasets",
    "encoders": "oneof.encoders",
    "losses": "oneof.objectives.losses",
    "noise": "oneof.noise",
    "objectives": "oneof.objectives",
    "privacy": "oneof.noise.privacy",
    "theory": "oneof.theory",
}
"""Where each public module lives."""

__version__ = version("oneof")
__all__ = [
    "Answers",
    "Estimate",
    "OneOfClassifier",
    "PredictionQueries",
    "UniformQueries",
    "WeightedQueries",
    "class_report",
    "datasets",
    "encoders",
    "estimate_accuracy",
    "estimate_calibration",
    "estimate_confusion",
    "estimate_risk",
    "load",
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
        return import_module(_MODULES[name])
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'oneof' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


class _PublicAddress(MetaPathFinder, Loader):
    """Makes `import oneof.losses` and `from oneof.privacy import cost` find modules that live in another package."""

    def find_spec(self, fullname: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        home = _MODULES.get(fullname.removeprefix("oneof."), fullname)
        return None if home == fullname else ModuleSpec(fullname, self)

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = import_module(_MODULES[module.__name__.removeprefix("oneof.")])


sys.meta_path.append(_PublicAddress())
