"""Flip rates that nobody knows, estimated from the answers themselves before the model is trained."""

from typing import Any

from oneof.answers import Answers
from oneof.classifier.estimator import OneOfClassifier
from oneof.classifier.linear import LinearClassifier
from oneof.noise import fit_with_noise
from oneof.noise.rates import FlipRates
from oneof.training import Config, Features

USELESS = 0.5
"""Flips of yes and of no together; at one an annotator's answers say nothing."""


def estimate_flips(x: Any, answers: Answers, config: Config) -> tuple[Answers, FlipRates]:
    """The answers with the flip rates of their annotators written in, and those rates.

    x: the items as numbers. A linear layer is enough for rows of numbers; pictures take the configuration's network.
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
    """A line per annotator, the least reliable first, with a word about those whose answers say little."""
    order = sorted(range(len(rates.annotators)), key=lambda row: -(rates.flip_yes[row] + rates.flip_no[row]))
    lines = []
    for row in order:
        together = rates.flip_yes[row] + rates.flip_no[row]
        warning = ": unreliable, these answers say little" if together > USELESS else ""
        name = rates.annotators[row] or "everybody"
        lines.append(f"{name}: flips {rates.flip_yes[row]:.1%} of yes, {rates.flip_no[row]:.1%} of no{warning}")
    return "\n".join(lines)
