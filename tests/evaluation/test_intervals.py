import numpy as np
import pytest
from scipy import stats

from oneof.evaluation.intervals import (
    WeightedCounts,
    add,
    clopper_pearson,
    confidence_sequence,
    least_squares,
    mixed_sequence,
    square_and_add,
    standard_error,
)


def test_clopper_pearson_is_scipys() -> None:
    successes, n = np.array([0, 5, 3, 950]), np.array([5, 5, 7, 1000])
    low, high = clopper_pearson(successes, n, 0.9)
    for i in range(4):
        wanted = stats.binomtest(int(successes[i]), int(n[i])).proportion_ci(0.9, method="exact")
        assert (low[i], high[i]) == pytest.approx((wanted.low, wanted.high), abs=1e-9)


@pytest.mark.parametrize("p", [0.3, 0.9])
def test_a_sequence_holds_at_every_look_where_clopper_pearson_does_not(p: float) -> None:
    rng = np.random.default_rng(0)
    looks = np.arange(20, 801, 10)
    successes = np.cumsum(rng.random((400, 800)) < p, axis=1)[:, looks - 1]
    wrong = {}
    for name, interval in (("once", clopper_pearson), ("always", confidence_sequence)):
        low, high = interval(successes, np.broadcast_to(looks, successes.shape), 0.95)
        wrong[name] = float(((low > p) | (high < p)).any(axis=1).mean())
    assert wrong["once"] > 0.12
    assert wrong["always"] <= 0.05


def test_the_ends_of_a_sequence_are_where_the_mixture_says() -> None:
    from scipy.special import betaln

    low, high = confidence_sequence(30, 40, 0.95)
    for p in (float(low), float(high)):
        ratio = betaln(30.5, 10.5) - betaln(0.5, 0.5) - 30 * np.log(p) - 10 * np.log(1 - p)
        assert ratio == pytest.approx(np.log(20), abs=1e-6)
    assert [float(end) for end in confidence_sequence(0, 0, 0.95)] == [0.0, 1.0]


def test_a_sequence_over_kinds_of_answers() -> None:
    """Two kinds of answers, looked at all the time; and with one kind about what the closed form gives."""
    rng = np.random.default_rng(1)
    right, wrong, accuracy = np.array([1.0, 0.9]), np.array([0.5, 0.2]), 0.8
    p = wrong + accuracy * (right - wrong)
    ever = 0
    for _ in range(30):
        agreed, n = np.zeros(2), np.zeros(2)
        missed = False
        for _ in range(20):
            n += 20
            agreed += rng.binomial(20, p)
            low, high = mixed_sequence(agreed, n, right, wrong, 0.95)
            missed |= not low <= accuracy <= high
        ever += missed
    assert ever <= 4
    found = mixed_sequence(np.array([90.0]), np.array([100.0]), np.ones(1), np.zeros(1), 0.95)
    assert found == pytest.approx([float(end) for end in confidence_sequence(90, 100, 0.95)], abs=0.02)


def test_least_squares_takes_the_values_about_one_item_as_one() -> None:
    values, ones = np.random.default_rng(0).normal(size=50), np.ones(50)
    once = least_squares(values, ones, np.arange(50), 0.95)
    twice = least_squares(np.tile(values, 2), np.ones(100), np.tile(np.arange(50), 2), 0.95)
    assert twice.value == pytest.approx(once.value)
    assert twice.high == pytest.approx(once.high)
    assert least_squares(values[:1], ones[:1], np.zeros(1, int), 0.95).high == np.inf


def test_joined_sources_of_error() -> None:
    ends = [(0.2, 0.6), (0.5, 0.9)]
    assert square_and_add(0.5, ends) == pytest.approx((0.2, 0.5 + np.hypot(0.1, 0.4)))
    assert add(0.5, ends) == pytest.approx((0.2, 1.0))


def test_a_standard_error_gives_the_interval_that_it_was_read_from() -> None:
    for confidence, z in ((0.95, 1.959964), (0.6827, 1.0)):
        assert standard_error(0.8 - 0.1 * z, 0.8 + 0.1 * z, confidence) == pytest.approx(0.1, rel=1e-3)


def test_bad_confidence() -> None:
    for bad in (0.0, 1.0, 95):
        with pytest.raises(ValueError, match="confidence must be between 0 and 1"):
            clopper_pearson(1, 2, bad)


def test_a_weighted_sum_of_one_count_is_that_count() -> None:
    for count, total in ((0, 30), (3, 30), (27, 30)):
        some = WeightedCounts()
        some.add(0.5, 0.5, count, total)
        below, above = some.margins(0.95)
        low, high = clopper_pearson(count, total, 0.95)
        np.testing.assert_allclose(
            [below, above], [0.5 * (count - total * low), 0.5 * (total * high - count)], atol=1e-9
        )


def test_many_small_counts_hold_on_both_sides() -> None:
    """Twenty annotators with 15 known answers each; their own intervals, squared and added, miss on one side."""
    rng, times = np.random.default_rng(0), 4000
    weights, totals = rng.uniform(0.5, 1.5, 20) / 15, np.full(20, 15)
    for rate in (0.02, 0.1):
        counts = rng.binomial(totals[:, None], rate, size=(20, times))
        value, truth = weights @ counts, float(weights @ totals) * rate
        some, naive = WeightedCounts(), []
        for weight, count, total in zip(weights, counts, totals, strict=True):
            some.add(weight, weight, count, total)
            low, high = clopper_pearson(count, total, 0.95)
            naive.append((value + weight * (total * low - count), value + weight * (total * high - count)))
        below, above = some.margins(0.95)
        assert (value - below > truth).mean() <= 0.03
        assert (value + above < truth).mean() <= 0.03
        assert (square_and_add(value, naive)[0] > truth).mean() > 0.04


def test_weights_below_zero_turn_the_ends_around() -> None:
    up, down = WeightedCounts(), WeightedCounts()
    for weight, count in ((0.2, 1), (0.1, 4)):
        up.add(weight, weight, count, 10)
        down.add(-weight, np.array([-weight]), count, 10)
    np.testing.assert_allclose(np.array(up.margins(0.9))[::-1], np.array(down.margins(0.9))[:, 0])
    assert WeightedCounts().margins(0.9) == (0, 0)
