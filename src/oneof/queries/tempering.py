"""How far to trust a model about items whose answers it has not seen, found from those answers when they come.

A model that has learned little is often sure all the same. Questions that split such a belief into halves ask about the
wrong labels: what was counted as a whole bit is worth less. So the probabilities are flattened to p^(1/T), normalised,
with the temperature T under which the answers that came after were likeliest:

    sum over answers of  log P_T(answers up to this one) - log P_T(answers before),   P_T(A) = sum_j p_j^(1/T) P(A | j).

No label is needed, and it does not matter how the questions were chosen.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, logsumexp, softmax

Floats = NDArray[np.float64]

FLATTEST = 50.0
"""At this temperature next to nothing is left of what a model believes."""


def temper(probabilities: ArrayLike, temperature: float) -> Floats:
    """Flattened (temperature above 1) or sharpened probabilities. (n, k) -> (n, k).

    >>> temper([[0.8, 0.2]], 2.0).round(3)
    array([[0.667, 0.333]])
    """
    return np.asarray(softmax(_logs(probabilities) / temperature, axis=1))


def find_temperature(probabilities: ArrayLike, before: ArrayLike, after: ArrayLike) -> float:
    """The temperature, 1 or more, under which the answers that came were likeliest; 1 if there were none.

    probabilities: (n, k), the model's for the item of each answer, from before it was trained on it. before, after:
    (n, k), the evidence about that item without the answer and with it.

    >>> sure = np.tile([0.99, 0.01], (100, 1))                      # but right only in 70 of 100
    >>> said = np.where(np.arange(100)[:, None] < 70, [0.0, -np.inf], [-np.inf, 0.0])
    >>> T = find_temperature(sure, np.zeros((100, 2)), said)
    >>> temper(sure, T)[0].round(2)
    array([0.7, 0.3])
    """
    logs, earlier, later = _logs(probabilities), np.asarray(before), np.asarray(after)
    if not logs.shape == earlier.shape == later.shape:
        raise ValueError(f"evidence must have shape {logs.shape}, not {earlier.shape} and {later.shape}")
    if not len(logs):
        return 1.0

    def unlikely(log_temperature: float) -> float:
        flat = log_softmax(logs / np.exp(log_temperature), axis=1)
        return -float((logsumexp(flat + later, axis=1) - logsumexp(flat + earlier, axis=1)).sum())

    return float(np.exp(minimize_scalar(unlikely, bounds=(0.0, np.log(FLATTEST)), method="bounded").x))


def _logs(probabilities: ArrayLike) -> Floats:
    return np.log(np.maximum(np.asarray(probabilities, dtype=np.float64), 1e-12))
