"""Training: settings, items and answers as compact tensors, one readable loop, checkpoints.

The names are loaded on first use, so that the settings can be used without importing torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oneof.training.config import Config
    from oneof.training.data import Answered, Features
    from oneof.training.fitting import fit, predict_classes, predict_logits
    from oneof.training.loop import Diverged, Fitted, train
    from oneof.training.network import Network

_HOME = {
    "Answered": "data",
    "Config": "config",
    "Diverged": "loop",
    "Features": "data",
    "Fitted": "loop",
    "Network": "network",
    "fit": "fitting",
    "predict_classes": "fitting",
    "predict_logits": "fitting",
    "train": "loop",
}

__all__ = [
    "Answered",
    "Config",
    "Diverged",
    "Features",
    "Fitted",
    "Network",
    "fit",
    "predict_classes",
    "predict_logits",
    "train",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'oneof.training' has no attribute {name!r}")
    return getattr(import_module(f"oneof.training.{_HOME[name]}"), name)
