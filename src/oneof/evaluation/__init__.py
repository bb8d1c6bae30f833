"""How good is a model? Judged by answers, and by labels where there are some."""

from oneof.evaluation.accuracy import (
    Estimate,
    agreement_rates,
    clopper_pearson,
    estimate_accuracy,
    estimate_risk,
    metrics,
)

__all__ = ["Estimate", "agreement_rates", "clopper_pearson", "estimate_accuracy", "estimate_risk", "metrics"]
