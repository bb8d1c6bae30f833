"""Log space at its edges."""

import pytest
import torch

from oneof.objectives import logspace, losses
from oneof.objectives.logspace import (
    NARROW,
    in_parts,
    log_probability,
    log_softmax,
    plain_log_softmax,
    plain_softmax,
    restrict,
    scalar,
)


def test_log_softmax_of_large_logits() -> None:
    z = torch.tensor([[1e4, -1e4, 0.0]], requires_grad=True)
    log_softmax(z).sum().backward()
    assert log_softmax(z).tolist() == [[0.0, -2e4, -1e4]]
    assert torch.isfinite(z.grad).all()


@pytest.mark.parametrize("classes", [NARROW - 1, NARROW])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_quick_softmax_is_torchs(dtype: torch.dtype, classes: int) -> None:
    z = 30 * torch.randn(40, classes, dtype=dtype, generator=torch.Generator().manual_seed(0))
    z[0, 0], z[1, 0] = 1e4, -1e4
    torch.testing.assert_close(plain_softmax(z), torch.softmax(z, dim=-1))
    torch.testing.assert_close(plain_log_softmax(z), torch.log_softmax(z, dim=-1))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("shift", [0.0, 1e4, -1e4])
def test_restrict_by_both_ways(dtype: torch.dtype, shift: float) -> None:
    generator = torch.Generator().manual_seed(0)
    z = torch.randn(6, 5, dtype=dtype, generator=generator)
    z[:, 0] += shift
    members = torch.tensor([[False, True, True, False, True]]).expand(6, 5)
    p, q, log_total = restrict(z, members)
    exact = torch.log_softmax(z.double(), dim=1).masked_fill(~members, -torch.inf)
    torch.testing.assert_close(p, torch.softmax(z, dim=1))
    torch.testing.assert_close(log_total.double(), torch.logsumexp(exact, dim=1, keepdim=True), rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(q.double(), torch.softmax(exact, dim=1), rtol=1e-4, atol=1e-7)
    assert (log_total <= 0).all()


@pytest.mark.parametrize("few", [0, 1000])
@pytest.mark.parametrize("shift", [0.0, 1e4])
def test_the_probability_of_a_set_and_its_derivative(shift: float, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logspace, "FEW", few)
    z = torch.randn(6, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    z[:, 0] += shift
    z.requires_grad_()
    members = torch.tensor([[False, True, True, False, True]]).expand(6, 5)
    log_total, change = log_probability(z.detach(), members)
    exact = torch.log_softmax(z, dim=1).masked_fill(~members, -torch.inf).logsumexp(1, keepdim=True)
    torch.testing.assert_close(log_total, exact.detach())
    torch.testing.assert_close(-change, torch.autograd.grad(exact.sum(), z)[0])


def test_restrict_takes_the_slow_way_only_where_the_sum_underflows(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = []
    monkeypatch.setattr(torch, "logsumexp", lambda *given, **named: slow.append(1) or given[0].amax(dim=-1))
    members = torch.tensor([[True, False]])
    restrict(torch.tensor([[-20.0, 0.0]]), members)
    assert not slow
    restrict(torch.tensor([[-80.0, 0.0]]), members)
    assert slow


def test_restrict_refuses_an_empty_set() -> None:
    members = torch.tensor([[True, False], [False, False]])
    with pytest.raises(ValueError, match="answer 1 leaves no class possible"):
        restrict(torch.zeros(2, 2), members)


def test_a_scalar_is_differentiated_once_and_scaled_from_above() -> None:
    z = torch.randn(3, 4, dtype=torch.float64, requires_grad=True, generator=torch.Generator().manual_seed(0))

    def entropy(logits: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        log_p = torch.log_softmax(logits, dim=-1)
        p = log_p.exp()
        return -(p * log_p).sum(), -p * (log_p - (p * log_p).sum(-1, keepdim=True))

    assert torch.autograd.gradcheck(lambda logits: 3 * scalar(logits, entropy) ** 2, z)
    with pytest.raises(RuntimeError, match="once only"):
        torch.autograd.grad(scalar(z, entropy), z, create_graph=True)
    value = scalar(z, entropy)
    value.backward(retain_graph=True)
    first = z.grad.clone()
    value.backward(retain_graph=True)
    value.backward()  # what was saved for the gradient is nobody else's to add to
    torch.testing.assert_close(z.grad, 3 * first)
    assert not scalar(z.detach(), entropy).requires_grad


def test_parts_add_up_to_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = torch.Generator().manual_seed(0)
    z = torch.randn(7, 20, dtype=torch.float64, generator=generator, requires_grad=True)
    weights = torch.randn(7, 20, dtype=torch.float64, generator=generator)
    (whole,) = torch.autograd.grad(scalar(z, losses.mse.evaluate_sum, weights), z)
    (scaled,) = torch.autograd.grad(scalar(z, losses.mse.evaluate_sum, weights, scale=-3.0), z)
    torch.testing.assert_close(scaled, -3 * whole)
    monkeypatch.setattr(logspace, "CHUNK", 60)  # three rows, three rows, one row
    value, gradient = in_parts(losses.mse.evaluate_sum, z.detach(), weights)
    torch.testing.assert_close(value, (losses.mse(z.detach()) * weights).sum())
    torch.testing.assert_close(gradient, whole)
    parts = in_parts(losses.mse.evaluate_sum, z.detach(), weights, scale=-3.0)
    torch.testing.assert_close(parts, (-3 * value, -3 * whole))
    torch.testing.assert_close(torch.autograd.grad(-2 * scalar(z, losses.mse.evaluate_sum, weights), z)[0], -2 * whole)
    members = torch.ones(7, 20, dtype=torch.bool)
    members[4] = False
    with pytest.raises(ValueError, match="answer 4 leaves no class possible"):
        in_parts(lambda logits, sets: (restrict(logits, sets)[2].sum(), logits), z.detach(), members)
