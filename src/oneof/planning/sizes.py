"""Planning: which size of question, and how many answers, before the first one is asked.

For each size m of a uniform query over k classes:

answers        the held-out answers after which the interval of `estimate_accuracy` is as narrow as asked for. The
               number of agreements is Binomial, so the *expected* width of the Clopper-Pearson interval at the assumed
               accuracy is computed exactly, and the smallest n that reaches it is found by bisection.
bits           what one answer tells about the class when nothing is known: the mutual information.
variance_*     E |w|^2, the second moment of the weights of an unbiased risk: about how many times more answers than
               exact labels the risk needs, for the paper's, the minimum-norm and the agreement weights.
bound          Theorem 2: the uniform deviation of the paper's risk after `training_answers` answers.

privacy_cost   with a privacy budget: how many times more held-out answers than without.

Flip rates, and a privacy budget epsilon, enter all but the bound, which the paper states without noise.
"""

from math import sqrt

import numpy as np
import pandas as pd
from scipy import stats

from oneof.evaluation import agreement_rates, clopper_pearson
from oneof.noise.privacy import flip_rate
from oneof.queries.adaptive import information
from oneof.queries.weights import (
    Weights,
    agreement_weights,
    flipped_again,
    minimum_norm_weights,
    paper_weights,
    without_flips,
)
from oneof.theory import deviation_bound, loss_bound

MOST = 10**8
"""More answers than anybody will ever collect: a plan that needs more is refused."""


def plan(
    classes: int,
    accuracy: float,
    width: float,
    *,
    confidence: float = 0.95,
    flip_yes: float = 0.0,
    flip_no: float = 0.0,
    epsilon: float | None = None,
    training_answers: int = 10_000,
    delta: float = 0.05,
    loss: str = "mae",
    lipschitz: float = 1.0,
    complexity: float = 1.0,
) -> pd.DataFrame:
    """One row a size m = 1..k-1: the held-out answers needed, bits an answer, variance factors, the paper's bound.

    accuracy: what the model is expected to reach. width: of the confidence interval, high - low, e.g. 0.05.
    epsilon: a privacy budget; its randomised response comes on top of the annotators' own flip rates.
    delta, loss, lipschitz, complexity: the constants of Theorem 2, at `training_answers` answers.

    >>> table = plan(classes=10, accuracy=0.9, width=0.05)
    >>> table.loc[table["size"] == 5, ["answers", "bits", "variance_paper"]].to_string(index=False)
    ' answers  bits  variance_paper\\n    1114   1.0            16.4'
    """
    if classes < 2:
        raise ValueError(f"classes must be at least 2, not {classes}")
    if not 0 <= accuracy <= 1:
        raise ValueError(f"accuracy must be in [0, 1], not {accuracy}")
    if not (flip_yes >= 0 and flip_no >= 0 and flip_yes + flip_no < 1):
        raise ValueError(f"flip rates must not be negative and add up to less than 1, not {flip_yes} and {flip_no}")
    if training_answers < 2 * classes:
        raise ValueError(
            f"training_answers must be at least {2 * classes} for {classes} classes, not {training_answers}"
        )
    own = flip_yes, flip_no
    if epsilon is not None:
        rate = flip_rate(epsilon)
        flip_yes, flip_no = flipped_again(flip_yes, rate), flipped_again(flip_no, rate)
    rows = []
    for size in range(1, classes):
        right, wrong = (float(rate) for rate in agreement_rates(classes, size, flip_yes, flip_no))
        variances = variance_factors(classes, size, flip_yes, flip_no)
        yes = min(max(round(training_answers * size / classes), 1), training_answers - 1)
        bound = deviation_bound(
            size,
            yes,
            training_answers - yes,
            delta=delta,
            loss_bound=loss_bound(loss),
            lipschitz=lipschitz,
            complexity=complexity,
        )
        row = {
            "size": size,
            "p_yes": size / classes,
            "answers": answers_for_width(accuracy, width, right, wrong, confidence),
            "bits": float(information(size / classes, flip_yes, flip_no)),
            **{f"variance_{name}": value for name, value in variances.items()},
            "bound": bound,
        }
        if epsilon is not None:
            open_right, open_wrong = (float(rate) for rate in agreement_rates(classes, size, *own))
            row["privacy_cost"] = row["answers"] / answers_for_width(
                accuracy, width, open_right, open_wrong, confidence
            )
        rows.append(row)
    return pd.DataFrame(rows)


def expected_width(n: int, accuracy: float, right: float, wrong: float, confidence: float = 0.95) -> float:
    """The expected width of the exact interval for the accuracy, from n held-out answers.

    right, wrong: P(answer agrees | prediction right), and | wrong; see `oneof.evaluation.agreement_rates`.

    >>> round(expected_width(1000, accuracy=0.9, right=1.0, wrong=4 / 9), 4)
    0.0528
    """
    rate = accuracy * right + (1 - accuracy) * wrong
    # Beyond eight standard deviations the Binomial has nothing left to add.
    reach = int(np.ceil(8 * sqrt(n * rate * (1 - rate)))) + 8
    counts = np.arange(max(0, int(n * rate) - reach), min(n, int(n * rate) + reach) + 1)
    ends = np.clip((np.stack(clopper_pearson(counts, n, confidence)) - wrong) / (right - wrong), 0, 1)
    return float(stats.binom.pmf(counts, n, rate) @ (ends[1] - ends[0]))


def answers_for_width(accuracy: float, width: float, right: float, wrong: float, confidence: float = 0.95) -> int:
    """The fewest held-out answers whose interval for the accuracy is expected to be no wider than `width`.

    >>> answers_for_width(accuracy=0.9, width=0.1, right=1.0, wrong=4 / 9)
    294
    """
    if not 0 < width < 1:
        raise ValueError(f"width must be between 0 and 1, not {width}")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, not {confidence}")
    rate = accuracy * right + (1 - accuracy) * wrong
    # The normal approximation says where to look; the exact width decides.
    reach = 2 * float(stats.norm.ppf((1 + confidence) / 2)) * sqrt(rate * (1 - rate)) / (right - wrong)
    if (reach / width) ** 2 > MOST:
        raise ValueError(f"an interval as narrow as {width:g} would take more than {MOST:,} answers")
    few = enough = max(2, round((reach / width) ** 2))
    while expected_width(enough, accuracy, right, wrong, confidence) > width:
        few, enough = enough, enough + enough // 4 + 1
    while few > 1 and expected_width(few, accuracy, right, wrong, confidence) <= width:
        few, enough = few * 3 // 4, few
    while enough - few > 1:
        middle = (few + enough) // 2
        if expected_width(middle, accuracy, right, wrong, confidence) > width:
            few = middle
        else:
            enough = middle
    return enough


def variance_factors(classes: int, size: int, flip_yes: float = 0.0, flip_no: float = 0.0) -> dict[str, float]:
    """E |w|^2 of the paper's, the minimum-norm and the agreement weights, for classes that are equally frequent.

    >>> {name: round(value, 1) for name, value in variance_factors(classes=10, size=3).items()}
    {'paper': 11.9, 'minimum_norm': 8.2, 'agreement': 11.3}
    """
    p = size / classes
    weights = {
        "paper": paper_weights(classes, size, p),
        "minimum_norm": minimum_norm_weights(classes, size),
        "agreement": agreement_weights(classes, size),
    }
    return {name: _second_moment(four, classes, size, flip_yes, flip_no) for name, four in weights.items()}


def _second_moment(weights: Weights, classes: int, size: int, flip_yes: float, flip_no: float) -> float:
    """E |w(L, 0) + s_hat (w(L, 1) - w(L, 0))|^2 over true and flipped answers, all labels of a question alike."""
    a, b, c, d = weights
    p = size / classes
    said_yes = p * (1 - flip_yes) + (1 - p) * flip_no
    total = 0.0
    for said, chance in ((1.0, said_yes), (0.0, 1 - said_yes)):
        s_hat = without_flips(said, flip_yes, flip_no)
        inside, outside = c + s_hat * (a - c), d + s_hat * (b - d)
        total += chance * float(size * inside**2 + (classes - size) * outside**2)
    return total
