import numpy as np
import pytest
from numpy.typing import NDArray

from oneof import Answers
from oneof.noise import FlipRates
from oneof.noise.rates import covariance, maximise


def rates(flip_yes: list[float], flip_no: list[float], error: float = 0.01, names: str = "abcdef") -> FlipRates:
    count = len(flip_yes)
    spread = np.repeat(np.diag([error**2, error**2])[None], count, axis=0)
    return FlipRates(tuple(names[:count]), np.array(flip_yes), np.array(flip_no), spread, np.full(count, 300))


def test_verdicts() -> None:
    found = rates([0.1, 0.5, 0.95, 0.0, 1.0], [0.2, 0.5, 0.9, 1.0, 0.02])
    assert found.verdicts == ["fine", "random", "inverts", "random", "random"]
    assert found.named("random") == ["b", "d", "e"], "whoever always says the same thing says nothing"
    np.testing.assert_allclose(found.trust, [0.7, 0.0, -0.85, 0.0, -0.02])


def test_too_few_answers_name_nobody() -> None:
    assert rates([0.1, 0.5, 0.9], [0.2, 0.5, 0.9], error=0.4).verdicts == ["unclear"] * 3


def test_apply_writes_rates_turns_inverters_and_leaves_out_noise() -> None:
    answers = Answers(
        [[True, False, False]] * 4,
        [True, True, True, False],
        items=[3, 4, 5, 6],
        annotators=["a", "b", "c", "c"],
        adaptive=[False, True, False, True],
        class_names=["x", "y", "z"],
    )
    noisy = rates([0.1, 0.5, 0.9], [0.2, 0.5, 0.8]).apply(answers)
    assert noisy.items.tolist() == [3, 5, 6]
    assert noisy.responses.tolist() == [True, False, True]
    assert noisy.flip_yes is not None
    assert noisy.flip_no is not None
    assert noisy.adaptive is not None
    np.testing.assert_allclose(noisy.flip_yes, [0.1, 0.1, 0.1])
    np.testing.assert_allclose(noisy.flip_no, [0.2, 0.2, 0.2])
    assert noisy.adaptive.tolist() == [False, False, True]
    assert noisy.class_names == ("x", "y", "z")


def test_one_nameless_pair_of_rates_serves_everybody() -> None:
    everybody = FlipRates(("",), np.array([0.1]), np.array([0.2]), np.zeros((1, 2, 2)), np.array([9]))
    noisy = everybody.apply(Answers([[True, False]] * 2, [True, False], annotators=["ann", "bob"]))
    assert noisy.flip_yes is not None
    np.testing.assert_allclose(noisy.flip_yes, 0.1)


def test_unknown_annotators_are_named() -> None:
    with pytest.raises(ValueError, match="no flip rates for annotator 'zoe'; known: a, b"):
        rates([0.1, 0.1], [0.1, 0.1]).apply(Answers([[True, False]], [True], annotators=["zoe"]))
    with pytest.raises(ValueError, match="these answers have no annotators"):
        rates([0.1, 0.1], [0.1, 0.1]).apply(Answers([[True, False]], [True]))


def test_table_and_text() -> None:
    found = rates([0.1, 0.5], [0.2, 0.5])
    assert found.table()["verdict"].tolist() == ["fine", "random"]
    np.testing.assert_allclose(found.table()["trust_error"], 0.01 * np.sqrt(2))
    assert "random" in str(found)


def test_how_sure_the_rates_are_goes_with_them() -> None:
    found = rates([0.1, 0.2], [0.1, 0.1], error=0.02)
    np.testing.assert_allclose(found.worth, [[0.09 / 4e-4 - 1] * 2, [0.16 / 4e-4 - 1, 0.09 / 4e-4 - 1]])
    noisy = found.apply(Answers([[True, False]] * 2, [True, True], annotators=["a", "b"]))
    np.testing.assert_allclose(noisy.known_yes, found.worth[:, 0])
    correlated = FlipRates(("",), np.array([0.1]), np.array([0.1]), np.full((1, 2, 2), 4e-4), np.array([9]))
    np.testing.assert_allclose(correlated.worth, 0.09 / 8e-4 - 1, err_msg="fully correlated errors count twice")
    assert (rates([0.1], [0.1], error=0.5).worth == 0).all(), "known worse than after no answer at all"
    sure = FlipRates(("",), np.array([0.0]), np.array([0.2]), np.zeros((1, 2, 2)), np.array([9]))
    assert np.isinf(sure.worth).all()
    assert sure.apply(Answers([[True, False]], [True])).known_yes is None


@pytest.mark.parametrize(
    ("trust", "error", "verdict"),
    [
        (0.31, 0.1, "fine"),
        (0.29, 0.1, "unclear"),  # within three standard errors of nothing
        (-0.31, 0.1, "inverts"),
        (0.1, 0.13, "random"),  # three standard errors below half of the trust
        (0.1, 0.14, "unclear"),
    ],
)
def test_three_standard_errors_make_a_verdict(trust: float, error: float, verdict: str) -> None:
    assert rates([1 - trust], [0.0], error=error / np.sqrt(2)).verdicts == [verdict]


def test_the_table_has_the_error_of_each_rate() -> None:
    found = FlipRates(("a",), np.array([0.1]), np.array([0.2]), np.array([np.diag([4e-4, 9e-4])]), np.array([50]))
    row = found.table().iloc[0]
    assert (row["flip_yes"], row["flip_no"], row["answers"], row["annotator"]) == (0.1, 0.2, 50, "a")
    np.testing.assert_allclose([row["flip_yes_error"], row["flip_no_error"], row["trust"]], [0.02, 0.03, 0.7])


@pytest.mark.parametrize("wrong", [0, 20])
def test_covariance_is_the_inverse_of_what_is_known_with_the_prior(wrong: int) -> None:
    """One annotator, a thousand answers whose truth is yes: the rates of the two kinds do not touch each other."""
    responses = np.arange(1000) >= wrong
    truth, who = np.ones(1000), np.zeros(1000, dtype=np.int64)
    found = maximise(truth, responses, who, 1)
    np.testing.assert_allclose(found, [[(wrong + 0.5) / 1001, 0.5]])
    rate = found[0, 0]
    information = wrong / rate**2 + (1000 - wrong) / (1 - rate) ** 2 + 1 / max(rate * (1 - rate), 1e-3)
    spread = covariance(truth, responses, who, found, np.arange(1000))
    np.testing.assert_allclose(spread, [[[1 / information, 0.0], [0.0, 0.25]]])


def test_covariance_is_that_of_the_scores_of_whole_groups() -> None:
    """Two annotators, three answers a question; the scores by differences of its likelihood, both truths added up."""
    rng, prior, rho = np.random.default_rng(0), 0.4, np.array([0.1, 0.3, 0.25, 0.15])
    who, group = rng.integers(2, size=(40, 3)), np.repeat(np.arange(40), 3)
    responses = rng.random((40, 3)) < np.where(rng.random((40, 1)) < prior, 0.8, 0.2)

    def both(rho: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        rho1, rho0 = rho[2 * who], rho[2 * who + 1]
        return prior * np.where(responses, 1 - rho1, rho1).prod(axis=1), (1 - prior) * np.where(
            responses, rho0, 1 - rho0
        ).prod(axis=1)

    step = 1e-6 * np.eye(4)
    scores = np.array([np.log(sum(both(rho + h))) - np.log(sum(both(rho - h))) for h in step]) / 2e-6
    whole = np.linalg.inv(scores @ scores.T + np.diag(1 / (rho * (1 - rho))))
    yes, no = both(rho)
    found = covariance(np.repeat(yes / (yes + no), 3), responses.ravel(), who.ravel(), rho.reshape(2, 2), group)
    np.testing.assert_allclose(found, [whole[:2, :2], whole[2:, 2:]], rtol=1e-5, atol=1e-8)


def test_saying_the_opposite_is_known_as_well_as_saying_the_truth() -> None:
    responses, truth = np.arange(60) % 7 > 2, np.linspace(0.05, 0.95, 60)
    who, group, rho = np.zeros(60, dtype=np.int64), np.arange(60) // 2, np.array([[2e-5, 0.3]])
    found = covariance(truth, responses, who, rho, group)
    np.testing.assert_allclose(covariance(truth, ~responses, who, 1 - rho, group), found, rtol=1e-9)
