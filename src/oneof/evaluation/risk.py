"""The supervised risk of a model from answers alone: the mean of w . l, by unbiased weights. Asymptotic interval."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from oneof.answers import Answers
from oneof.evaluation import uncertain_rates
from oneof.evaluation.accuracy import judges_of
from oneof.evaluation.agreement import Floats
from oneof.evaluation.estimate import Estimate
from oneof.evaluation.intervals import least_squares, square_and_add
from oneof.evaluation.weights import weights_without_noise
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

    logits: (items, k); `answers.items` points into it. Minimum-norm weights under uniform queries of any sizes, the
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
    losses, items, unknown = get(loss)(scores).numpy()[judges.answers.items], judges.answers.items, judges.unknown
    said, ones = judges.answers.responses, np.ones(len(judges))

    def values(rho1: Floats, rho0: Floats, fill: bool) -> Floats:
        weights = weights_without_noise(law, judges.answers, rho1, rho0, np.where(unknown, fill, said))
        return np.asarray((weights * losses).sum(axis=1))

    pair = uncertain_rates.plain_rates(judges.answers, judges.rho1, judges.rho0)
    both = np.stack([values(*pair, fill) for fill in (True, False)])
    fits = [least_squares(part, ones, items, confidence) for part in (both.min(axis=0), both.max(axis=0))]
    value = float(both[0][~unknown].mean()) if not unknown.all() else float("nan")
    low, high = fits[0].low, fits[1].high
    if uncertain_rates.estimated(judges.answers):

        def at(rho1: Floats, rho0: Floats) -> float:
            return float(values(rho1, rho0, True)[~unknown].mean())

        found = uncertain_rates.ends(judges.answers, judges.rho1, judges.rho0, at, confidence)
        low, high = map(float, square_and_add(value, [(low, high), *found]))
    return Estimate(value, low, high, len(judges), "asymptotic", judges.notes)
