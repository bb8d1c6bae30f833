"""FlipRates: how often each annotator answers wrongly, how certain the rates are, and whose answers are useless.

    flip_yes = P(no | truth yes)      flip_no = P(yes | truth no)      trust = 1 - flip_yes - flip_no

Trust is 1 for a perfect annotator, 0 for one whose answers do not depend on the question (at random, or always yes),
and -1 for one who always answers the opposite.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from oneof.answers import Answers

Floats = NDArray[np.float64]

CERTAIN = 3.0
"""Standard errors that a verdict needs; with three, one honest annotator in a thousand is named by mistake."""

GOOD = 0.5
"""An annotator is "random" if the trust is surely below this: flips of 25 % of yes and of no."""


@dataclass(frozen=True)
class FlipRates:
    """Flip rates of a annotators; an annotator without a name stands for all.

    annotators: names. flip_yes, flip_no: (a,). covariance: (a, 2, 2) of the two rates. answers: int (a,), the number of
    answers used for each. known: (a, 2), the numbers of answers of known truth, yes and no, used for each rate; by
    default the numbers that would give the covariance.
    """

    annotators: tuple[str, ...]
    flip_yes: Floats
    flip_no: Floats
    covariance: Floats
    answers: NDArray[np.int64]
    known: Floats | None = None

    @property
    def worth(self) -> Floats:
        """The number of answers of known truth that would give rates as certain as these, (a, 2); infinite if known.

        A rate of variance v is worth rate (1 - rate) / v answers. The errors of the two rates may be correlated, which
        can increase the variance of a figure made of them by at most the largest eigenvalue of their correlation
        matrix; so the numbers are divided by it.
        """
        if self.known is not None:
            return self.known
        rates = np.stack([self.flip_yes, self.flip_no], axis=1)
        variances = np.diagonal(self.covariance, axis1=1, axis2=2)
        common = np.abs(self.covariance[:, 0, 1])
        with np.errstate(divide="ignore", invalid="ignore"):
            correlation = np.nan_to_num(common / np.sqrt(variances.prod(axis=1)))
            counts = rates * (1 - rates) / variances / (1 + correlation)[:, None] - 1
        return np.where(variances > 0, np.maximum(counts, 0.0), np.inf)

    @property
    def trust(self) -> Floats:
        """1 - flip_yes - flip_no, (a,)."""
        return np.asarray(1 - self.flip_yes - self.flip_no)

    @property
    def trust_error(self) -> Floats:
        """Standard error of the trust, (a,)."""
        return np.asarray(np.sqrt(self.covariance.sum(axis=(1, 2))))

    @property
    def verdicts(self) -> list[str]:
        """A word for each annotator: "fine", "random", "inverts", or "unclear" if there are too few answers.

        "random" is also somebody who always answers yes, or always no: those answers tell nothing either.
        """
        low, high = self.trust - CERTAIN * self.trust_error, self.trust + CERTAIN * self.trust_error
        verdicts = np.select([low > 0, high < 0, high < GOOD], ["fine", "inverts", "random"], "unclear")
        return [str(verdict) for verdict in verdicts]

    def named(self, verdict: str) -> list[str]:
        """The annotators with this verdict."""
        return [name for name, found in zip(self.annotators, self.verdicts, strict=True) if found == verdict]

    def table(self) -> pd.DataFrame:
        """One row per annotator: answers, rates with standard errors, trust, verdict."""
        errors = np.sqrt(np.diagonal(self.covariance, axis1=1, axis2=2))
        return pd.DataFrame(
            {
                "annotator": self.annotators,
                "answers": self.answers,
                "flip_yes": self.flip_yes,
                "flip_yes_error": errors[:, 0],
                "flip_no": self.flip_no,
                "flip_no_error": errors[:, 1],
                "trust": self.trust,
                "trust_error": self.trust_error,
                "verdict": self.verdicts,
            }
        )

    def apply(self, answers: Answers) -> Answers:
        """The answers with these flip rates, to train on or to judge by.

        They also get `known_yes` and `known_no`, how certain the rates are, which widens every interval. Answers of
        annotators with the verdict "random" are left out: they tell nothing. Answers of annotators who invert are
        inverted, and so are their rates.

        >>> rates = FlipRates(("ann", "bob"), np.array([0.1, 0.9]), np.array([0.1, 0.95]),
        ...                   np.full((2, 2, 2), 1e-5), np.array([900, 900]))
        >>> rates.verdicts
        ['fine', 'inverts']
        >>> answers = rates.apply(Answers([[True, False]] * 2, [True, True], annotators=["ann", "bob"]))
        >>> answers.responses, answers.flip_yes.round(2), answers.flip_no.round(2)
        (array([ True, False]), array([0.1, 0.1]), array([0.1 , 0.05]))
        """
        who = annotator_index(answers, self.annotators)
        inverts = (self.trust < 0)[who]
        rho1 = np.where(inverts, 1 - self.flip_yes[who], self.flip_yes[who])
        rho0 = np.where(inverts, 1 - self.flip_no[who], self.flip_no[who])
        kept = (np.array(self.verdicts) != "random")[who] & (rho1 + rho0 < 1)
        worth = self.worth[who]
        noisy = answers.replace(
            responses=answers.responses ^ inverts,
            flip_yes=np.where(kept, rho1, 0.0),
            flip_no=np.where(kept, rho0, 0.0),
            known_yes=worth[:, 0],
            known_no=worth[:, 1],
        )
        return noisy[kept]

    def __str__(self) -> str:
        return self.table().to_string(index=False, float_format=lambda value: f"{value:.3f}")


def annotator_names(answers: Answers) -> tuple[str, ...]:
    """The annotators in alphabetical order; one empty name if they are not named."""
    return ("",) if answers.annotators is None else tuple(np.unique(answers.annotators).tolist())


def annotator_index(answers: Answers, names: tuple[str, ...]) -> NDArray[np.int64]:
    """The place of each answer's annotator in `names`, (n,); an error for one who is not there."""
    if names == ("",) or answers.annotators is None:
        if len(names) > 1:
            raise ValueError("these answers have no annotators, but the rates are per annotator")
        return np.zeros(len(answers), dtype=np.int64)
    index = pd.Index(names).get_indexer(pd.Index(answers.annotators)).astype(np.int64)
    if (index < 0).any():
        unknown = str(answers.annotators[np.argmin(index)])
        raise ValueError(f"there are no flip rates for annotator {unknown!r}; known: {', '.join(names)}")
    return index


def maximise(truth: Floats, responses: NDArray[np.bool_], who: NDArray[np.int64], count: int) -> Floats:
    """Rates (count, 2) from P(truth is yes) of each answer, (n,): the M-step, or plain counting if the truth is known.

    Each annotator gets one additional answer of each kind, half of it flipped (Jeffreys' prior).
    """
    rates = np.empty((count, 2))
    for column, (mass, wrong) in enumerate(((truth, ~responses), (1 - truth, responses))):
        total = np.bincount(who, weights=mass, minlength=count)
        rates[:, column] = (np.bincount(who, weights=mass * wrong, minlength=count) + 0.5) / (total + 1)
    return rates


def rates_by_em(
    truth_of: Callable[[Floats], Floats],
    answers: Answers,
    names: tuple[str, ...],
    group: NDArray[np.int64],
    *,
    start: float,
    rounds: int,
    tolerance: float,
) -> FlipRates:
    """Flip rates for answers whose truth is unknown, by EM: expected truths from rates, rates from expected truths.

    truth_of: from the rates of each answer, (n, 2), to P(truth is yes | all answers), (n,). names: the
    annotators, some of whom may have given none of these answers. group: see `covariance`. start: the first value of
    the rates; below one half, because otherwise EM finds the solution in which everybody inverts.
    """
    who, responses = annotator_index(answers, names), answers.responses
    rates = np.full((len(names), 2), start)
    for _ in range(rounds):
        truth = truth_of(rates[who])
        update = maximise(truth, responses, who, len(names))
        moved = np.abs(update - rates).max()
        rates = update
        if moved < tolerance:
            break
    spread = covariance(truth, responses, who, rates, group)
    return FlipRates(names, rates[:, 0], rates[:, 1], spread, np.bincount(who, minlength=len(names)))


def covariance(
    truth: Floats, responses: NDArray[np.bool_], who: NDArray[np.int64], rates: Floats, group: NDArray[np.int64]
) -> Floats:
    """The covariance of each annotator's two rates, (a, 2, 2), taking into account that all other rates are uncertain.

    truth: P(truth is yes | all answers) of each answer, (n,). group: int (n,), which answers share one unknown truth
    (a question, or an item). The score of a group is the expected score had its truth been known (Fisher's identity);
    the sum of their outer products is the information.
    """
    rho1, rho0 = np.clip(rates, 1e-4, 1 - 1e-4)[who].T
    by_yes = truth * np.where(responses, -1 / (1 - rho1), 1 / rho1)
    by_no = (1 - truth) * np.where(responses, 1 / rho0, -1 / (1 - rho0))
    count = len(rates)
    scores = csr_matrix(
        (np.concatenate([by_yes, by_no]), (np.tile(group, 2), np.concatenate([2 * who, 2 * who + 1]))),
        shape=(int(group.max(initial=-1)) + 1, 2 * count),
    )
    # The information of the prior keeps the matrix invertible if an annotator has no answers of one kind.
    prior = 1 / np.clip(rates * (1 - rates), 1e-3, None)
    whole = np.linalg.inv((scores.T @ scores).toarray() + np.diag(prior.ravel()))
    place = 2 * np.arange(count)[:, None, None] + np.array([[0, 1]])
    return np.asarray(whole[place.transpose(0, 2, 1), place])
