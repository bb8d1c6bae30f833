"""Flip rates and a classifier together, by EM: no gold items, no repeated questions (after Dawid and Skene 1979).

The model says how likely each class of an item is, the rates say how likely each answer is given the class, and

    P(answers about item i) = sum_j p_ij^(1/T) / Z_i * prod over answers P(s | class j, L, rates of the annotator).

E-step: the posterior of each item's class. M-step: the rates from the posterior; then the model, by training anew with
these rates. Two precautions make this work. The p_ij of an item come from a model that did not see its answers
(cross-fitting): a model that has learnt wrong answers by heart would declare them right. And the temperature T is
fitted with the rates, so that an overconfident model does not pass off its own errors as those of the annotators.

With one answer per item, errors of the annotators and of the model are told apart only by how the model's confidence
varies; if it hardly does, many pairs of temperature and rates explain the answers equally well. So the fits at all
temperatures are weighed by their likelihood, their differences are part of the covariance, and where they differ too
much to be of use the rates are refused.
"""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from oneof.answers import Answers
from oneof.answers.evidence import log_probabilities
from oneof.noise.rates import FlipRates, annotator_index, annotator_names, rates_by_em
from oneof.training.splits import without_holdout

Floats = NDArray[np.float64]

TEMPERATURES = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6)
INNER_ROUNDS = 200
MOST_APART = 0.1
"""How far apart a rate may be between temperatures that explain the answers as well; beyond, it is not identified."""

AS_WELL = 2.0
"""Difference in log-likelihood up to which one fit counts as good as another: half of a chi-square's 95 % point."""


class Estimator(Protocol):
    """What is needed of a classifier: scikit-learn's interface, with answers in place of labels."""

    def fit(self, X: Any, y: Answers) -> Any:
        """Train on items and answers, flip rates included."""

    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities, (n, k)."""


@dataclass(frozen=True)
class NoisyFit:
    """estimator: trained on all answers with the final rates. rates: per annotator. answers: with the rates written in.

    temperature: by how much the held-out probabilities had to be softened. log_likelihood: of all answers, in the
    last round, under probabilities that did not see them.
    """

    estimator: Any
    rates: FlipRates
    answers: Answers
    temperature: float
    log_likelihood: float


def rates_from_model(
    probabilities: ArrayLike, answers: Answers, *, start: float = 0.1, temperatures: Iterable[float] = TEMPERATURES
) -> tuple[FlipRates, float, float]:
    """Flip rates from class probabilities of a model that was not trained on these answers.

    probabilities: (items, k); `answers.items` points into it. start: where the rates begin, below one half.
    Returns the rates, the temperature that explains the answers best, and the log-likelihood there. An error where
    the answers cannot tell the annotators' flips from the model's errors: that takes several answers per item, or a
    model whose confidence varies and lies within reach of the temperatures.

    >>> from oneof import UniformQueries, respond
    >>> labels = np.arange(3000) % 10
    >>> subsets = UniformQueries(10, 5).draw(3000, rng=0)
    >>> answers = Answers(subsets, respond(subsets, labels, flip_yes=0.2, flip_no=0.1, rng=1))
    >>> model = np.full((3000, 10), 0.02)
    >>> model[np.arange(3000), labels] = 0.82
    >>> rates, _, _ = rates_from_model(model, answers, temperatures=[0.7, 0.5])
    >>> rates.flip_yes.round(2), rates.flip_no.round(2)
    (array([0.21]), array([0.1]))
    """
    p = np.asarray(probabilities, dtype=np.float64)
    if p.ndim != 2 or p.shape[1] != answers.classes or len(p) <= answers.items.max(initial=-1):
        raise ValueError(
            f"probabilities must have shape (items, {answers.classes}) with a row for item "
            f"{answers.items.max(initial=-1)}, not {p.shape}"
        )
    if not len(answers):
        raise ValueError("there are no answers to estimate rates from")
    rates, temperature, value, doubt = _weighed(p, answers, start, tuple(temperatures))
    if doubt:
        raise ValueError(doubt)
    return rates, temperature, value


def _weighed(
    p: Floats, answers: Answers, start: float, temperatures: tuple[float, ...]
) -> tuple[FlipRates, float, float, str]:
    """Rates, best temperature, its log-likelihood, and why the rates cannot be told from the model's errors, if so."""
    answers = answers.answered
    asked, row = np.unique(answers.items, return_inverse=True)
    scores = np.log(np.maximum(p[asked], 1e-12))
    fits = [(*_at_temperature(scores / t, answers, row, start), t) for t in temperatures]
    best, value, temperature = max(fits, key=lambda fit: fit[1])
    pairs = np.stack([np.stack([fit[0].flip_yes, fit[0].flip_no], axis=1) for fit in fits])
    told = np.array([fit[1] for fit in fits])
    weights = np.exp(told - value) / np.exp(told - value).sum()
    away = pairs - np.einsum("t,tac->ac", weights, pairs)
    between = np.einsum("t,tac,tad->acd", weights, away, away)
    rates = FlipRates(best.annotators, best.flip_yes, best.flip_no, best.covariance + between, best.answers)
    as_good = pairs[told > value - AS_WELL]
    apart = float(np.ptp(as_good, axis=0).max())
    remedy = "ask some questions twice, or use gold items"
    doubt = ""
    if apart > MOST_APART:
        doubt = (
            f"these answers cannot tell the annotators' flips from the model's errors: rates from {as_good.min():.2f} "
            f"to {as_good.max():.2f} explain them as well; {remedy}"
        )
    elif temperatures == TEMPERATURES and temperature in (min(temperatures), max(temperatures)) and _alone(told):
        doubt = (
            f"the model's probabilities are too far from the truth to tell its errors from the annotators' flips "
            f"(temperature {temperature:g} is the last one tried); {remedy}"
        )
    return rates, temperature, value, doubt


def _alone(told: Floats) -> bool:
    """Whether one fit is better than all others: at the end of the temperatures, a still better one lies beyond."""
    return bool(np.sort(told)[-1] - np.sort(told)[-2] > AS_WELL)


def fit_with_noise(
    estimator: Estimator,
    X: Any,
    answers: Answers,
    *,
    start: float = 0.1,
    rounds: int = 2,
    folds: int = 3,
    seed: int = 0,
) -> NoisyFit:
    """Train a classifier on answers whose flip rates are unknown, and estimate the rates, per annotator if recorded.

    estimator: a classifier such as `OneOfClassifier`; it is cloned, never changed. X: the items, an array whose rows
    `answers.items` points at. Trains folds * rounds + 1 times. Flip rates that the answers carry are ignored.
    """
    from sklearn.base import clone

    if rounds < 1 or folds < 2:
        raise ValueError(f"rounds must be at least 1 and folds at least 2, not {rounds} and {folds}")
    names = annotator_names(answers)
    some = np.full(len(names), start)
    rates = FlipRates(names, some, some, np.zeros((len(names), 2, 2)), np.zeros(len(names), dtype=np.int64))
    asked = np.unique(answers.items)
    if len(asked) < folds:
        raise ValueError(f"answers about {len(asked)} items cannot make {folds} folds")
    fold = np.empty(int(asked.max()) + 1, dtype=np.int64)
    fold[asked] = np.random.default_rng(seed).permutation(len(asked)) % folds
    temperature, value, doubt = float("nan"), float("nan"), ""
    for _ in range(rounds):
        told = rates.apply(answers)
        held_out = np.empty((len(fold), answers.classes))  # only the rows of asked items are ever read
        for part in range(folds):
            rows = asked[fold[asked] == part]
            model = without_holdout(clone(estimator)).fit(X, told[fold[told.items] != part])
            held_out[rows] = model.predict_proba(X[rows])
        rates, temperature, value, doubt = _weighed(held_out, answers, start, TEMPERATURES)
    if doubt:  # the model is trained all the same: its rates carry the doubt in their covariance
        warnings.warn(doubt, stacklevel=2)
    told = rates.apply(answers)
    return NoisyFit(clone(estimator).fit(X, told), rates, told, temperature, value)


def _at_temperature(scores: Floats, answers: Answers, row: NDArray[np.int64], start: float) -> tuple[FlipRates, float]:
    """EM for the rates with the model held fixed, and the log-likelihood. scores: log p of each asked item, (b, k)."""
    said, subsets = answers.responses, answers.subsets
    log_prior = scores - logsumexp(scores, axis=1, keepdims=True)

    def joint(rates: Floats) -> Floats:
        told = log_prior.copy()
        np.add.at(told, row, _log_likelihood(subsets, said, rates))
        return told

    def truth_of(rates: Floats) -> Floats:
        told = joint(rates)
        posterior = np.exp(told - logsumexp(told, axis=1, keepdims=True))
        return np.asarray(np.where(subsets, posterior[row], 0).sum(axis=1))

    names = annotator_names(answers)
    found = rates_by_em(truth_of, answers, names, row, start=start, rounds=INNER_ROUNDS, tolerance=1e-6)
    who = annotator_index(answers, names)
    best = np.stack([found.flip_yes, found.flip_no], axis=1)[who]
    return found, float(logsumexp(joint(best), axis=1).sum())


def _log_likelihood(subsets: NDArray[np.bool_], said: NDArray[np.bool_], rates: Floats) -> Floats:
    """log P(answer | class) for every class, (n, k)."""
    inside, outside = log_probabilities(said, *rates.T)
    return np.asarray(np.where(subsets, inside[:, None], outside[:, None]))
