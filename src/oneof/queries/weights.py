"""The weights of an unbiased risk: by what an answer to a uniform question multiplies the loss of each class.

An answer to a question of m out of k labels multiplies the loss of class j by one of four numbers:

    a if yes and j in L      b if yes and j not in L      c if no and j in L      d if no and j not in L

The mean over answers is unbiased for the supervised risk under uniform queries of size m if and only if

    m a + (k-m) d = k      and      m(m-1) a + m(k-m)(b + c) + (k-m)(k-m-1) d = 0.

Sizes may be numbers, numpy arrays or tensors: the functions use nothing but +, -, * and /.
"""

from typing import Any, NamedTuple

Number = Any
"""A number; or an array or tensor of numbers, if questions have several sizes."""


class Weights(NamedTuple):
    """The factors of the loss of a class: yes and inside L, yes and outside, no and inside, no and outside."""

    a: Number
    b: Number
    c: Number
    d: Number


def paper_weights(classes: int, size: Number, p_yes: Number) -> Weights:
    """The paper's weights: only the labels in L count.

    >>> paper_weights(classes=10, size=5, p_yes=0.5)
    Weights(a=2.0, b=0.0, c=-1.6, d=0.0)
    """
    return Weights(1 / p_yes, 0.0, -((size - 1) / size) / (1 - p_yes), 0.0)


def minimum_norm_weights(classes: int, size: Number) -> Weights:
    """The unbiased weights with the smallest second moment.

    >>> minimum_norm_weights(classes=4, size=2)
    Weights(a=1.0, b=-0.5, c=-0.5, d=1.0)
    """
    elsewhere = -(classes - 2) / classes
    return Weights((classes - 1) / size + elsewhere, elsewhere, elsewhere, (classes - 1) / (classes - size) + elsewhere)


def agreement_weights(classes: int, size: Number) -> Weights:
    """The weights with a = d = 1, so one on every label that agrees with the answer: those of label-free accuracy.

    >>> round(agreement_weights(classes=10, size=5).b, 6)
    -0.8
    """
    chance = agreement_by_chance(classes, size)
    against = chance / (chance - 1)
    return Weights(1.0, against, against, 1.0)


def agreement_by_chance(classes: int, size: Number) -> Number:
    """c0: the probability that the answer agrees with a *wrong* class, whichever it is.

    >>> agreement_by_chance(classes=4, size=2)
    0.3333333333333333
    """
    both, neither = pair_shown(classes, size)
    return both + neither


def pair_shown(classes: int, size: Number) -> tuple[Number, Number]:
    """The probabilities that a uniform question shows both of two given classes, and neither of them.

    >>> pair_shown(classes=4, size=3)
    (0.5, 0.0)
    """
    pairs = classes * (classes - 1)
    return size * (size - 1) / pairs, (classes - size) * (classes - size - 1) / pairs


def with_flips(p_yes: Number, flip_yes: Number, flip_no: Number) -> Number:
    """P(yes) after flips, from P(yes) before: a yes stays with probability 1 - rho1, a no becomes yes with rho0.

    >>> round(with_flips(0.5, flip_yes=0.2, flip_no=0.1), 4)
    0.45
    """
    return p_yes * (1 - flip_yes) + (1 - p_yes) * flip_no


def without_flips(responses: Number, flip_yes: Number, flip_no: Number) -> Number:
    """s_hat = (s - rho0) / (1 - rho0 - rho1): equal on average to the answer before it was flipped.

    >>> round(without_flips(1.0, flip_yes=0.2, flip_no=0.1), 4), round(without_flips(0.0, 0.2, 0.1), 4)
    (1.2857, -0.1429)
    """
    return (responses - flip_no) / (1 - flip_no - flip_yes)


def flipped_again(rate: Number, extra: Number) -> Number:
    """The flip rate after a second flip: an answer is flipped at `rate`, then the result at `extra`, whether yes or no.

    >>> round(flipped_again(0.1, 0.2), 4)
    0.26
    """
    return rate + extra * (1 - 2 * rate)
