import numpy as np
import pandas as pd
import pytest

from oneof import Answers, UniformQueries, estimate_accuracy, plan, respond
from oneof.evaluation import agreement_rates
from oneof.noise.privacy import cost, flip_rate
from oneof.planning import answers_for_width, expected_width, variance_factors
from oneof.theory import deviation_bound


def test_one_row_a_size_and_the_known_figures() -> None:
    table = plan(classes=10, accuracy=0.9, width=0.05)
    assert isinstance(table, pd.DataFrame)
    assert table["size"].tolist() == list(range(1, 10))
    by_size = table.set_index("size")
    assert by_size.loc[[3, 5, 7], "variance_paper"].round(1).tolist() == [11.9, 16.4, 27.1]
    np.testing.assert_allclose(by_size["variance_minimum_norm"], by_size["variance_minimum_norm"].iloc[0])
    assert by_size.loc[5, "bits"] == pytest.approx(1.0)
    assert by_size.loc[3, "bound"] == pytest.approx(deviation_bound(3, 3000, 7000))
    assert by_size["answers"].idxmin() == 5
    assert "privacy_cost" not in table


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
        said = respond(subsets, labels, flip_yes=flip, flip_no=flip, rng=rng)
        estimate = estimate_accuracy(predictions, Answers(subsets, said), flip_yes=flip, flip_no=flip)
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


@pytest.mark.parametrize("size", [1, 3, 5, 8])
def test_variance_factors_are_those_of_the_objectives(size: int) -> None:
    from oneof.objectives import unbiased

    k, p = 10, size / 10
    for name, weights in {
        "paper": unbiased.paper_weights(k, size, p),
        "minimum_norm": unbiased.minimum_norm_weights(k, size),
        "agreement": unbiased.agreement_weights(k, size),
    }.items():
        a, b, c, d = (float(weight) for weight in weights)
        second = p * (size * a**2 + (k - size) * b**2) + (1 - p) * (size * c**2 + (k - size) * d**2)
        assert variance_factors(k, size)[name] == pytest.approx(second)


def test_noise_costs_and_privacy_is_noise() -> None:
    clean, noisy = plan(6, 0.9, 0.1), plan(6, 0.9, 0.1, flip_yes=flip_rate(2.0), flip_no=flip_rate(2.0))
    private = plan(6, 0.9, 0.1, epsilon=2.0)
    assert (noisy["answers"] > clean["answers"]).all()
    assert (noisy["bits"] < clean["bits"]).all()
    assert (noisy["variance_minimum_norm"] > clean["variance_minimum_norm"]).all()
    pd.testing.assert_frame_equal(private.drop(columns="privacy_cost"), noisy)
    assert (private["privacy_cost"] >= cost(2.0)).all()
    np.testing.assert_allclose(private["privacy_cost"], noisy["answers"] / clean["answers"])


def test_two_classes_have_one_size() -> None:
    assert len(plan(2, 0.9, 0.1)) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"classes": 1}, "classes"),
        ({"accuracy": 1.2}, r"accuracy must be in \[0, 1\], not 1.2"),
        ({"width": 0.0}, "width must be between 0 and 1"),
        ({"confidence": 1.0}, "confidence must be between"),
        ({"flip_yes": 0.6, "flip_no": 0.5}, "less than 1, not 0.6 and 0.5"),
        ({"epsilon": -1.0}, "epsilon must be positive"),
        ({"training_answers": 3}, "training_answers must be at least"),
        ({"loss": "hinge"}, "hinge"),
        ({"width": 1e-6}, "more than"),
    ],
)
def test_mistakes_are_refused(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plan(**({"classes": 10, "accuracy": 0.9, "width": 0.05} | arguments))
