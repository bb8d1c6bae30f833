"""The supervised risk of a model from answers alone: the mean of w . l, by unbiased weights. Asymptotic interval."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from oneof.answers import Answers
from oneof.evaluation.accuracy import judges_of
from oneof.evaluation.estimate import Estimate
from oneof.evaluation.weights import mean_by_weights
from oneof.queries.moment import Queries
from oneof.queries.uniform import UniformQueries

if TYPE_CHECKING:
    from oneof.objectives.losses import Loss


def estimate_risk(
    logits: ArrayLike,
    answers: Answers,
    loss: "str | Loss" = "mae",
    confidence: float = 0.95,
    *,
    check: bool = True,
    queries: Queries | None = None,
    flip_yes: ArrayLike | None = None,
    flip_no: ArrayLike | None = None,
    trained_on: ArrayLike | None = None,
) -> Estimate:
    """The supervised risk of a model, from held-out answers and not a single label, in float64.

    logits: (items, k); `answers.items` points into it. Minimum-norm weights under uniform questions of any sizes, the
    weights M^{-1} 1_S/|S| under `queries`. The interval is normal, with the answers about one item taken as one; a
    skip counts with the lower of its two values at the lower end, and with the higher at the upper.

    >>> from oneof import UniformQueries
    >>> subsets = UniformQueries(4, 2).draw(1000, rng=0)
    >>> estimate = estimate_risk(np.zeros((1000, 4)), Answers(subsets, subsets[:, 0]))
    >>> round(estimate.value, 6)
    1.5
    """
    import torch

    from oneof.objectives.losses import get

    scores = torch.as_tensor(np.asarray(logits, dtype=np.float64))
    if scores.ndim != 2 or scores.shape[1] != answers.classes:
        raise ValueError(f"logits must have shape (items, {answers.classes}), not {tuple(scores.shape)}")
    judges = judges_of(
        scores.argmax(dim=1).numpy(), answers[~answers.has_design("prediction")], confidence,
        check=check, queries=queries, flip_yes=flip_yes, flip_no=flip_no, trained_on=trained_on,
    )  # fmt: skip
    law = queries or UniformQueries(answers.classes, 1)
    losses = get(loss)(scores).numpy()[judges.answers.items]
    found = mean_by_weights(judges, confidence, law, lambda weights: np.asarray((weights * losses).sum(axis=1)))
    return Estimate(*found, found.kind, judges.notes)
