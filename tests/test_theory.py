"""The paper's lemmas by enumeration, its bounds by simulation."""

from itertools import combinations
from math import comb, exp, log, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from oneof import theory

CELLS = [(k, m) for k in range(2, 8) for m in range(1, k)]


def subsets(k: int, m: int) -> NDArray[np.bool_]:
    return np.array([[j in chosen for j in range(k)] for chosen in combinations(range(k), m)])


@pytest.mark.parametrize(("k", "m"), CELLS)
def test_lemma_1_and_proposition_1(k: int, m: int) -> None:
    """p(x, L, s) / p(s) by counting, for a random joint density at one x."""
    joint = np.random.default_rng(k * m).dirichlet(np.ones(k + 1))[:k]
    table = subsets(k, m)
    assert len(table) == comb(k, m)
    assert theory.p_yes(k, m) == pytest.approx(table.mean(axis=0)[0])
    for subset in table:
        yes, no = joint[subset].sum() / comb(k, m), joint[~subset].sum() / comb(k, m)
        assert theory.response_law(joint, subset, True) == pytest.approx(yes / (m / k), abs=1e-14)
        assert theory.response_law(joint, subset, False) == pytest.approx(no / (1 - m / k), abs=1e-14)


@pytest.mark.parametrize(("k", "m"), CELLS)
def test_lemma_2(k: int, m: int) -> None:
    joint = np.random.default_rng(k * m).dirichlet(np.ones(k + 1))[:k]
    table = subsets(k, m)
    after_yes = np.array([theory.response_law(joint, subset, True) for subset in table])
    after_no = np.array([theory.response_law(joint, subset, False) for subset in table])
    inclusion, exclusion = after_yes @ table, after_no @ ~table
    assert theory.joint_from_yes(inclusion, joint.sum(), k, m) == pytest.approx(joint, abs=1e-12)
    assert theory.joint_from_no(exclusion, joint.sum(), k, m) == pytest.approx(joint, abs=1e-12)


@pytest.mark.parametrize(("k", "m"), CELLS)
def test_theorem_1(k: int, m: int) -> None:
    rng = np.random.default_rng(k * m)
    joint, losses = rng.dirichlet(np.ones(k)), rng.normal(size=k)
    table = subsets(k, m)
    means = table @ losses / m
    yes = sum(theory.response_law(joint, subset, True) * mean for subset, mean in zip(table, means, strict=True))
    no = sum(theory.response_law(joint, subset, False) * mean for subset, mean in zip(table, means, strict=True))
    assert theory.risk_identity(yes, no, m) == pytest.approx(joint @ losses, abs=1e-12)


def test_theorem_2_as_written() -> None:
    m, n1, n0, delta, c, rho, complexity = 4, 120, 310, 0.1, 1.5, 0.8, 2.2
    first = 2 * rho * complexity / sqrt(n1) + c * sqrt(log(4 / delta) / (2 * n1))
    second = 2 * rho * complexity / sqrt(n0) + c * sqrt(log(4 / delta) / (2 * n0))
    constants = {"delta": delta, "loss_bound": c, "lipschitz": rho, "complexity": complexity}
    found = theory.deviation_bound(m, n1, n0, **constants)
    assert found == pytest.approx(m * first + (m - 1) * second)
    assert theory.excess_risk_bound(m, n1, n0, **constants) == 2 * found


@pytest.mark.parametrize(("k", "m"), [(4, 1), (5, 2), (10, 7)])
def test_corollary_1_by_counting(k: int, m: int) -> None:
    for n in range(1, 6):
        total = 0.0
        for bits in range(2**n):
            yes = bits.bit_count()
            if yes in (0, n):
                total += (m / k) ** yes * (1 - m / k) ** (n - yes)
        assert theory.empty_group_probability(k, m, n) == pytest.approx(total)


def test_theorem_3_as_written() -> None:
    m, n1, n0, risk, kappa, c, delta = 3, 200, 500, 0.4, 0.5, 2.0, 0.05
    spread = m**2 / n1 + (m - 1) ** 2 / n0
    bias = (kappa + 1) * (2 * m - 1) * c * exp(-2 * risk**2 / (c**2 * spread))
    assert theory.correction_bias_bound(m, n1, n0, risk=risk, kappa=kappa) == pytest.approx(bias)
    found = theory.corrected_deviation_bound(m, n1, n0, risk=risk, kappa=kappa, delta=delta)
    assert found == pytest.approx(c * sqrt(0.5 * log(2 / delta) * spread) + bias)
    steep = theory.corrected_deviation_bound(m, n1, n0, risk=risk, kappa=3.0, delta=delta)
    steep_bias = theory.correction_bias_bound(m, n1, n0, risk=risk, kappa=3.0)
    assert steep == pytest.approx(3 * c * sqrt(0.5 * log(2 / delta) * spread) + steep_bias)


@pytest.mark.parametrize("kappa", [0.0, 1.0])
@pytest.mark.parametrize(("n1", "n0"), [(200, 150), (500, 600)])
def test_theorem_3_holds_for_the_widest_loss_and_with_little_to_spare(kappa: float, n1: int, n0: int) -> None:
    """A loss of 2 on half of the items and 0 on the others, whatever the class: no loss up to 2 varies more.

    The law of the corrected risk is counted, over both binomials. Both bounds hold. The bias is as small as
    exp(-24), and its bound falls with it, with what stands before the exponential to spare; a bound on the deviation of
    0.7 times the width would not hold.
    """
    m, risk, delta = 3, 1.0, 0.05
    chance = np.outer(*(stats.binom.pmf(np.arange(n + 1), n, 0.5) for n in (n1, n0)))
    raw = 2 * (m * np.arange(n1 + 1)[:, None] / n1 - (m - 1) * np.arange(n0 + 1) / n0)
    assert (chance * raw).sum() == pytest.approx(risk)
    corrected = np.where(raw < 0, -kappa * raw, raw)
    bias = (chance * (corrected - raw)).sum()
    assert bias <= theory.correction_bias_bound(m, n1, n0, risk=risk, kappa=kappa) <= 1e4 * bias
    bound = theory.corrected_deviation_bound(m, n1, n0, risk=risk, kappa=kappa, delta=delta)
    away = np.abs(corrected - risk)
    assert chance[away > bound].sum() <= delta < chance[away > 0.7 * bound].sum()


def test_bounds_of_the_losses() -> None:
    assert [theory.loss_bound(name) for name in ("mae", "mse")] == [2.0, 2.0]
    assert theory.loss_bound("gce", q=0.5, eps=0.01) == pytest.approx((1 - 0.1) / 0.5)
    with pytest.raises(ValueError, match="no bound for the loss 'cross_entropy'"):
        theory.loss_bound("cross_entropy")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: theory.p_yes(4, 4), r"size must be in 1\.\.3 for 4 classes, not 4"),
        (lambda: theory.response_law([0.5, 0.5], [False, False], True), r"size must be in 1\.\.1"),
        (lambda: theory.joint_from_yes(0.1, 1.0, 3, 0), r"size must be in 1\.\.2"),
        (lambda: theory.joint_from_no(0.1, 1.0, 3, 3), r"size must be in 1\.\.2"),
        (lambda: theory.deviation_bound(2, 0, 5), "must be at least 1, not 2, 0, 5"),
        (lambda: theory.excess_risk_bound(2, 5, 5, delta=0.0), "delta must be between 0 and 1"),
        (lambda: theory.empty_group_probability(4, 2, 0), "n must be at least 1"),
        (lambda: theory.correction_bias_bound(2, 5, 5, risk=0.0), "risk must be positive"),
        (lambda: theory.corrected_deviation_bound(2, 5, 5, risk=1.0, kappa=-1.0), "kappa not negative"),
    ],
)
def test_bad_input(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(ValueError, match=message):
        call()
