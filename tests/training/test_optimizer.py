"""Optimizers and schedules."""

import pytest
import torch
from torch import nn
from torch.optim import Adadelta, AdamW

from oneof import models
from oneof.training import Config
from oneof.training.optimizer import create_optimizer


def rates(config: Config, batches: int, epochs: int) -> list[float]:
    optimizer, schedule = create_optimizer(nn.Linear(2, 2), config, batches, epochs)
    seen = []
    for _ in range(batches * epochs):
        seen.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
    return seen


def test_the_paper_recipe_steps_down_by_epochs():
    config = Config(recipe="paper", learning_rate=0.1, step_size=2, gamma=0.5).resolve(100, image=False)
    optimizer, _ = create_optimizer(nn.Linear(2, 2), config, 3, 6)
    assert isinstance(optimizer, Adadelta)
    assert rates(config, 3, 6) == pytest.approx([0.1] * 6 + [0.05] * 6 + [0.025] * 6)


def test_one_cycle_rises_to_the_rate_and_falls_to_nearly_nothing():
    config = Config(learning_rate=4e-3).resolve(100, image=False)
    seen = rates(config, 10, 10)
    assert max(seen) == pytest.approx(4e-3, rel=0.01)
    assert 20 <= seen.index(max(seen)) <= 30
    assert seen[0] < 4e-3 / 10
    assert seen[-1] < 4e-3 / 1000


@pytest.mark.parametrize(("batches", "epochs"), [(1, 1), (1, 2), (3, 1)])
def test_the_shortest_runs_have_a_schedule(batches, epochs):
    assert len(rates(Config().resolve(10, image=False), batches, epochs)) == batches * epochs


def test_weight_decay_is_for_matrices_alone():
    network = models.create("cnn", (1, 8, 8), 4)
    optimizer, _ = create_optimizer(network, Config(weight_decay=0.3).resolve(10, image=True), 1, 2)
    assert isinstance(optimizer, AdamW)
    decay = {id(p): group["weight_decay"] for group in optimizer.param_groups for p in group["params"]}
    assert len(decay) == len(list(network.parameters()))
    for parameter in network.parameters():
        assert decay[id(parameter)] == (0.3 if parameter.ndim > 1 else 0.0)


def test_a_network_of_vectors_alone():
    class Scale(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = nn.Parameter(torch.ones(3))

    optimizer, _ = create_optimizer(Scale(), Config().resolve(10, image=False), 1, 2)
    assert [len(group["params"]) for group in optimizer.param_groups] == [1]


def test_an_unresolved_configuration_is_refused():
    with pytest.raises(ValueError, match="not resolved"):
        create_optimizer(nn.Linear(2, 2), Config(), 1, 1)
