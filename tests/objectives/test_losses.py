"""Classwise losses: the paper's definitions, their bounds, and their ends."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from oneof.objectives import losses


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
    bound = {"mae": 2.0, "mse": 2.0, "gce": (1 - 1e-6**0.7) / 0.7, "cross_entropy": math.inf}[name]
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
    assert losses.names() == ["mae", "mse", "gce", "cross_entropy"]
    assert losses.get(torch.sin) is torch.sin
    with pytest.raises(ValueError, match="unknown loss 'l2', expected one of mae, mse, gce, cross_entropy"):
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
