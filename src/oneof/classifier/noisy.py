"""Unknown flip rates, estimated from the answers themselves before the model is trained."""

from typing import Any

import numpy as np

from oneof.answers import Answers
from oneof.classifier.estimator import OneOfClassifier
from oneof.classifier.linear import LinearClassifier
from oneof.noise import fit_with_noise
from oneof.noise.rates import FlipRates
from oneof.training import Config, Features

UNRELIABLE = 0.5
"""Sum of the flip rates of yes and of no from which on an annotator is named; at 1 the answers say nothing."""


def estimate_flips(x: Any, answers: Answers, config: Config) -> tuple[Answers, FlipRates]:
    """The answers with the estimated flip rates of their annotators, and these rates.

    x: the items as numbers. Rows of numbers get a linear layer; pictures get the network of the configuration.
    """
    if len(Features(x).shape) == 1:
        estimator: Any = LinearClassifier()
    else:
        settings = config.model_dump()
        named = {name: settings[name] for name in OneOfClassifier().get_params() if name in settings}
        estimator = OneOfClassifier(**named | {"holdout": 0.0, "random_state": config.seed})
    found = fit_with_noise(estimator, x, answers, seed=config.seed)
    return found.answers, found.rates


def describe_flips(rates: FlipRates) -> str:
    """A line per annotator, the least reliable first, with a warning for those whose answers say little."""
    total = rates.flip_yes + rates.flip_no
    lines = []
    for row in np.argsort(-total, kind="stable"):
        warning = ": unreliable, these answers say little" if total[row] > UNRELIABLE else ""
        name = rates.annotators[row] or "everybody"
        lines.append(f"{name}: flips {rates.flip_yes[row]:.1%} of yes, {rates.flip_no[row]:.1%} of no{warning}")
    return "\n".join(lines)
