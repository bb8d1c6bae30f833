"""Flip rates from repeated questions: the same question about the same item, with several answers.

Two answers to one question can only differ if one of them is wrong. Let t be the truth of a question, yes with
probability |L| / k under uniform questions, for any frequencies of the classes. The answers are independent given t:

    P(answers) = |L|/k prod P(s | t = yes) + (1 - |L|/k) prod P(s | t = no).

The rates that maximise this are found by EM (Dawid and Skene 1979, with the share of yes known).
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from oneof.answers import Answers
from oneof.answers.evidence import log_probabilities
from oneof.answers.grouping import by_question
from oneof.noise.rates import FlipRates, annotator_names, rates_by_em

ROUNDS = 500
START = 0.1
"""The first value of the rates: below one half, because otherwise EM finds the solution in which everybody inverts."""


def rates_from_repeated(answers: Answers) -> FlipRates:
    """Flip rates from questions with two or more answers, preferably of different annotators; no labels, no model.

    The questions must have been drawn uniformly. Questions with one answer, and skips, are ignored.

    >>> from oneof import UniformQueries, respond
    >>> labels = np.arange(3000) % 10
    >>> once = UniformQueries(10, 4).draw(3000, rng=0)
    >>> subsets, items = np.concatenate([once, once]), np.tile(np.arange(3000), 2)
    >>> responses = respond(subsets, labels[items], flip_yes=0.2, flip_no=0.1, rng=1)
    >>> rates = rates_from_repeated(Answers(subsets, responses, items))
    >>> bool(abs(rates.flip_yes[0] - 0.2) < 0.03), bool(abs(rates.flip_no[0] - 0.1) < 0.03)
    (True, True)
    """
    answers = answers.answered
    question = by_question(answers.items, answers.packed)
    repeated = (np.bincount(question)[question] > 1) & answers.has_design("uniform")
    if not repeated.any():
        raise ValueError(
            "no question was asked twice: ask some questions (same item, same labels) of several annotators, "
            "or estimate the rates from gold items or with a model"
        )
    names, answers = annotator_names(answers), answers[repeated]
    _, question = np.unique(question[repeated], return_inverse=True)
    prior = np.log(answers.sizes / (answers.classes - answers.sizes))

    def truth_of(rates: NDArray[np.float64]) -> NDArray[np.float64]:
        """P(truth is yes | all answers to the question), (n,)."""
        if_yes, if_no = log_probabilities(answers.responses, *rates.T)
        log_odds = np.bincount(question, weights=if_yes - if_no)
        return np.asarray(expit(prior + log_odds[question]))

    return rates_by_em(truth_of, answers, names, question, start=START, rounds=ROUNDS, tolerance=1e-7)
