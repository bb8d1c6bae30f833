"""Ordinary metrics, for items with labels."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike


def metrics(labels: ArrayLike, predictions: ArrayLike, classes: int) -> dict[str, Any]:
    """Metrics of predictions by labels: accuracy, per_class_accuracy (k,), confusion (k, k) with rows the truth.

    >>> metrics([0, 1, 1], [0, 1, 0], classes=2)["per_class_accuracy"]
    array([1. , 0.5])
    """
    from sklearn.metrics import accuracy_score, confusion_matrix

    confusion = confusion_matrix(labels, predictions, labels=np.arange(classes))
    with np.errstate(invalid="ignore"):
        per_class = np.diag(confusion) / confusion.sum(axis=1)
    return {
        "accuracy": float(accuracy_score(labels, predictions)),
        "per_class_accuracy": per_class,
        "confusion": confusion,
    }
