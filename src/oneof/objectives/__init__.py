"""What training minimises. `create(name, **options)` gives an objective; `names()` lists them.

Each is called with logits and answers and returns `Risk(value, raw)`: `value` is back-propagated, `raw` is the
risk before any correction. Add one in a file of its own, with the `register` decorator, and import it here.
"""

from oneof.objectives import complementary, correction, likelihood, losses, partial, proden, unbiased
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
]
