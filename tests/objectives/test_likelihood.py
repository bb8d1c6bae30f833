"""The likelihood: joined answers, noise, and PRODEN's gradient."""

import numpy as np
import pytest
import torch
from torch import Tensor

from oneof import Answers, UniformQueries, objectives, respond
from oneof.objectives import Batch
from oneof.objectives.likelihood import evidence, observed, posterior


def simulated(n: int, k: int, m: int, per_item: int = 1) -> tuple[Tensor, Answers]:
    rng = np.random.default_rng(n)
    items = np.repeat(np.arange(n), per_item)
    subsets = UniformQueries(k, m).draw(len(items), rng)
    labels = rng.integers(k, size=n)
    return torch.from_numpy(rng.normal(size=(n, k))), Answers(subsets, respond(subsets, labels[items]), items)


def tensors(answers: Answers) -> tuple[Tensor, Tensor, Tensor]:
    return tuple(torch.from_numpy(np.array(part)) for part in (answers.subsets, answers.responses, answers.items))


def test_one_answer_is_minus_the_log_of_the_consistent_set() -> None:
    logits, answers = simulated(20, 6, 2)
    subsets, responses, _ = tensors(answers)
    p = torch.softmax(logits, dim=1).numpy()
    wanted = -np.log((p * answers.consistent).sum(axis=1)).mean()
    assert objectives.create("likelihood")(logits, subsets, responses).value.item() == pytest.approx(wanted, abs=1e-12)


def test_several_answers_use_the_intersection_of_the_consistent_sets() -> None:
    logits, answers = simulated(15, 7, 3, per_item=3)
    subsets, responses, rows = tensors(answers)
    p = torch.softmax(logits, dim=1).numpy()
    joined = np.ones((15, 7), dtype=bool)
    for consistent, item in zip(answers.consistent, answers.items, strict=True):
        joined[item] &= consistent
    wanted = -np.log((p * joined).sum(axis=1)).mean()
    risk = objectives.create("likelihood")(logits, subsets, responses, rows=rows)
    assert risk.value.item() == pytest.approx(wanted, abs=1e-12)
    separately = objectives.create("likelihood")(logits[rows], subsets, responses)
    assert risk.value.item() != pytest.approx(separately.value.item(), abs=1e-3)


def test_evidence_is_that_of_the_answers() -> None:
    _, answers = simulated(15, 7, 3, per_item=2)
    subsets, responses, rows = tensors(answers)
    rng = np.random.default_rng(0)
    rates = {"flip_yes": rng.uniform(0, 0.4, len(answers)), "flip_no": rng.uniform(0, 0.4, len(answers))}
    for given in ({}, rates):
        batch = Batch(subsets, responses, rows, None, **{name: torch.from_numpy(rate) for name, rate in given.items()})
        torch.testing.assert_close(
            evidence(batch, 15, torch.float64), torch.from_numpy(answers.evidence(15, **given)), rtol=1e-12, atol=0
        )


@pytest.mark.parametrize("per_item", [1, 3])
@pytest.mark.parametrize("noisy", [False, True])
def test_noisy_answers_by_bayes(per_item: int, noisy: bool) -> None:
    """P(answers | x) = sum over classes of p_j times the product of the probabilities of the answers."""
    logits, answers = simulated(10, 5, 2, per_item)
    subsets, responses, rows = tensors(answers)
    rho1, rho0 = (0.2, 0.1) if noisy else (0.0, 0.0)
    p = torch.softmax(logits, dim=1).numpy()
    likelihood = p.copy()
    for subset, response, item in zip(answers.subsets, answers.responses, answers.items, strict=True):
        p_yes = np.where(subset, 1 - rho1, rho0)
        likelihood[item] *= p_yes if response else 1 - p_yes
    wanted = -np.log(likelihood.sum(axis=1)).mean()
    rates = {"flip_yes": rho1, "flip_no": rho0} if noisy else {}
    risk = objectives.create("likelihood")(logits, subsets, responses, rows=rows, **rates)
    assert risk.value.item() == pytest.approx(wanted, abs=1e-12)
    assert risk.value.item() >= 0
    assert risk.value.item() == risk.raw.item()


@pytest.mark.parametrize("per_item", [1, 2])
@pytest.mark.parametrize("rates", [{}, {"flip_yes": 0.1, "flip_no": 0.3}])
def test_the_gradient_is_prodens_with_weights_from_the_same_pass(per_item: int, rates: dict[str, float]) -> None:
    logits, answers = simulated(12, 6, 3, per_item)
    subsets, responses, items = tensors(answers)
    rows = None if per_item == 1 else items
    by_likelihood, by_proden = logits.clone().requires_grad_(), logits.clone().requires_grad_()
    objectives.create("likelihood")(by_likelihood, subsets, responses, rows=rows, **rates).value.backward()
    _, weights, _ = posterior(logits, *observed(Batch(subsets, responses, rows, None, **rates), 12, logits.dtype))
    torch.testing.assert_close(weights.sum(dim=1), torch.ones(12, dtype=torch.float64))
    (-(weights * torch.log_softmax(by_proden, dim=1)).sum() / 12).backward()
    torch.testing.assert_close(by_likelihood.grad, by_proden.grad, rtol=1e-9, atol=1e-14)


def test_answers_that_contradict_each_other_are_refused() -> None:
    subsets = torch.tensor([[True, False, False], [True, False, False]])
    responses, rows = torch.tensor([True, False]), torch.tensor([0, 0])
    objective = objectives.create("likelihood")
    with pytest.raises(ValueError, match="answers about row 0 contradict each other"):
        objective(torch.zeros(1, 3), subsets, responses, rows=rows)
    assert torch.isfinite(objective(torch.zeros(1, 3), subsets, responses, rows=rows, flip_yes=0.1, flip_no=0.1).value)
    with pytest.raises(ValueError, match="answer 0 leaves no class possible"):
        objective(torch.zeros(1, 3), torch.zeros(1, 3, dtype=torch.bool), torch.tensor([True]))


def test_a_set_that_the_model_rules_out() -> None:
    """Where the probabilities underflow, the slow way is exact: log p of the best class in the set."""
    logits = torch.tensor([[1e4, 0.0, -5.0], [0.0, 1.0, 2.0]], dtype=torch.float64)
    subsets = torch.tensor([[False, True, True], [True, True, False]])
    loss = objectives.create("likelihood")(logits, subsets, torch.tensor([True, True])).value.item()
    wanted = -torch.logsumexp(torch.log_softmax(logits, 1).masked_fill(~subsets, -torch.inf), 1).mean().item()
    assert loss == pytest.approx(wanted, rel=1e-12)
