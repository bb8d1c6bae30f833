"""Training: configuration, data in compact tensors, one readable loop, checkpoints."""

from oneof.training.config import Config
from oneof.training.data import Answered, Features
from oneof.training.fit import Fitted, fit, predict_classes, predict_logits
from oneof.training.loop import Diverged, Run, train
from oneof.training.network import Network

__all__ = [
    "Answered",
    "Config",
    "Diverged",
    "Features",
    "Fitted",
    "Network",
    "Run",
    "fit",
    "predict_classes",
    "predict_logits",
    "train",
]
