"""The planned number of answers gives the planned width."""

import numpy as np
import pytest

from oneof import Answers, UniformQueries, estimate_accuracy, respond
from oneof.evaluation import agreement_rates
from oneof.planning import answers_for_width, expected_width
from oneof.planning import width as planning_width


@pytest.mark.parametrize(
    ("size", "accuracy", "width", "flip"), [(3, 0.9, 0.06, 0.0), (5, 0.97, 0.05, 0.0), (5, 0.8, 0.1, 0.1)]
)
def test_the_planned_number_gives_the_width_in_simulation(
    size: int, accuracy: float, width: float, flip: float
) -> None:
    right, wrong = (float(rate) for rate in agreement_rates(10, size, flip, flip))
    n = answers_for_width(accuracy, width, right, wrong)
    rng = np.random.default_rng(0)
    widths, covered = [], 0
    for _ in range(200):
        labels = rng.integers(10, size=n)
        hit = rng.random(n) < accuracy
        predictions = np.where(hit, labels, (labels + rng.integers(1, 10, size=n)) % 10)
        subsets = UniformQueries(10, size).draw(n, rng)
        responses = respond(subsets, labels, flip_yes=flip, flip_no=flip, rng=rng)
        estimate = estimate_accuracy(predictions, Answers(subsets, responses), flip_yes=flip, flip_no=flip)
        widths.append(estimate.high - estimate.low)
        covered += estimate.low <= accuracy <= estimate.high
    assert np.mean(widths) == pytest.approx(width, rel=0.03)
    assert covered >= 182


def test_it_is_the_smallest_number() -> None:
    right, wrong = 1.0, 4 / 9
    n = answers_for_width(0.9, 0.08, right, wrong)
    assert expected_width(n, 0.9, right, wrong) <= 0.08 < expected_width(n - 1, 0.9, right, wrong)


def test_expected_width_by_full_enumeration() -> None:
    from scipy import stats

    n, accuracy, right, wrong = 30, 0.7, 0.95, 0.5
    rate = accuracy * right + (1 - accuracy) * wrong
    total = 0.0
    for count in range(n + 1):
        interval = stats.binomtest(count, n).proportion_ci(0.9, method="exact")
        ends = np.clip((np.array([interval.low, interval.high]) - wrong) / (right - wrong), 0, 1)
        total += stats.binom.pmf(count, n, rate) * (ends[1] - ends[0])
    assert expected_width(n, accuracy, right, wrong, confidence=0.9) == pytest.approx(total, rel=1e-9)


def test_interpolation_changes_nothing_that_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = expected_width(200_000, 0.9, 0.95, 0.5)
    monkeypatch.setattr(planning_width, "POINTS", 10**6)
    assert quick == pytest.approx(expected_width(200_000, 0.9, 0.95, 0.5), rel=1e-5)
