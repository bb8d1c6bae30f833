"""Flip rates from repeated questions: the same question about the same item, answered more than once.

Two answers to one question can only differ if one of them is wrong. Let t be the truth of a question, yes with
probability |L| / k under uniform queries whatever the classes' frequencies; the answers to it are independent given t:

    P(answers) = |L|/k prod P(s | t = yes) + (1 - |L|/k) prod P(s | t = no).

The rates that maximise this are found by EM (Dawid and Skene 1979, with the share of yes known).
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from oneof.answers import Answers
from oneof.answers.evidence import log_probabilities
from oneof.noise.rates import FlipRates, annotator_names, rates_by_em

ROUNDS = 500
START = 0.1
"""Where the rates begin: below one half, so that the solution in which everybody inverts is not the one found."""


def rates_from_repeated(answers: Answers) -> FlipRates:
    """Flip rates from questions that were asked at least twice, best by different annotators; no labels, no model.

    The questions must have been drawn uniformly. Questions asked once, and skips, are ignored.

    >>> from oneof import UniformQueries, respond
    >>> labels = np.arange(3000) % 10
    >>> once = UniformQueries(10, 4).draw(3000, rng=0)
    >>> subsets, items = np.concatenate([once, once]), np.tile(np.arange(3000), 2)
    >>> said = respond(subsets, labels[items], flip_yes=0.2, flip_no=0.1, rng=1)
    >>> rates = rates_from_repeated(Answers(subsets, said, items))
    >>> bool(abs(rates.flip_yes[0] - 0.2) < 0.03), bool(abs(rates.flip_no[0] - 0.1) < 0.03)
    (True, True)
    """
    answers = answers.answered
    question = _questions(answers)
    repeated = (np.bincount(question)[question] > 1) & answers.has_design("uniform")
    if not repeated.any():
        raise ValueError(
            "no question was asked twice: ask some questions (same item, same labels) of several annotators, "
            "or estimate the rates from gold items or with a model"
        )
    asked = answers[repeated]
    _, question = np.unique(question[repeated], return_inverse=True)
    prior = np.log(asked.sizes / (asked.classes - asked.sizes))

    def truth_of(rates: NDArray[np.float64]) -> NDArray[np.float64]:
        told = np.bincount(question, weights=_log_odds(asked.responses, rates))
        return np.asarray(expit(prior + told[question]))

    return rates_by_em(truth_of, asked, annotator_names(answers), question, start=START, rounds=ROUNDS, tolerance=1e-7)


def _questions(answers: Answers) -> NDArray[np.int64]:
    """A number for each question, the same where item and subset are the same. (n,)."""
    rows = np.concatenate([answers.items[:, None], answers.packed], axis=1)
    _, number = np.unique(rows, axis=0, return_inverse=True)
    return np.asarray(number.reshape(-1), dtype=np.int64)


def _log_odds(said: NDArray[np.bool_], rates: NDArray[np.float64]) -> NDArray[np.float64]:
    """What an answer adds to the log-odds that the truth is yes."""
    if_yes, if_no = log_probabilities(said, *rates.T)
    return np.asarray(if_yes - if_no)
