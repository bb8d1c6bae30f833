"""Written-out sums and gradients against the plain definition."""

import math
from collections.abc import Callable
from functools import partial

import pytest
import torch
from torch import Tensor

from oneof.objectives import losses
from oneof.objectives.weighted_sum import weighted_sum

BUILT_IN = [
    losses.mae,
    losses.mse,
    losses.gce,
    losses.cross_entropy,
    losses.gce(q=0.4, eps=0.1),
    losses.gce(q=1.0, eps=0.0),
    partial(losses.gce, q=0.2),
]


def given(n: int = 6, k: int = 5) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(n)
    weights = torch.randn(n, k, dtype=torch.float64, generator=generator)
    return 2 * torch.randn(n, k, dtype=torch.float64, generator=generator), weights


@pytest.mark.parametrize("loss", BUILT_IN)
def test_value_and_gradient_are_those_of_autograd(loss: Callable[[Tensor], Tensor]) -> None:
    logits, weights = given()
    by_hand, plain = logits.clone().requires_grad_(), logits.clone().requires_grad_()
    ours = weighted_sum(loss, by_hand, weights)
    wanted = (loss(plain) * weights).sum()
    assert type(ours.grad_fn).__name__ == "_ScalarBackward"
    assert ours.item() == pytest.approx(wanted.item(), abs=1e-12)
    ours.backward()
    wanted.backward()
    torch.testing.assert_close(by_hand.grad, plain.grad, rtol=1e-10, atol=1e-12)
    assert torch.autograd.gradcheck(lambda z: weighted_sum(loss, z, weights), logits.requires_grad_())


def test_gce_without_a_floor_where_probabilities_underflow() -> None:
    logits = torch.tensor([[0.0, 200.0]], requires_grad=True)
    value = weighted_sum(losses.gce(q=0.01, eps=0.0), logits, torch.tensor([[1.0, 0.0]]))
    assert value.item() == pytest.approx((1 - math.exp(-2)) / 0.01, rel=1e-5)
    value.backward()
    torch.testing.assert_close(logits.grad, torch.tensor([[-math.exp(-2), math.exp(-2)]]))


@pytest.mark.parametrize("loss", BUILT_IN)
def test_weights_are_left_as_they_are(loss: Callable[[Tensor], Tensor]) -> None:
    logits, weights = given()
    before = weights.clone()
    weighted_sum(loss, logits.requires_grad_(), weights).backward()
    assert torch.equal(weights, before)
    strided = torch.cat([weights, weights], dim=1)[:, :5]
    assert weighted_sum(loss, logits, strided).item() == pytest.approx(weighted_sum(loss, logits, weights).item())


def test_any_other_function_goes_through_autograd() -> None:
    logits, weights = given()
    logits.requires_grad_()
    risk = weighted_sum(torch.square, logits, weights)
    (gradient,) = torch.autograd.grad(risk, logits, create_graph=True)
    torch.testing.assert_close(gradient, 2 * logits * weights)
