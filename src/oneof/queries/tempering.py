"""How far a model can be trusted about items that it was not trained on, found from new answers about them.

A model that has learned little is often overconfident. Questions chosen by such a model ask about the wrong labels, and
their answers tell less than expected. So the probabilities are flattened to p^(1/T), normalised, with the temperature T
under which the new answers are likeliest:

    sum over answers of  log P_T(answers up to this one) - log P_T(answers before),   P_T(A) = sum_j p_j^(1/T) P(A | j).

No label is needed, and it does not matter how the questions were chosen.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, logsumexp, softmax

from oneof.queries.probabilities import Floats, finite_logs

FLATTEST = 50.0
"""The largest temperature: almost nothing is left of the model's probabilities."""
MANY = 16
"""With this many classes or more a uniform question tells so little that even a poor model chooses better ones."""
KNOWN = 0.4
"""With fewer classes a model may choose questions once its `foreseen` value for uniform answers is this large."""
JUDGES = 30
"""From this number of items with answers on, their answers decide whether it is."""


def temper(probabilities: ArrayLike, temperature: float) -> Floats:
    """Flattened (temperature above 1) or sharpened probabilities. (n, k) -> (n, k).

    >>> temper([[0.8, 0.2]], 2.0).round(3)
    array([[0.667, 0.333]])
    """
    return np.asarray(softmax(finite_logs(probabilities) / temperature, axis=1))


def find_temperature(probabilities: ArrayLike, before: ArrayLike, after: ArrayLike) -> float:
    """The temperature, 1 or more, under which the new answers are likeliest; 1 if there are none.

    probabilities: (n, k), for the item of each answer, by a model that was not trained on the answer. before, after:
    (n, k), the evidence about that item without the answer and with it.

    >>> sure = np.tile([0.99, 0.01], (100, 1))                      # but right only in 70 of 100
    >>> after = np.where(np.arange(100)[:, None] < 70, [0.0, -np.inf], [-np.inf, 0.0])
    >>> T = find_temperature(sure, np.zeros((100, 2)), after)
    >>> temper(sure, T)[0].round(2)
    array([0.7, 0.3])
    """
    logs, earlier, later = finite_logs(probabilities), np.asarray(before), np.asarray(after)
    if not logs.shape == earlier.shape == later.shape:
        raise ValueError(f"evidence must have shape {logs.shape}, not {earlier.shape} and {later.shape}")
    if not len(logs):
        return 1.0

    def unlikely(log_temperature: float) -> float:
        return -_log_likelihood(logs / np.exp(log_temperature), earlier, later)

    return float(np.exp(minimize_scalar(unlikely, bounds=(0.0, np.log(FLATTEST)), method="bounded").x))


def foreseen(probabilities: ArrayLike, before: ArrayLike, after: ArrayLike) -> float:
    """How well the model foresaw the new answers: 0 not at all, 1 perfectly; 0 without answers.

    One minus the log-likelihood of the answers under the model, at its best temperature, divided by that under equally
    likely classes. Arguments as in `find_temperature`. With answers to uniform questions about items drawn at random,
    which the model was not trained on, this is a label-free measure of how much it knows.

    >>> after = np.where(np.eye(4, dtype=bool), 0.0, -np.inf)        # four items, one of each class
    >>> [round(foreseen(p, np.zeros((4, 4)), after), 3) for p in (np.eye(4), np.full((4, 4), 0.25))]
    [1.0, 0.0]
    """
    logs, earlier, later = finite_logs(probabilities), np.asarray(before), np.asarray(after)
    by_chance = _log_likelihood(np.zeros_like(logs), earlier, later)
    if by_chance == 0:
        return 0.0
    return 1.0 - _log_likelihood(logs / find_temperature(probabilities, earlier, later), earlier, later) / by_chance


def may_choose(probabilities: ArrayLike, evidence: ArrayLike) -> bool:
    """Whether a model knows enough to choose questions that are better than uniform ones about new items.

    probabilities: (n, k). evidence: (n, k), of uniform answers about these items, which the model was not trained on.
    With `MANY` classes it always may; with fewer, `JUDGES` of these items must have answers, and it must foresee them.

    >>> truth = np.arange(40) % 4
    >>> evidence = np.where(np.eye(4, dtype=bool)[truth], 0.0, -np.inf)
    >>> may_choose(np.eye(4)[truth], evidence), may_choose(np.full((40, 4), 0.25), evidence)
    (True, False)
    """
    p, known = np.asarray(probabilities), np.asarray(evidence)
    if p.shape[1] >= MANY:
        return True
    judging = known.any(axis=1)
    nothing = np.zeros((int(judging.sum()), p.shape[1]))
    return len(nothing) >= JUDGES and foreseen(p[judging], nothing, known[judging]) >= KNOWN


def _log_likelihood(scores: Floats, before: NDArray[np.floating], after: NDArray[np.floating]) -> float:
    """log P(new answers | earlier answers) under the softmax of the scores, from the evidence before and after."""
    log_p = log_softmax(scores, axis=1)
    return float((logsumexp(log_p + after, axis=1) - logsumexp(log_p + before, axis=1)).sum())
