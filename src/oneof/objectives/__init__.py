"""Objectives: what training minimises. `create(name, **options)` gives one by name; `names()` lists them.

An objective is called with logits and answers and gives `Risk(value, raw)`: `value` is back-propagated, `raw` is the
risk before any correction. To add one, write a file with the `register` decorator and import it here.
"""

from oneof.objectives import complementary, correction, likelihood, losses, partial, proden, unbiased, visits
from oneof.objectives.base import Batch, Objective, Risk
from oneof.objectives.registry import correcting, create, names, options, register
from oneof.objectives.signed import compute_loss_func

__all__ = [
    "Batch",
    "Objective",
    "Risk",
    "complementary",
    "compute_loss_func",
    "correcting",
    "correction",
    "create",
    "likelihood",
    "losses",
    "names",
    "options",
    "partial",
    "proden",
    "register",
    "unbiased",
    "visits",
]
