import numpy as np
import pytest
from scipy import stats

from oneof import Answers, UniformQueries, estimate_accuracy, respond
from oneof.noise.privacy import cost, epsilon_of, flip_rate, measured_epsilon, privatise, randomise, spent


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.0, 4.0, 30.0])
def test_rates_and_budget_are_inverse(epsilon: float) -> None:
    rate = flip_rate(epsilon)
    assert rate == pytest.approx(1 / (1 + np.exp(epsilon)), rel=1e-12)
    assert epsilon_of(rate, rate) == pytest.approx(epsilon, rel=1e-9)
    assert cost(epsilon) == pytest.approx(1 / (1 - 2 * rate) ** 2)


def test_budget_of_other_rates() -> None:
    assert epsilon_of(0.5, 0.5) == 0.0
    assert epsilon_of(0.0, 0.2) == np.inf
    assert epsilon_of(0.1, 0.3) == pytest.approx(np.log(0.7 / 0.1))
    assert epsilon_of(0.9, 0.9) == pytest.approx(np.log(9)), "always turning answers around hides nothing"
    with pytest.raises(ValueError, match=r"flip_no is 1\.5"):
        epsilon_of(0.1, 1.5)


@pytest.mark.parametrize("epsilon", [1.0, 2.0, 4.0])
def test_randomised_response_has_exactly_its_budget(epsilon: float) -> None:
    """Each report's probability must be 1/(1+e^eps) on either truth: exact binomial tests, and the budget measured."""
    truth = np.arange(200_000) % 3 == 0
    reported = randomise(truth, epsilon, rng=11)
    for kind in (True, False):
        flips = reported[truth == kind] != kind
        assert stats.binomtest(int(flips.sum()), len(flips), flip_rate(epsilon)).pvalue > 0.01
    measured = measured_epsilon(truth, reported, confidence=0.99)
    assert measured.low <= epsilon <= measured.high
    assert measured.high - measured.low < 0.3
    # The same test must catch a device that keeps only half of the promise.
    assert measured_epsilon(truth, randomise(truth, 2 * epsilon, rng=12), confidence=0.99).low > epsilon


def test_flips_are_independent_of_each_other() -> None:
    flips = randomise(np.ones(100_000, dtype=bool), 1.0, rng=5) ^ True
    assert abs(np.corrcoef(flips[1:], flips[:-1])[0, 1]) < 4 / np.sqrt(100_000)


def test_private_answers_carry_their_rates_and_judge_without_bias() -> None:
    labels = np.random.default_rng(0).integers(10, size=40_000)
    subsets = UniformQueries(10, 5).draw(len(labels), rng=1)
    private = privatise(Answers(subsets, respond(subsets, labels)), epsilon=1.0, rng=2)
    predictions = np.where(np.arange(len(labels)) % 5 == 0, (labels + 1) % 10, labels)
    estimate = estimate_accuracy(predictions, private)
    assert estimate.low < 0.8 < estimate.high
    assert estimate.high - estimate.low < 0.1


def test_privacy_comes_on_top_of_the_annotators_errors() -> None:
    subsets = np.repeat([[True, False]], 50_000, axis=0)
    noisy = Answers(
        subsets, respond(subsets, np.zeros(50_000, dtype=int), flip_yes=0.1, rng=0), flip_yes=0.1, flip_no=0.0
    )
    private = privatise(noisy, epsilon=2.0, rng=1)
    assert private.flip_yes is not None
    assert stats.binomtest(int((~private.responses).sum()), 50_000, float(private.flip_yes[0])).pvalue > 0.01


def test_estimated_rates_stay_as_uncertain_as_they_were() -> None:
    """A rate r becomes e + (1 - 2 e) r, so its variance r (1 - r) / known is scaled by (1 - 2 e)^2."""
    noisy = Answers([[True, False]] * 2, [True, True], flip_yes=0.1, flip_no=0.2, known_yes=50.0, known_no=80.0)
    private, e = privatise(noisy, epsilon=2.0, rng=0), flip_rate(2.0)
    for old, known, new, count in (
        (0.1, 50, private.flip_yes, private.known_yes),
        (0.2, 80, private.flip_no, private.known_no),
    ):
        assert new is not None
        assert count is not None
        np.testing.assert_allclose(new, e + (1 - 2 * e) * old)
        np.testing.assert_allclose(new * (1 - new) / count, (1 - 2 * e) ** 2 * old * (1 - old) / known)
    perfect = Answers([[True, False]], [True], flip_yes=0.0, flip_no=0.1, known_yes=50.0, known_no=50.0)
    assert np.isfinite(privatise(perfect, epsilon=2.0, rng=0).known_yes).all()


def test_a_device_is_measured_by_both_kinds_of_answers() -> None:
    truth = np.arange(20_000) % 2 == 0
    drawn = np.random.default_rng(0).random(20_000)
    for flip_yes, flip_no in ((0.05, 0.4), (0.4, 0.05)):
        found = measured_epsilon(truth, truth ^ (drawn < np.where(truth, flip_yes, flip_no)))
        assert found.low < epsilon_of(flip_yes, flip_no) < found.high
        assert not found.low < epsilon_of(flip_yes, flip_yes) < found.high


def test_budgets_of_answers_about_one_item_add_up() -> None:
    rate = flip_rate(0.5)
    answers = Answers([[True, False]] * 3, [True] * 3, items=[0, 2, 0], flip_yes=0.4, flip_no=0.4, randomised=rate)
    np.testing.assert_allclose(spent(answers), [1.0, 0.0, 0.5])
    np.testing.assert_allclose(spent(answers, items=4), [1.0, 0.0, 0.5, 0.0])
    assert spent(Answers([[True, False]], [True])).tolist() == [np.inf], "an answer without flips hides nothing"
    with pytest.raises(ValueError, match="only 2 items"):
        spent(answers, items=2)


def test_mistakes_are_refused() -> None:
    with pytest.raises(ValueError, match="epsilon must be positive, not 0"):
        flip_rate(0)
    with pytest.raises(ValueError, match="true or false"):
        randomise([1, 0], 1.0, rng=0)
    with pytest.raises(ValueError, match="both kinds"):
        measured_epsilon(np.ones(5, dtype=bool), np.ones(5, dtype=bool))
    with pytest.raises(ValueError, match="mixed up"):
        measured_epsilon(np.array([True, False] * 10), np.array([False, True] * 10))
