"""A simulated annotator, who may err or flip answers on purpose."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def respond(
    subsets: ArrayLike,
    labels: ArrayLike,
    *,
    flip_yes: ArrayLike = 0.0,
    flip_no: ArrayLike = 0.0,
    rng: np.random.Generator | int | None = None,
) -> NDArray[np.bool_]:
    """The answers to "is it one of these?" about items whose labels are known. bool (n,).

    subsets: bool (n, k). labels: int (n,), each in 0..k-1.
    flip_yes = P(no | truth yes), flip_no = P(yes | truth no): numbers, or arrays (n,). If any of them is positive, rng
    is needed.

    >>> respond([[True, False, True], [True, False, True]], [0, 1])
    array([ True, False])
    """
    shown = np.asarray(subsets)
    truth = np.asarray(labels)
    if shown.ndim != 2 or not np.isin(shown, (0, 1)).all():
        raise ValueError(f"subsets must be true or false, of shape (n, classes), not {shown.dtype} {shown.shape}")
    shown = shown.astype(np.bool_)
    n, k = shown.shape
    if truth.shape != (n,):
        raise ValueError(f"labels must have shape ({n},), one for each subset, not {truth.shape}")
    if truth.dtype.kind not in "iu":
        raise ValueError(f"labels must be whole numbers, not {truth.dtype}")
    outside = np.flatnonzero((truth < 0) | (truth >= k))
    if len(outside):
        raise ValueError(f"label {truth[outside[0]]} in row {outside[0]} is not in 0..{k - 1}")
    rates = {"flip_yes": np.asarray(flip_yes, np.float64), "flip_no": np.asarray(flip_no, np.float64)}
    for name, rate in rates.items():
        if rate.shape not in ((), (n,)) or not ((rate >= 0) & (rate <= 1)).all():
            raise ValueError(f"{name} must be a probability, or {n} of them, not {rate}")

    answers = np.take_along_axis(shown, truth[:, None].astype(np.intp), axis=1)[:, 0]
    if any(rate.any() for rate in rates.values()):
        if rng is None:
            raise ValueError("flips are random: pass rng, a numpy Generator or a seed")
        chance = np.where(answers, rates["flip_yes"], rates["flip_no"])
        answers = answers ^ (np.random.default_rng(rng).random(n) < chance)
    return answers
