"""Which size of question to ask, and how many answers are needed, before the first question.

For each size m of a question over k classes:

answers        the held-out answers to uniform questions that `estimate_accuracy` needs for an interval of this width
               (see `width`).
decoys         the same for questions that show the prediction among m - 1 random others: far fewer with many classes,
               because the answer about a wrong prediction is rarely a yes.
cost           the time of one question, 1 + label_cost * m: looking at the item and answering take 1, reading a label
               takes label_cost.
bits           what one answer tells about the class if nothing else is known: the mutual information.
variance_*     E |w|^2, the second moment of the weights of an unbiased risk: about how many times more answers than
               exact labels the risk needs, for the paper's, the minimum-norm and the agreement weights.
bound          Theorem 2: the uniform deviation of the paper's risk after `training_answers` answers.

privacy_cost   with a privacy budget: how many times more held-out answers are needed than without.

All columns but the bound, which the paper gives without noise, take flip rates and a privacy budget into account.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from oneof.evaluation.agreement import agreement_rates, decoy_rates
from oneof.noise.privacy import flip_rate
from oneof.planning.width import TooManyAnswersError, answers_for_width
from oneof.queries.information import information
from oneof.queries.weights import (
    Weights,
    agreement_weights,
    flipped_again,
    minimum_norm_weights,
    paper_weights,
    with_flips,
    without_flips,
)
from oneof.theory import deviation_bound, loss_bound

ALL_SIZES = 65
"""Up to this number of classes the table has every size of question."""
LABEL_COST = 0.25
"""Reading a label of two words takes half a second, at 238 words per minute, the mean of silent reading in English
(Brysbaert 2019). Looking at an item and pressing a key are assumed to take two seconds, which is a guess."""


def plan(
    classes: int,
    accuracy: float,
    width: float,
    *,
    confidence: float = 0.95,
    flip_yes: float = 0.0,
    flip_no: float = 0.0,
    epsilon: float | None = None,
    label_cost: float = LABEL_COST,
    largest: int | None = None,
    training_answers: int | None = None,
    delta: float = 0.05,
    loss: str = "mae",
    lipschitz: float = 1.0,
    complexity: float = 1.0,
) -> pd.DataFrame:
    """A table with a row for each size m of question: the held-out answers needed, bits, variance factors, the bound.

    accuracy: the expected accuracy of the model. width: of the confidence interval, high - low, e.g. 0.05. label_cost:
    the time to read a label, as a share of the time for everything else in a question. largest: the largest size; by
    default k - 1, or one half of k with more than 65 classes, where the table has a selection of sizes. epsilon: a
    privacy budget; its randomised response is added to the annotators' own flip rates. delta, loss, lipschitz,
    complexity: the constants of Theorem 2, for `training_answers` answers (by default 10,000, or two for each class).

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
    if label_cost < 0:
        raise ValueError(f"label_cost must not be negative, not {label_cost}")
    if largest is not None and not 1 <= largest <= classes - 1:
        raise ValueError(f"largest must be in 1..{classes - 1} for {classes} classes, not {largest}")
    training_answers = max(10_000, 2 * classes) if training_answers is None else training_answers
    if training_answers < 2 * classes:
        raise ValueError(
            f"training_answers must be at least {2 * classes} for {classes} classes, not {training_answers}"
        )
    own = flip_yes, flip_no
    if epsilon is not None:
        rate = flip_rate(epsilon)
        flip_yes, flip_no = flipped_again(flip_yes, rate), flipped_again(flip_no, rate)

    def needed(rates: tuple[NDArray[np.float64], NDArray[np.float64]]) -> int | None:
        """The answers needed; None if they are too many to collect."""
        try:
            return answers_for_width(accuracy, width, float(rates[0]), float(rates[1]), confidence)
        except TooManyAnswersError:
            return None

    rows = []
    for size in sizes(classes, largest):
        yes = min(max(round(training_answers * size / classes), 1), training_answers - 1)
        row = {
            "size": size,
            "p_yes": size / classes,
            "answers": needed(agreement_rates(classes, size, flip_yes, flip_no)),
            "decoys": needed(decoy_rates(classes, size, flip_yes, flip_no)),
            "cost": 1 + label_cost * size,
            "bits": float(information(size / classes, flip_yes, flip_no)),
            **{f"variance_{name}": f for name, f in variance_factors(classes, size, flip_yes, flip_no).items()},
            "bound": deviation_bound(
                size,
                yes,
                training_answers - yes,
                delta=delta,
                loss_bound=loss_bound(loss),
                lipschitz=lipschitz,
                complexity=complexity,
            ),
        }
        if epsilon is not None:
            without = needed(agreement_rates(classes, size, *own))
            row["privacy_cost"] = row["answers"] / without if row["answers"] and without else float("nan")
        rows.append(row)
    table = pd.DataFrame(rows)
    if table[["answers", "decoys"]].isna().all(axis=None):
        raise TooManyAnswersError(width)
    for name in ("answers", "decoys"):
        table[name] = table[name].astype("Int64" if table[name].isna().any() else "int64")
    return table


def sizes(classes: int, largest: int | None = None) -> list[int]:
    """The sizes of questions to compare: all of them, or with many classes a selection up to one half of the classes.

    >>> sizes(5), sizes(10_000, largest=8)
    ([1, 2, 3, 4], [1, 2, 3, 4, 5, 6, 7, 8])
    """
    most = largest or (classes - 1 if classes <= ALL_SIZES else classes // 2)
    some = np.geomspace(1, most, 24).round().astype(int).tolist()
    return sorted({*range(1, min(most, ALL_SIZES if classes <= ALL_SIZES else 16) + 1), *some})


def variance_factors(classes: int, size: int, flip_yes: float = 0.0, flip_no: float = 0.0) -> dict[str, float]:
    """E |w|^2 of the paper's, the minimum-norm and the agreement weights, if all classes are equally frequent.

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
    """E |w(L, 0) + s_hat (w(L, 1) - w(L, 0))|^2, over true and flipped answers to a question of this size."""
    a, b, c, d = weights
    p = size / classes
    p_yes = with_flips(p, flip_yes, flip_no)
    total = 0.0
    for response, probability in ((1.0, p_yes), (0.0, 1 - p_yes)):
        s_hat = without_flips(response, flip_yes, flip_no)
        inside, outside = c + s_hat * (a - c), d + s_hat * (b - d)
        total += probability * float(size * inside**2 + (classes - size) * outside**2)
    return total
