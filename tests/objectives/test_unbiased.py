"""The risk identities by exact enumeration: no simulation, nothing but the public functions."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor

from oneof import WeightedQueries, objectives
from oneof.objectives import Objective, losses
from oneof.objectives.unbiased import WEIGHTS, agreement_weights, minimum_norm_weights, paper_weights

Table = Callable[[int, int], NDArray[np.bool_]]
CELLS = [(k, m) for k in range(2, 8) for m in range(1, k)]
LOSSES = {"mae": losses.mae, "mse": losses.mse, "gce": losses.gce, "cross_entropy": losses.cross_entropy}


def scores(k: int, seed: int = 0) -> Tensor:
    """One item a class, float64 (k, k)."""
    return 3 * torch.randn(k, k, dtype=torch.float64, generator=torch.Generator().manual_seed(100 * k + seed))


def prior(k: int) -> NDArray[np.float64]:
    return np.random.default_rng(k).dirichlet(np.ones(k))


def expected(
    objective: Objective,
    logits: Tensor,
    classes: NDArray[np.float64],
    subsets: NDArray[np.bool_],
    chances: NDArray[np.float64],
    flip_yes: float | None = None,
    flip_no: float | None = None,
) -> float:
    """The expectation of the raw risk of one answer, over class, subset and answer; item y is the item of class y."""
    noisy = flip_yes is not None or flip_no is not None
    rho1, rho0 = flip_yes or 0.0, flip_no or 0.0
    total = 0.0
    for y, p_class in enumerate(classes):
        for subset, p_subset in zip(torch.from_numpy(subsets), chances, strict=True):
            p_yes = (1 - rho1) if subset[y] else rho0
            for response, probability in ((True, p_yes), (False, 1 - p_yes)):
                if probability:
                    rates = {"flip_yes": flip_yes, "flip_no": flip_no} if noisy else {}
                    risk = objective(logits[y : y + 1], subset[None], torch.tensor([response]), **rates)
                    total += p_class * p_subset * probability * risk.raw.item()
    return total


def supervised(loss: str, logits: Tensor, classes: NDArray[np.float64]) -> float:
    return float(torch.diag(LOSSES[loss](logits)).numpy() @ classes)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("loss", LOSSES)
def test_the_population_form_is_the_supervised_risk_for_any_class_distribution(
    every_subset: Table, loss: str, weights: str
) -> None:
    objective = objectives.create("ure", loss=loss, weights=weights)
    for k, m in CELLS[:15]:  # up to six classes: one answer after the other, seven take longer than all of these
        subsets = every_subset(k, m)
        found = expected(objective, scores(k), prior(k), subsets, np.full(len(subsets), 1 / len(subsets)))
        assert found == pytest.approx(supervised(loss, scores(k), prior(k)), abs=1e-10), (k, m)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", ["ure", "nn", "abs"])
def test_a_batch_of_every_pair_gives_the_supervised_risk(
    every_subset: Table, name: str, loss: str, weights: str
) -> None:
    objective = objectives.create(name, loss=loss, weights=weights)
    for k, m in CELLS:
        subsets = every_subset(k, m)
        repeated = torch.from_numpy(np.tile(subsets, (k, 1)))
        truth = torch.arange(k).repeat_interleave(len(subsets))
        risk = objective(scores(k)[truth], repeated, repeated[torch.arange(len(truth)), truth])
        wanted = supervised(loss, scores(k), np.full(k, 1 / k))
        assert risk.raw.item() == pytest.approx(wanted, abs=1e-10), (k, m)
        assert risk.value.item() == risk.raw.item()


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize(("flip_yes", "flip_no"), [(0.2, 0.1), (0.0, 0.3), (None, 0.25), (0.4, None), (0.45, 0.45)])
def test_flips_are_corrected_without_bias(
    every_subset: Table, weights: str, flip_yes: float | None, flip_no: float | None
) -> None:
    for loss in ("mae", "cross_entropy"):
        objective = objectives.create("ure", loss=loss, weights=weights)
        for k, m in [(2, 1), (3, 2), (4, 1), (5, 3), (6, 3)]:
            subsets = every_subset(k, m)
            chances = np.full(len(subsets), 1 / len(subsets))
            found = expected(objective, scores(k), prior(k), subsets, chances, flip_yes, flip_no)
            assert found == pytest.approx(supervised(loss, scores(k), prior(k)), abs=1e-10), (k, m)


@pytest.mark.parametrize("flips", [(None, None), (0.15, 0.3)])
@pytest.mark.parametrize("loss", LOSSES)
def test_random_query_distributions_of_mixed_sizes(
    every_subset: Table, loss: str, flips: tuple[float | None, float | None]
) -> None:
    for k in range(3, 8 if loss == "mae" else 6):
        subsets = np.concatenate([every_subset(k, m) for m in range(1, k)])
        chances = np.random.default_rng(k).dirichlet(np.ones(len(subsets)))
        queries = WeightedQueries(subsets, chances)
        objective = objectives.create("ure", loss=loss, weights="minimum-norm", queries=queries)
        found = expected(objective, scores(k), prior(k), subsets, queries.probabilities, *flips)
        assert found == pytest.approx(supervised(loss, scores(k), prior(k)), abs=1e-10), k


@pytest.mark.parametrize("weights", ["minimum-norm", "agreement"])
def test_uniform_queries_of_mixed_sizes_in_one_batch(every_subset: Table, weights: str) -> None:
    k = 5
    subsets = np.concatenate([every_subset(k, 2), every_subset(k, 3)])
    repeated = torch.from_numpy(np.tile(subsets, (k, 1)))
    truth = torch.arange(k).repeat_interleave(len(subsets))
    objective = objectives.create("ure", loss="mse", weights=weights)
    risk = objective(scores(k)[truth], repeated, repeated[torch.arange(len(truth)), truth])
    assert risk.raw.item() == pytest.approx(supervised("mse", scores(k), np.full(k, 1 / k)), abs=1e-10)


def test_uniform_queries_given_as_a_distribution_are_the_minimum_norm_weights(every_subset: Table) -> None:
    k, m = 6, 2
    subsets = torch.from_numpy(every_subset(k, m))
    logits = torch.randn(len(subsets), k, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    responses = torch.arange(len(subsets)) % 3 == 0
    queries = WeightedQueries(subsets.numpy(), np.full(len(subsets), 1 / len(subsets)))
    plain = objectives.create("ure", weights="minimum-norm")(logits, subsets, responses).raw
    given = objectives.create("ure", weights="minimum-norm", queries=queries)(logits, subsets, responses).raw
    assert given.item() == pytest.approx(plain.item(), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("loss", LOSSES)
def test_the_group_means_of_equation_5(seed: int, loss: str) -> None:
    rng = np.random.default_rng(seed)
    n, k, m = 64, 8, int(rng.integers(1, 8))
    subsets = np.array([np.isin(np.arange(k), rng.choice(k, m, replace=False)) for _ in range(n)])
    responses = rng.random(n) < 0.4
    logits = torch.from_numpy(rng.normal(size=(n, k)))
    table = LOSSES[loss](logits).numpy()
    over_yes = [sum(table[i, j] for j in range(k) if subsets[i, j]) for i in range(n) if responses[i]]
    over_no = [sum(table[i, j] for j in range(k) if subsets[i, j]) for i in range(n) if not responses[i]]
    wanted = sum(over_yes) / len(over_yes) - (m - 1) / m * sum(over_no) / len(over_no)
    risk = objectives.create("ure", loss=loss)(logits, torch.from_numpy(subsets), torch.from_numpy(responses))
    assert risk.raw.item() == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("response", [True, False])
def test_an_empty_group_means_the_population_form(response: bool) -> None:
    n, k, m = 6, 5, 2
    logits = torch.randn(n, k, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    subsets = torch.zeros(n, k, dtype=torch.bool)
    subsets[:, :m] = True
    inside = losses.mae(logits)[:, :m].sum(dim=1).mean().item()
    wanted = k / m * inside if response else -(k / (k - m)) * (m - 1) / m * inside
    for answers in (slice(None), slice(0, 1)):
        risk = objectives.create("ure")(logits[answers], subsets[answers], torch.full((n,), response)[answers])
        assert torch.isfinite(risk.raw)
    risk = objectives.create("ure")(logits, subsets, torch.full((n,), response))
    assert risk.raw.item() == pytest.approx(wanted, abs=1e-12)


def test_an_empty_group_among_many_answers_to_one_item() -> None:
    """1/49 added up 49 times is not one: a group must count as empty all the same."""
    n, k = 49, 4
    logits = torch.randn(1, k, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    subsets = torch.zeros(n, k, dtype=torch.bool)
    subsets[:, :2] = True
    risk = objectives.create("ure")(logits, subsets, torch.ones(n, dtype=torch.bool), rows=torch.zeros(n).long())
    assert risk.raw.item() == pytest.approx(2 * losses.mae(logits)[0, :2].sum().item(), abs=1e-12)


@pytest.mark.parametrize(("k", "m"), CELLS)
def test_the_weights_satisfy_the_conditions_of_unbiasedness(k: int, m: int) -> None:
    for a, b, c, d in (paper_weights(k, m, m / k), minimum_norm_weights(k, m), agreement_weights(k, m)):
        assert m * a + (k - m) * d == pytest.approx(k)
        assert m * (m - 1) * a + m * (k - m) * (b + c) + (k - m) * (k - m - 1) * d == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("m", "wanted"), [(3, (11.9, 8.2)), (5, (16.4, 8.2)), (7, (27.1, 8.2))])
def test_second_moments_of_the_weights(m: int, wanted: tuple[float, float]) -> None:
    k = 10
    found = []
    for a, b, c, d in (paper_weights(k, m, m / k), minimum_norm_weights(k, m)):
        after_yes, after_no = m * a**2 + (k - m) * b**2, m * c**2 + (k - m) * d**2
        found.append(m / k * after_yes + (k - m) / k * after_no)
    assert found == pytest.approx(wanted, abs=0.05)


def test_minimum_norm_has_the_smallest_second_moment_of_all_unbiased_weights() -> None:
    """Least squares over all a, b, c, d that satisfy the two conditions gives the closed form."""
    for k, m in [(5, 2), (10, 3), (10, 7)]:
        cost = np.array([m * m / k, m * (k - m) / k, (k - m) * m / k, (k - m) ** 2 / k])
        conditions = np.array([[m, 0, 0, k - m], [m * (m - 1), m * (k - m), m * (k - m), (k - m) * (k - m - 1)]])
        scaled = conditions / np.sqrt(cost)
        best = np.linalg.pinv(scaled) @ np.array([k, 0.0]) / np.sqrt(cost)
        assert best == pytest.approx(np.array(minimum_norm_weights(k, m)))


def test_wrong_options_are_refused() -> None:
    queries = WeightedQueries([[1, 0, 0], [0, 1, 0]], [0.5, 0.5])
    with pytest.raises(ValueError, match="unknown weights 'best', expected one of paper, minimum-norm, agreement"):
        objectives.create("ure", weights="best")
    with pytest.raises(ValueError, match="hold for uniform questions only"):
        objectives.create("ure", weights="paper", queries=queries)
    with pytest.raises(ValueError, match="unknown loss 'hinge'"):
        objectives.create("ure", loss="hinge")
    mixed, responses = torch.tensor([[True, False, False], [True, True, False]]), torch.tensor([True, False])
    with pytest.raises(ValueError, match="subsets of sizes 1 to 2 in one batch"):
        objectives.create("ure")(torch.zeros(2, 3), mixed, responses)
    general = objectives.create("ure", weights="minimum-norm", queries=queries)
    with pytest.raises(ValueError, match="queries over 3 classes, but logits over 4"):
        general(torch.zeros(1, 4), torch.tensor([[True, False, False, False]]), torch.tensor([True]))
