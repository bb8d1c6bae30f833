"""PRODEN: its weights, visit after visit, and what a checkpoint holds."""

import numpy as np
import pytest
import torch
from torch import Tensor

from oneof import objectives
from oneof.objectives import Batch
from oneof.objectives.proden import Proden, first_weights

SUBSETS = torch.tensor([[True, True, False, False], [True, False, False, True], [False, True, True, False]])
RESPONSES = torch.tensor([True, False, True])
CONSISTENT = RESPONSES[:, None] == SUBSETS


def logits(seed: int) -> Tensor:
    return torch.randn(3, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def posterior(z: Tensor) -> Tensor:
    p = torch.softmax(z, dim=1) * CONSISTENT
    return p / p.sum(dim=1, keepdim=True)


def prepared() -> Proden:
    objective = Proden()
    objective.prepare(items=5, classes=4)
    return objective


def test_weights_start_even_and_follow_the_model() -> None:
    objective, items = prepared(), torch.tensor([4, 0, 2])
    weights = CONSISTENT.double() / 2
    for visit in range(4):
        z = logits(visit)
        wanted = -(weights * torch.log_softmax(z, dim=1)).sum(dim=1).mean().item()
        assert objective(z, SUBSETS, RESPONSES, items=items).value.item() == pytest.approx(wanted, abs=1e-6)
        weights = posterior(z)
        assert objective.memory is not None
        torch.testing.assert_close(objective.memory[items].double(), weights, rtol=1e-6, atol=1e-6)
        assert objective.memory[[1, 3]].abs().max() == 0


def test_an_item_seen_for_the_first_time_beside_one_seen_before() -> None:
    objective = prepared()
    objective(logits(0)[:1], SUBSETS[:1], RESPONSES[:1], items=torch.tensor([1]))
    weights = torch.cat([posterior(logits(0))[:1], CONSISTENT[1:].double() / 2])
    wanted = -(weights * torch.log_softmax(logits(1), dim=1)).sum(dim=1).mean().item()
    found = objective(logits(1), SUBSETS, RESPONSES, items=torch.tensor([1, 2, 3])).value.item()
    assert found == pytest.approx(wanted, abs=1e-6)


def test_the_gradient_takes_the_weights_as_constants() -> None:
    objective, items = prepared(), torch.arange(3)
    objective(logits(0), SUBSETS, RESPONSES, items=items)
    z = logits(1).requires_grad_()
    objective(z, SUBSETS, RESPONSES, items=items).value.backward()
    wanted = (torch.softmax(z.detach(), dim=1) - posterior(logits(0))) / 3
    torch.testing.assert_close(z.grad, wanted, rtol=1e-6, atol=1e-7)


def test_several_answers_and_flips_enter_by_the_evidence() -> None:
    rows = torch.tensor([0, 0, 1])
    batch = Batch(SUBSETS, RESPONSES, rows, None, 0.1, 0.2)
    weights = first_weights(batch, 3, torch.float64).numpy()
    likelihood = np.ones((3, 4))
    for subset, response, row in zip(SUBSETS.numpy(), RESPONSES.numpy(), rows.numpy(), strict=True):
        p_yes = np.where(subset, 0.9, 0.2)
        likelihood[row] *= p_yes if response else 1 - p_yes
    assert weights[:2] == pytest.approx(likelihood[:2] / likelihood[:2].sum(axis=1, keepdims=True))
    assert weights[2] == pytest.approx(np.zeros(4))


def test_an_item_without_an_answer_stays_unvisited() -> None:
    objective, rows = prepared(), torch.tensor([0, 0, 1])
    objective(logits(0), SUBSETS, RESPONSES, rows=rows, items=torch.tensor([4, 0, 2]), flip_yes=0.1)
    torch.testing.assert_close(objective.memory[[4, 0]].sum(dim=1), torch.ones(2))
    assert not objective.memory[[1, 2, 3]].any()


def test_a_checkpoint_goes_on_exactly() -> None:
    items = torch.arange(3)
    whole, first, second = prepared(), prepared(), Proden()
    for visit in range(2):
        whole(logits(visit), SUBSETS, RESPONSES, items=items)
        first(logits(visit), SUBSETS, RESPONSES, items=items)
    state = first.state_dict()
    second.load_state_dict(state)
    first(10 * logits(9), SUBSETS, RESPONSES, items=items)
    wanted = whole(logits(2), SUBSETS, RESPONSES, items=items).value
    assert second(logits(2), SUBSETS, RESPONSES, items=items).value == wanted
    assert second.memory is not None
    assert not torch.equal(second.memory, state["memory"]), "what was saved must not move on"
    assert Proden().state_dict() == {}


def test_without_items_every_visit_is_the_first() -> None:
    objective = Proden()
    values = [objective(logits(0), SUBSETS, RESPONSES).value.item() for _ in range(2)]
    assert values[0] == values[1]
    with pytest.raises(ValueError, match="call prepare"):
        objective(logits(0), SUBSETS, RESPONSES, items=torch.arange(3))
    assert repr(objectives.create("proden")) == "Proden()"
