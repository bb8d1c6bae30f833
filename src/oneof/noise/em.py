"""Flip rates and a classifier, both by EM, without gold items or repeated questions (after Dawid and Skene 1979).

The model gives the probability of each class of an item, the rates give the probability of each answer given the class:

    P(answers about item i) = sum_j p_ij^(1/T) / Z_i * prod over answers P(s | class j, L, rates of the annotator).

E-step: the posterior of each item's class. M-step: the rates from the posterior; then the model, trained again with
these rates. Two precautions make this work. The p_ij of an item come from a model that was not trained on its answers
(cross-fitting): a model that has memorised wrong answers would call them right. And the temperature T is fitted with
the rates, so that the errors of an overconfident model are not attributed to the annotators.

With one answer per item, errors of the annotators and of the model can be distinguished only because the model's
confidence varies; if it hardly does, many pairs of temperature and rates explain the answers equally well. So the fits
at all temperatures are weighted by their likelihood, their differences are part of the covariance, and if they differ
too much the rates are refused.
"""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_softmax, logsumexp, softmax

from oneof.answers import Answers
from oneof.answers.evidence import log_probabilities
from oneof.noise.rates import FlipRates, annotator_index, annotator_names, rates_by_em
from oneof.queries.probabilities import finite_logs
from oneof.training.splits import without_holdout

Floats = NDArray[np.float64]

TEMPERATURES = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6)
INNER_ROUNDS = 200
LARGEST_RANGE = 0.1
"""If a rate varies more than this between temperatures that explain the answers equally well, it is not identified."""

AS_WELL = 2.0
"""Fits are equally good if their log-likelihoods differ by less than this: half of a chi-square's 95 % point."""


class Estimator(Protocol):
    """The methods that a classifier must have: scikit-learn's interface, with answers instead of labels."""

    def fit(self, X: Any, y: Answers) -> Any:
        """Train on items and answers, which have flip rates."""

    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities, (n, k)."""


@dataclass(frozen=True)
class NoisyFit:
    """estimator: trained on all answers with the final rates. rates: per annotator. answers: with these rates.

    temperature: of the probabilities in the last round; above 1 the model was overconfident. log_likelihood: of all
    answers in the last round, under probabilities from models that were not trained on them.
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

    Gives the rates, the temperature that explains the answers best, and the log-likelihood at it. probabilities:
    (items, k); `answers.items` are its rows. start: the first value of the rates, below one half. An error if the
    annotators' flips cannot be distinguished from the model's errors: this needs several answers per item, or a model
    whose confidence varies, and which is calibrated at one of the temperatures.

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
    rates, temperature, value, doubt = _rates_and_doubt(p, answers, start, tuple(temperatures))
    if doubt:
        raise ValueError(doubt)
    return rates, temperature, value


def _rates_and_doubt(
    p: Floats, answers: Answers, start: float, temperatures: tuple[float, ...]
) -> tuple[FlipRates, float, float, str]:
    """The rates, the best temperature, its log-likelihood, and why the rates cannot be trusted (empty if they can)."""
    answers = answers.answered
    items, row = np.unique(answers.items, return_inverse=True)
    scores = finite_logs(p[items])
    fits = [(*_at_temperature(scores / t, answers, row, start), t) for t in temperatures]
    best, value, temperature = max(fits, key=lambda fit: fit[1])
    pairs = np.stack([np.stack([fit[0].flip_yes, fit[0].flip_no], axis=1) for fit in fits])
    values = np.array([fit[1] for fit in fits])
    weights = softmax(values)
    away = pairs - np.einsum("t,tac->ac", weights, pairs)
    between = np.einsum("t,tac,tad->acd", weights, away, away)
    rates = FlipRates(best.annotators, best.flip_yes, best.flip_no, best.covariance + between, best.answers)
    as_good = pairs[values > value - AS_WELL]
    remedy = "ask some questions twice, or use gold items"
    doubt = ""
    if np.ptp(as_good, axis=0).max() > LARGEST_RANGE:
        doubt = (
            f"these answers cannot tell the annotators' flips from the model's errors: rates from {as_good.min():.2f} "
            f"to {as_good.max():.2f} explain them as well; {remedy}"
        )
    elif (
        temperatures == TEMPERATURES and temperature in (min(temperatures), max(temperatures)) and _one_is_best(values)
    ):
        doubt = (
            f"the model's probabilities are too far from the truth to tell its errors from the annotators' flips "
            f"(temperature {temperature:g} is the last one tried); {remedy}"
        )
    return rates, temperature, value, doubt


def _one_is_best(values: Floats) -> bool:
    """Whether one fit is clearly the best; if its temperature is the first or last one, a better one lies beyond."""
    return bool(np.sort(values)[-1] - np.sort(values)[-2] > AS_WELL)


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
    """Train a classifier on answers with unknown flip rates, and estimate the rates, of each annotator if named.

    estimator: a classifier such as `OneOfClassifier`; it is cloned, never changed. X: the items, an array;
    `answers.items` are its rows. start: the first value of the rates. It trains folds * rounds + 1 times. Flip rates of
    the answers are ignored.
    """
    from sklearn.base import clone

    if rounds < 1 or folds < 2:
        raise ValueError(f"rounds must be at least 1 and folds at least 2, not {rounds} and {folds}")
    names = annotator_names(answers)
    first = np.full(len(names), start)
    rates = FlipRates(names, first, first, np.zeros((len(names), 2, 2)), np.zeros(len(names), dtype=np.int64))
    items = np.unique(answers.items)
    if len(items) < folds:
        raise ValueError(f"answers about {len(items)} items cannot make {folds} folds")
    fold = np.empty(int(items.max()) + 1, dtype=np.int64)
    fold[items] = np.random.default_rng(seed).permutation(len(items)) % folds
    temperature, value, doubt = float("nan"), float("nan"), ""
    for _ in range(rounds):
        noisy = rates.apply(answers)
        held_out = np.empty((len(fold), answers.classes))  # only the rows of items with answers are used
        for part in range(folds):
            rows = items[fold[items] == part]
            model = without_holdout(clone(estimator)).fit(X, noisy[fold[noisy.items] != part])
            held_out[rows] = model.predict_proba(X[rows])
        rates, temperature, value, doubt = _rates_and_doubt(held_out, answers, start, TEMPERATURES)
    if doubt:  # the model is trained nevertheless: the covariance of its rates includes the doubt
        warnings.warn(doubt, stacklevel=2)
    noisy = rates.apply(answers)
    return NoisyFit(clone(estimator).fit(X, noisy), rates, noisy, temperature, value)


def _at_temperature(scores: Floats, answers: Answers, row: NDArray[np.int64], start: float) -> tuple[FlipRates, float]:
    """The rates by EM with a fixed model, and the log-likelihood. scores: log p of each item with answers, (b, k)."""
    subsets = answers.subsets
    log_prior = log_softmax(scores, axis=1)

    def log_joint(rates: Floats) -> Floats:
        """log P(class, answers) of each item and class, (b, k)."""
        inside, outside = log_probabilities(answers.responses, *rates.T)
        joint = log_prior.copy()
        np.add.at(joint, row, np.where(subsets, inside[:, None], outside[:, None]))
        return joint

    def truth_of(rates: Floats) -> Floats:
        posterior = softmax(log_joint(rates), axis=1)
        return np.asarray(np.where(subsets, posterior[row], 0).sum(axis=1))

    names = annotator_names(answers)
    found = rates_by_em(truth_of, answers, names, row, start=start, rounds=INNER_ROUNDS, tolerance=1e-6)
    who = annotator_index(answers, names)
    best = np.stack([found.flip_yes, found.flip_no], axis=1)[who]
    return found, float(logsumexp(log_joint(best), axis=1).sum())
