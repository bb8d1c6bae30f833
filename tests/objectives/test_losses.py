"""Classwise losses: the paper's definitions, their bounds, and their ends."""

import math
from collections.abc import Callable
from functools import partial, wraps

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from oneof import theory
from oneof.objectives import losses

UNBOUNDED = ("cross_entropy",)


def scores(n: int = 7, k: int = 5) -> Tensor:
    return 2 * torch.randn(n, k, dtype=torch.float64, generator=torch.Generator().manual_seed(n * k))


def test_the_definitions() -> None:
    p = torch.softmax(scores(), dim=1)
    corner = torch.eye(5, dtype=torch.float64)
    l1 = (p[:, None, :] - corner[None]).abs().sum(dim=2)
    l2 = ((p[:, None, :] - corner[None]) ** 2).sum(dim=2)
    torch.testing.assert_close(losses.mae(scores()), l1)
    torch.testing.assert_close(losses.mse(scores()), l2)
    torch.testing.assert_close(losses.cross_entropy(scores()), -p.log())
    for q, eps in [(0.7, 1e-6), (0.3, 0.05), (1.0, 0.0)]:
        torch.testing.assert_close(losses.gce(scores(), q=q, eps=eps), (1 - p.clamp(min=eps) ** q) / q)
        torch.testing.assert_close(losses.gce(q=q, eps=eps)(scores()), losses.gce(scores(), q, eps))


def test_gce_lies_between_cross_entropy_and_mae() -> None:
    torch.testing.assert_close(losses.gce(scores(), q=1e-9, eps=0.0), losses.cross_entropy(scores()))
    torch.testing.assert_close(losses.gce(scores(), q=1.0, eps=0.0), losses.mae(scores()) / 2)


@pytest.mark.parametrize("name", losses.names())
def test_gradients(name: str) -> None:
    assert torch.autograd.gradcheck(losses.get(name), scores(3, 4).requires_grad_())
    assert torch.autograd.gradgradcheck(losses.get(name), scores(2, 3).requires_grad_())


def test_no_gradient_through_gce_below_its_floor() -> None:
    z = torch.tensor([[0.0, 20.0]], dtype=torch.float64, requires_grad=True)
    losses.gce(z, eps=1e-3)[0, 0].backward()
    assert z.grad.abs().max() == 0


@pytest.mark.parametrize("name", losses.names())
@given(seed=st.integers(0, 1000), scale=st.floats(0, 1e4))
def test_bounded_and_finite(name: str, seed: int, scale: float) -> None:
    z = scale * torch.randn(3, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    found = losses.get(name)(z)
    bound = math.inf if name in UNBOUNDED else theory.loss_bound(name)
    assert found.shape == z.shape
    assert torch.isfinite(found).all()
    assert found.min() >= -1e-12
    assert found.max() <= bound + 1e-12


@pytest.mark.parametrize("name", losses.names())
@pytest.mark.parametrize("size", [1e4, -1e4])
def test_large_logits(name: str, size: float) -> None:
    z = torch.zeros(2, 4)
    z[0, 0] = size
    z.requires_grad_()
    losses.get(name)(z).sum().backward()
    assert torch.isfinite(losses.get(name)(z)).all()
    assert torch.isfinite(z.grad).all()


def test_losses_by_name() -> None:
    assert {"mae", "mse", "gce", "cross_entropy"} <= set(losses.names())
    assert losses.get(torch.sin) is torch.sin
    with pytest.raises(ValueError, match=r"unknown loss 'l2', expected one of .*mae, mse, gce, cross_entropy"):
        losses.get("l2")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"q": 0.0}, r"q must be in \(0, 1\]"),
        ({"q": 1.1}, r"q must be in \(0, 1\]"),
        ({"q": math.nan}, r"q must be in \(0, 1\]"),
        ({"eps": -0.1}, r"eps must be in \[0, 1\)"),
        ({"eps": 1.0}, r"eps must be in \[0, 1\)"),
    ],
)
def test_options_out_of_range(options: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        losses.gce(**options)


BUILT_IN = [
    losses.mae,
    losses.mse,
    losses.gce,
    losses.cross_entropy,
    losses.gce(q=0.4, eps=0.1),
    losses.gce(q=1.0, eps=0.0),
]


def weighted_logits(n: int = 6, k: int = 5) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(n)
    weights = torch.randn(n, k, dtype=torch.float64, generator=generator)
    return 2 * torch.randn(n, k, dtype=torch.float64, generator=generator), weights


@pytest.mark.parametrize("loss", BUILT_IN)
def test_value_and_gradient_are_those_of_autograd(loss: Callable[[Tensor], Tensor]) -> None:
    logits, weights = weighted_logits()
    by_hand, plain = logits.clone().requires_grad_(), logits.clone().requires_grad_()
    ours = losses.weighted_sum(loss, by_hand, weights)
    wanted = (loss(plain) * weights).sum()
    assert type(ours.grad_fn).__name__ == "_ScalarBackward"
    assert ours.item() == pytest.approx(wanted.item(), abs=1e-12)
    ours.backward()
    wanted.backward()
    torch.testing.assert_close(by_hand.grad, plain.grad, rtol=1e-10, atol=1e-12)
    assert torch.autograd.gradcheck(lambda z: losses.weighted_sum(loss, z, weights), logits.requires_grad_())


def test_gce_without_a_floor_where_probabilities_underflow() -> None:
    logits = torch.tensor([[0.0, 200.0]], requires_grad=True)
    value = losses.weighted_sum(losses.gce(q=0.01, eps=0.0), logits, torch.tensor([[1.0, 0.0]]))
    assert value.item() == pytest.approx((1 - math.exp(-2)) / 0.01, rel=1e-5)
    value.backward()
    torch.testing.assert_close(logits.grad, torch.tensor([[-math.exp(-2), math.exp(-2)]]))


@pytest.mark.parametrize("loss", BUILT_IN)
def test_weights_are_left_as_they_are(loss: Callable[[Tensor], Tensor]) -> None:
    logits, weights = weighted_logits()
    before = weights.clone()
    losses.weighted_sum(loss, logits.requires_grad_(), weights).backward()
    assert torch.equal(weights, before)
    strided = torch.cat([weights, weights], dim=1)[:, :5]
    assert losses.weighted_sum(loss, logits, strided).item() == pytest.approx(
        losses.weighted_sum(loss, logits, weights).item()
    )


def test_a_loss_that_wraps_another_gets_its_own_gradient() -> None:
    """Whatever is copied from the loss inside, it is another function, and only autograd knows its gradient."""

    @wraps(losses.gce)
    def doubled(logits: Tensor) -> Tensor:
        return 2 * losses.gce(logits)

    logits, weights = weighted_logits()
    for loss, factor in ((doubled, 2), (partial(losses.gce, q=0.7), 1), (lambda z: losses.gce(z), 1)):
        ours, plain = logits.clone().requires_grad_(), logits.clone().requires_grad_()
        losses.weighted_sum(loss, ours, weights).backward()
        (factor * losses.gce(plain) * weights).sum().backward()
        torch.testing.assert_close(ours.grad, plain.grad)


def test_losses_are_spelled_alike_in_every_process() -> None:
    assert [losses.spell(losses.get(name)) for name in losses.names()] == losses.names()
    assert losses.spell(partial(losses.gce, q=0.2)) == "gce(q=0.2)"


def test_any_other_function_goes_through_autograd() -> None:
    logits, weights = weighted_logits()
    logits.requires_grad_()
    risk = losses.weighted_sum(torch.square, logits, weights)
    (gradient,) = torch.autograd.grad(risk, logits, create_graph=True)
    torch.testing.assert_close(gradient, 2 * logits * weights)
