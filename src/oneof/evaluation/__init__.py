"""How good is a model? Judged by answers, and also by labels if there are some."""

from oneof.evaluation.accuracy import estimate_accuracy
from oneof.evaluation.agreement import agreement_rates, decoy_rates
from oneof.evaluation.assisted import accuracy_with_labels, assisted_accuracy
from oneof.evaluation.by_class import Confusion, class_report, estimate_confusion
from oneof.evaluation.calibration import estimate_calibration
from oneof.evaluation.estimate import Estimate
from oneof.evaluation.intervals import clopper_pearson, confidence_sequence
from oneof.evaluation.labelled import metrics
from oneof.evaluation.risk import estimate_risk
from oneof.evaluation.streaming import StreamingAccuracy

__all__ = [
    "Confusion",
    "Estimate",
    "StreamingAccuracy",
    "accuracy_with_labels",
    "agreement_rates",
    "assisted_accuracy",
    "class_report",
    "clopper_pearson",
    "confidence_sequence",
    "decoy_rates",
    "estimate_accuracy",
    "estimate_calibration",
    "estimate_confusion",
    "estimate_risk",
    "metrics",
]
