"""Calibration: is a model as sure as it is right? The accuracy in bins of confidence, from answers alone.

The agreement identity holds given any function of the item, so the accuracy of the items in a bin of confidence has the
same (exact) interval as the accuracy of all items.
"""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from oneof.answers import Answers
from oneof.evaluation.accuracy import judged_accuracy, judges_of
from oneof.queries.moment import Queries
from oneof.queries.probabilities import check_probabilities


def estimate_calibration(
    probabilities: ArrayLike,
    answers: Answers,
    bins: int = 10,
    confidence: float = 0.95,
    *,
    check: bool = True,
    queries: Queries | None = None,
    flip_yes: ArrayLike | None = None,
    flip_no: ArrayLike | None = None,
    trained_on: ArrayLike | None = None,
) -> pd.DataFrame:
    """A table with a row per bin of confidence: mean confidence, accuracy with low and high, n answers. Label-free.

    probabilities: (items, k), each row a distribution; `answers.items` are its rows. bins: equally wide; empty ones are
    left out. `frame.attrs["note"]` says how many intervals there are. Other arguments: see `estimate_accuracy`.

    >>> from oneof import UniformQueries, respond
    >>> labels = np.arange(4000) % 4
    >>> subsets = UniformQueries(4, 2).draw(4000, rng=0)
    >>> probabilities = np.full((4000, 4), 0.1) + 0.6 * np.eye(4)[np.where(np.arange(4000) % 5 < 2, 0, labels)]
    >>> found = estimate_calibration(probabilities, Answers(subsets, respond(subsets, labels)))
    >>> found[["confidence", "accuracy", "n"]].round(1).values.tolist()
    [[0.7, 0.7, 4000.0]]
    """
    p = np.asarray(probabilities, dtype=np.float64)
    if p.ndim != 2 or p.shape[1] != answers.classes:
        raise ValueError(f"probabilities must have shape (items, {answers.classes}), not {p.shape}")
    check_probabilities(p)
    if bins < 1:
        raise ValueError(f"bins must be at least 1, not {bins}")
    judges = judges_of(
        p.argmax(axis=1), answers, confidence,
        check=check, queries=queries, flip_yes=flip_yes, flip_no=flip_no, trained_on=trained_on,
    )  # fmt: skip
    sure = p.max(axis=1)[judges.answers.items]
    place = np.minimum((sure * bins).astype(np.int64), bins - 1)
    rows = []
    for number in np.unique(place).tolist():
        value, low, high, n = judged_accuracy(judges[place == number], confidence, queries=queries)
        rows.append(
            {"confidence": float(sure[place == number].mean()), "accuracy": value, "low": low, "high": high, "n": n}
        )
    frame = pd.DataFrame(rows)
    frame.attrs["note"] = (
        f"{len(rows)} intervals, each with {confidence:.0%}: about {(1 - confidence) * len(rows):.1f} miss by chance"
    )
    frame.attrs["notes"] = list(judges.notes)
    return frame
