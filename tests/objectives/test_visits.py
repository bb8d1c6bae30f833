"""The likelihood with a memory of the last visit, against its formula."""

import numpy as np
import pytest
import torch
from torch import Tensor

from oneof import UniformQueries, objectives
from oneof.objectives.visits import AgreeingVisits

K, N = 5, 6


def answered(seed: int) -> tuple[Tensor, Tensor, Tensor]:
    """Logits (N, K), questions and responses."""
    rng = np.random.default_rng(seed)
    subsets = torch.from_numpy(UniformQueries(K, 2).draw(N, rng))
    return torch.from_numpy(rng.normal(size=(N, K))), subsets, torch.from_numpy(rng.random(N) < 0.4)


def visited(logits: Tensor, items: Tensor, *answers: Tensor) -> AgreeingVisits:
    """The objective after one visit of these items."""
    objective = AgreeingVisits()
    objective.prepare(items=20, classes=K)
    objective(logits, *answers, items=items)
    return objective


def naive(
    logits: Tensor, last: Tensor, subsets: Tensor, responses: Tensor, rows: Tensor, flips: tuple[float, float]
) -> Tensor:
    """The mean of -log sum_j P(answers | j) (p_j m_j)^(1/2) over the items with answers, term by term."""
    p, m = torch.softmax(logits, 1), torch.softmax(last, 1)
    total = logits.new_zeros(())
    for item in range(len(logits)):
        terms = (p[item] * m[item]).sqrt()
        for subset, response, row in zip(subsets, responses, rows, strict=True):
            if row == item:
                yes = torch.where(subset, 1 - flips[0], flips[1])
                terms = terms * (yes if response else 1 - yes)
        total = total - terms.sum().log()
    return total / len(rows.unique())


@pytest.mark.parametrize("flips", [(0.0, 0.0), (0.1, 0.2)])
@pytest.mark.parametrize("seed", range(4))
def test_value_and_gradient_are_those_of_the_formula(flips: tuple[float, float], seed: int) -> None:
    last, subsets, responses = answered(seed)
    logits = answered(seed + 10)[0].requires_grad_()
    items, rows = torch.tensor([11, 3, 0, 19, 7, 5]), torch.tensor([4, 1, 0, 1, 5, 2])  # two about row 1, none about 3
    subsets[3], responses[3] = subsets[1], responses[1]  # they do not contradict each other
    given = {"rows": rows, **dict(zip(("flip_yes", "flip_no"), flips, strict=True))}
    objective = visited(last, items, subsets, responses)
    expected = naive(logits, last, subsets, responses, rows, flips)
    (slope,) = torch.autograd.grad(expected, logits)
    risk = objective(logits, subsets, responses, items=items, **given)
    torch.testing.assert_close(risk.value, expected, rtol=1e-6, atol=1e-6)  # the memory has 32 bits
    risk.value.backward()
    torch.testing.assert_close(logits.grad, slope, rtol=1e-5, atol=1e-6)


def test_a_first_visit_is_the_likelihood_beside_others_too() -> None:
    last, *answers = answered(0)
    logits, items = answered(1)[0], torch.arange(N)
    by_item = [objectives.create("likelihood")(logits[[i]], *(a[[i]] for a in answers)).value for i in range(N)]
    torch.testing.assert_close(AgreeingVisits()(logits, *answers).value, torch.stack(by_item).mean())
    objective = visited(last[:2], items[:2], *(a[:2] for a in answers))
    seen = naive(logits[:2], last[:2], *(a[:2] for a in answers), torch.arange(2), (0.0, 0.0))
    wanted = (2 * seen + torch.stack(by_item[2:]).sum()) / N
    torch.testing.assert_close(objective(logits, *answers, items=items).value, wanted, rtol=1e-6, atol=1e-6)


def test_it_is_the_likelihood_of_the_pooled_prediction_and_a_disagreement_that_is_never_negative() -> None:
    last, *answers = answered(2)
    logits, items = answered(3)[0], torch.arange(N)
    pooled = (torch.log_softmax(logits, 1) + torch.log_softmax(last, 1)) / 2
    disagreement = -torch.logsumexp(pooled, 1).mean()
    assert disagreement > 0
    likelihood = objectives.create("likelihood")(pooled, *answers).value
    found = visited(last, items, *answers)(logits, *answers, items=items).value
    torch.testing.assert_close(found, likelihood + disagreement, rtol=1e-6, atol=1e-6)
    again = visited(logits, items, *answers)(logits, *answers, items=items).value
    torch.testing.assert_close(again, objectives.create("likelihood")(logits, *answers).value, rtol=1e-6, atol=1e-6)


def test_with_labels_the_gradient_is_half_that_of_cross_entropy() -> None:
    last, labels = answered(4)[0], torch.tensor([3, 1, 0, 1, 4, 2])
    subsets, yes = torch.nn.functional.one_hot(labels, K).bool(), torch.ones(N, dtype=torch.bool)
    items = torch.arange(N)
    logits = answered(5)[0].requires_grad_()
    visited(last, items, subsets, yes)(logits, subsets, yes, items=items).value.backward()
    (slope,) = torch.autograd.grad(torch.nn.functional.cross_entropy(logits, labels), logits)
    torch.testing.assert_close(2 * logits.grad, slope)


def test_certain_predictions_stay_finite() -> None:
    subsets, yes, items = torch.tensor([[True, False, False]]), torch.tensor([True]), torch.tensor([0])
    objective = AgreeingVisits()
    objective.prepare(1, 3)
    for certain in ([0.0, 1e4, 0.0], [1e4, 0.0, 0.0], [0.0, 0.0, 1e4]):
        logits = torch.tensor([certain], requires_grad=True)
        value = objective(logits, subsets, yes, items=items).value
        value.backward()
        assert value.isfinite()
        assert logits.grad is not None
        assert logits.grad.isfinite().all()


def test_an_answer_that_leaves_nothing_is_named() -> None:
    logits, subsets, responses = answered(6)
    subsets[4], responses[4] = True, False
    with pytest.raises(ValueError, match="answer 4 leaves no class possible"):
        AgreeingVisits()(logits, subsets, responses)
