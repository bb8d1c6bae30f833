"""Which items train and which judge: the one place where items are held out.

Items are held out, not answers: all answers about an item are in the same part, so that a model is never judged on an
item it was trained on. Which items judge must not depend on what a model finds hard. If questions were chosen by a
model (design "adaptive"), the items that it did not choose are the easy ones, and an accuracy measured on them is far
too high. So with adaptive questions only items that were held out before the first question can judge: `held_out`.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oneof.answers import Answers


class Split(NamedTuple):
    """Answers to train on, answers to judge by, and if there are none of these, the reason."""

    training: Answers
    judging: Answers
    unjudged: str = ""


def split(answers: Answers, share: float, seed: int, held_out: ArrayLike | None = None) -> Split:
    """The answers, split by item.

    share: the share of the items that judge, drawn at random with the seed. held_out: the items (rows of X) that judge,
    if they were held out before; then the share is ignored.

    >>> answers = Answers([[True, False]] * 4, [True] * 4, items=[0, 0, 1, 2])
    >>> training, judging, _ = split(answers, 0.34, seed=0)
    >>> sorted(set(training.items.tolist()) & set(judging.items.tolist()))
    []
    """
    if held_out is not None:
        judging = np.isin(answers.items, np.asarray(held_out))
        return Split(answers[~judging], answers[judging], "" if judging.any() else "no answer is about a held-out item")
    nothing = answers[:0]
    if not share:
        return Split(answers, nothing, "nothing was held out")
    adaptive = answers.adaptive
    if adaptive.any():
        return Split(
            answers,
            nothing,
            f"{int(adaptive.sum())} of {len(answers)} questions were chosen by a model, and the items that it did not "
            "choose are the easy ones: put items aside at random before asking and name them (held_out), or judge by "
            "new answers to uniform questions",
        )
    items = np.unique(answers.items[~answers.has_design("given")])
    if not len(items):
        return Split(answers, nothing, "labels and candidate sets that were given train, but cannot judge")
    rng = np.random.default_rng([seed, 0x5EED])
    held = rng.choice(items, size=round(share * len(items)), replace=False)
    judging = np.isin(answers.items, held)
    if not judging.any():
        return Split(answers, nothing, f"{share:g} of {len(items)} items is none")
    return Split(answers[~judging], answers[judging])


def halves(held: Answers) -> tuple[Answers, Answers]:
    """Held-out answers in two parts, split by item: one part chooses an epoch, the other judges it."""
    first = np.isin(held.items, np.unique(held.items)[::2])
    return held[first], held[~first]


def kept_aside(content_hashes: Sequence[str], share: float) -> NDArray[np.bool_]:
    """Which items are held out, bool (n,), by the hash of their content: adding items does not change it for others.

    >>> kept_aside(["00" * 32, "ff" * 32], 0.2)
    array([ True, False])
    """
    return np.array([int(text[:8], 16) < share * 2**32 for text in content_hashes], dtype=np.bool_)


def without_holdout(estimator: Any) -> Any:
    """The estimator with holdout 0, for a caller who has held out items already: no answers are put aside twice."""
    return estimator.set_params(holdout=0.0) if "holdout" in estimator.get_params() else estimator
