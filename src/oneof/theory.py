"""The paper's lemmas and bounds as functions, in float64. k classes, questions of size m, s = 1 for yes."""

from math import comb, exp, log, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray


def p_yes(classes: int, size: int) -> float:
    """Lemma 1: P(s = 1) = m / k.

    >>> p_yes(classes=10, size=3)
    0.3
    """
    _check(classes, size)
    return size / classes


def response_law(joint: ArrayLike, subset: ArrayLike, response: bool) -> float:
    """Proposition 1, Eq. (4): p(x, L | s) at one x, from joint = p(x, y) for each class y, (k,).

    >>> response_law([0.1, 0.2, 0.3], [True, True, False], response=True)
    0.15000000000000002
    """
    density, inside = np.asarray(joint, np.float64), np.asarray(subset, np.bool_)
    k, m = len(density), int(inside.sum())
    _check(k, m)
    return float(density[inside].sum() / comb(k - 1, m - 1) if response else density[~inside].sum() / comb(k - 1, m))


def joint_from_yes(inclusion: ArrayLike, marginal: ArrayLike, classes: int, size: int) -> NDArray[np.float64]:
    """Lemma 2, first line: p(x, y) = (k-1)/(k-m) sum_{L containing y} p(x, L | s=1) - (m-1)/(k-m) p(x).

    inclusion: that sum. marginal: p(x).

    >>> joint_from_yes(inclusion=0.5, marginal=1.0, classes=4, size=2)
    array(0.25)
    """
    _check(classes, size)
    yes, p_x = np.asarray(inclusion, np.float64), np.asarray(marginal, np.float64)
    return np.asarray(((classes - 1) * yes - (size - 1) * p_x) / (classes - size))


def joint_from_no(exclusion: ArrayLike, marginal: ArrayLike, classes: int, size: int) -> NDArray[np.float64]:
    """Lemma 2, second line: p(x, y) = (k-1)/m sum_{L not containing y} p(x, L | s=0) - (k-m-1)/m p(x).

    >>> joint_from_no(exclusion=0.5, marginal=1.0, classes=4, size=2)
    array(0.25)
    """
    _check(classes, size)
    no, p_x = np.asarray(exclusion, np.float64), np.asarray(marginal, np.float64)
    return np.asarray(((classes - 1) * no - (classes - size - 1) * p_x) / size)


def risk_identity(mean_yes: float, mean_no: float, size: int) -> float:
    """Theorem 1, Eq. (5): R(f) = m E[mean of l over L | s=1] - (m-1) E[mean of l over L | s=0].

    >>> risk_identity(mean_yes=0.5, mean_no=0.25, size=3)
    1.0
    """
    return size * mean_yes - (size - 1) * mean_no


def loss_bound(loss: str, q: float = 0.7, eps: float = 1e-6) -> float:
    """C_l, the largest value of a classwise loss: 2 for MAE and MSE, (1 - eps^q)/q for GCE.

    >>> loss_bound("mae")
    2.0
    """
    if loss in ("mae", "mse"):
        return 2.0
    if loss == "gce":
        return float((1 - eps**q) / q)
    raise ValueError(f"no bound for the loss {loss!r}, expected mae, mse or gce")


def deviation_bound(
    size: int,
    n_yes: int,
    n_no: int,
    *,
    delta: float = 0.05,
    loss_bound: float = 2.0,
    lipschitz: float = 1.0,
    complexity: float = 1.0,
) -> float:
    """Theorem 2, first part: a bound on sup_f |R_hat(f) - R(f)| that holds with probability at least 1 - delta.

    n_yes, n_no: how many answers are yes and no. loss_bound: C_l. lipschitz: rho. complexity: C_R, where
    rho C_R / sqrt(n) bounds the Rademacher complexity of the mean losses over the question that the models induce.

    >>> round(deviation_bound(3, 300, 700), 4)
    1.2341
    """
    _check_groups(size, n_yes, n_no, delta)

    def group(n: int) -> float:
        return 2 * lipschitz * complexity / sqrt(n) + loss_bound * sqrt(log(4 / delta) / (2 * n))

    return size * group(n_yes) + (size - 1) * group(n_no)


def excess_risk_bound(
    size: int,
    n_yes: int,
    n_no: int,
    *,
    delta: float = 0.05,
    loss_bound: float = 2.0,
    lipschitz: float = 1.0,
    complexity: float = 1.0,
) -> float:
    """Theorem 2, second part: R(f_hat) - R(f*) is at most twice the deviation bound. Arguments: see `deviation_bound`.

    >>> excess_risk_bound(3, 300, 700) == 2 * deviation_bound(3, 300, 700)
    True
    """
    constants = {"delta": delta, "loss_bound": loss_bound, "lipschitz": lipschitz, "complexity": complexity}
    return 2 * deviation_bound(size, n_yes, n_no, **constants)


def empty_group_probability(classes: int, size: int, n: int) -> float:
    """Corollary 1: P(all n answers are the same, yes or no) = (1 - m/k)^n + (m/k)^n.

    >>> empty_group_probability(classes=2, size=1, n=2)
    0.5
    """
    p = p_yes(classes, size)
    if n < 1:
        raise ValueError(f"n must be at least 1, not {n}")
    return float((1 - p) ** n + p**n)


def correction_bias_bound(
    size: int, n_yes: int, n_no: int, *, risk: float, kappa: float = 1.0, loss_bound: float = 2.0
) -> float:
    """Theorem 3, first part: E[corrected risk] - R(f) <= (kappa+1)(2m-1) C_l Delta, if R(f) >= risk > 0.

    Delta = exp(-2 risk^2 / (C_l^2 (m^2/n_yes + (m-1)^2/n_no))).

    >>> correction_bias_bound(3, 3000, 7000, risk=0.5) < 1e-10
    True
    """
    _check_groups(size, n_yes, n_no, 0.5)
    if risk <= 0 or kappa < 0:
        raise ValueError(f"risk must be positive and kappa not negative, not {risk} and {kappa}")
    spread = size**2 / n_yes + (size - 1) ** 2 / n_no
    return (kappa + 1) * (2 * size - 1) * loss_bound * exp(-2 * risk**2 / (loss_bound**2 * spread))


def corrected_deviation_bound(
    size: int,
    n_yes: int,
    n_no: int,
    *,
    risk: float,
    kappa: float = 1.0,
    delta: float = 0.05,
    loss_bound: float = 2.0,
) -> float:
    """Theorem 3, second part: a bound on |corrected risk - R(f)| at one f, with probability at least 1 - delta.

    max(1, kappa) C_l sqrt(log(2/delta)/2 (m^2/n_yes + (m-1)^2/n_no)) plus the bias bound.

    >>> round(corrected_deviation_bound(3, 3000, 7000, risk=0.5), 4)
    0.1623
    """
    _check_groups(size, n_yes, n_no, delta)
    bias = correction_bias_bound(size, n_yes, n_no, risk=risk, kappa=kappa, loss_bound=loss_bound)
    spread = size**2 / n_yes + (size - 1) ** 2 / n_no
    return max(1.0, kappa) * loss_bound * sqrt(0.5 * log(2 / delta) * spread) + bias


def _check(classes: int, size: int) -> None:
    if not 1 <= size <= classes - 1:
        raise ValueError(f"size must be in 1..{classes - 1} for {classes} classes, not {size}")


def _check_groups(size: int, n_yes: int, n_no: int, delta: float) -> None:
    if size < 1 or n_yes < 1 or n_no < 1:
        raise ValueError(f"size, n_yes and n_no must be at least 1, not {size}, {n_yes}, {n_no}")
    if not 0 < delta < 1:
        raise ValueError(f"delta must be between 0 and 1, not {delta}")
