"""What objectives keep from visit to visit, over checkpoints and workers."""

import pytest
import torch
from torch import Tensor

from oneof.objectives.memory import Remembering

KEPT = torch.tensor([[1.0, 2.0], [3.0, 4.0]])


def prepared(items: list[int] | None = None) -> Remembering:
    objective = Remembering()
    objective.prepare(items=4, classes=2)
    if items is not None:
        objective.remember(torch.tensor(items), KEPT[: len(items)])
    return objective


def memory(objective: Remembering) -> Tensor:
    assert objective.memory is not None
    return objective.memory


def test_the_last_visit_counts_and_the_rest_is_zero() -> None:
    objective = prepared([3, 1])
    objective.remember(torch.tensor([1]), -KEPT[:1])
    recalled = objective.recall(torch.tensor([1, 0, 3]), torch.zeros((), dtype=torch.float64))
    assert recalled.dtype == torch.float64
    assert recalled.tolist() == [[-1, -2], [0, 0], [1, 2]]


def test_without_memory_the_error_says_what_to_do() -> None:
    with pytest.raises(ValueError, match=r"call prepare\(items, classes\) before training, or leave items out"):
        Remembering().recall(torch.tensor([0]), KEPT)


def test_a_checkpoint_holds_a_copy() -> None:
    first, second = prepared([0, 2]), Remembering()
    state = first.state_dict()
    second.load_state_dict(state)
    second.remember(torch.tensor([0]), KEPT[1:])
    assert memory(second)[[0, 2]].tolist() == [[3, 4], [3, 4]]
    assert torch.equal(state["memory"], memory(first)), "what was saved must not move on"
    assert Remembering().state_dict() == {}
    second.load_state_dict({})
    assert second.memory is None


def test_workers_take_over_what_others_visited() -> None:
    here, there = prepared([1, 3]), prepared([2])
    wanted = torch.zeros(4, 2)
    wanted[[1, 3]], wanted[2] = KEPT, KEPT[0]
    visited = torch.tensor([0.0, 0.0, 1.0, 0.0])
    from_there = iter([visited, memory(there) * visited[:, None]])
    here.merge(lambda mine: mine + next(from_there))
    assert torch.equal(memory(here), wanted)
    here.merge(lambda mine: mine)
    assert torch.equal(memory(here), wanted), "without a visit since, nothing moves"
    Remembering().merge(lambda mine: mine)  # before training there is nothing to bring together
