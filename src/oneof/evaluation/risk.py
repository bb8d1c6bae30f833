"""The supervised risk of a model from answers alone, the mean of w . l with unbiased weights w, and its interval."""

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
    """The supervised risk of a model, from held-out answers, without labels, in float64.

    logits: (items, k); `answers.items` are its rows. The weights are the minimum-norm ones for uniform questions of any
    sizes, and M^{-1} 1_S/|S| for `queries`. The interval is asymptotic, and the answers about one item are one cluster.
    A skip has the lower of its two possible values at the lower end, and the higher one at the upper end. Other
    arguments: see `estimate_accuracy`.

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
        scores.argmax(dim=1).numpy(), answers, confidence,
        check=check, queries=queries, flip_yes=flip_yes, flip_no=flip_no, trained_on=trained_on, decoys=False,
    )  # fmt: skip
    law = queries or UniformQueries(answers.classes, 1)
    losses = get(loss)(scores).numpy()[judges.answers.items]
    found = mean_by_weights(judges, confidence, law, lambda weights: np.asarray((weights * losses).sum(axis=1)))
    return Estimate(*found, found.kind, judges.notes)
