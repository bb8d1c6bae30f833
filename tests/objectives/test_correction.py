"""Below zero the gradient is -kappa times the raw one, above it is the raw one itself."""

from typing import Any

import pytest
import torch
from torch import Tensor

from oneof import objectives
from oneof.objectives.correction import corrected

CORRECTIONS: list[tuple[str, dict[str, Any], float]] = [
    ("ure", {}, -1.0),
    ("nn", {}, 0.0),
    ("abs", {}, 1.0),
    ("abs", {"kappa": 0.0}, 0.0),
    ("abs", {"kappa": 0.3}, 0.3),
    ("abs", {"kappa": 2.5}, 2.5),
]


def batch(negative: bool, loss: str) -> tuple[Tensor, Tensor, Tensor]:
    """Answers that the model finds obvious (a small risk, which the subtracted part pulls below zero), or odd.

    With the MAE only a batch without any yes is ever below zero.
    """
    subsets = torch.tensor([[True, True, False, False], [True, True, False, False]])
    responses = torch.tensor([not (negative and loss == "mae"), False])
    logits = torch.tensor([[2.0, 1.5, 0.0, -1.0], [-3.0, -2.0, 1.0, 0.5]], dtype=torch.float64)
    return (logits if negative else -logits), subsets, responses


@pytest.mark.parametrize("loss", ["mae", "mse", "gce", "cross_entropy"])
@pytest.mark.parametrize("negative", [True, False])
@pytest.mark.parametrize(("name", "options", "kappa"), CORRECTIONS)
def test_gradients_on_both_sides_of_zero(
    name: str, options: dict[str, Any], kappa: float, negative: bool, loss: str
) -> None:
    logits, subsets, responses = batch(negative, loss)
    plain, own = logits.clone().requires_grad_(), logits.clone().requires_grad_()
    raw = objectives.create("ure", loss=loss)(plain, subsets, responses).raw
    assert (raw.item() < 0) == negative
    raw.backward()
    risk = objectives.create(name, loss=loss, **options)(own, subsets, responses)
    risk.value.backward()
    assert plain.grad is not None
    assert own.grad is not None
    assert risk.raw.item() == raw.item()
    slope = -kappa if negative else 1.0
    assert risk.value.item() == pytest.approx(slope * raw.item(), abs=1e-15)
    torch.testing.assert_close(own.grad, slope * plain.grad)
    assert plain.grad.abs().max() > 0.01
    assert objectives.create(name, loss=loss, **options).slope(raw.item()) == slope


@pytest.mark.parametrize(("k", "m"), [(4, 1), (5, 3), (10, 7)])
def test_the_group_means_of_the_mae_are_never_negative(k: int, m: int) -> None:
    """m (2 - 2 P/m) - (m-1) (2 - 2 Q/m) = 2 - 2 P + 2 Q (m-1)/m, with P and Q mean probabilities of L: at least 0."""
    generator = torch.Generator().manual_seed(k)
    for _ in range(50):
        subsets = torch.rand(16, k, generator=generator).argsort(dim=1) < m
        responses = torch.arange(16) % 2 == 0
        best = torch.where(subsets == responses[:, None], 30.0, -30.0).double()
        best += torch.randn(16, k, dtype=torch.float64, generator=generator)
        assert objectives.create("ure")(best, subsets, responses).raw.item() >= -1e-12


@pytest.mark.parametrize("kappa", [0.0, 0.4, 1.0, 3.0])
def test_phi(kappa: float) -> None:
    z = torch.linspace(-2, 2, 41, dtype=torch.float64)
    torch.testing.assert_close(corrected(z, kappa), torch.where(z >= 0, z, kappa * z.abs()))
    assert (corrected(z, kappa) >= 0).all()


@pytest.mark.parametrize("kappa", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("raw", [2.0, 0.0, -2.0, float("nan")])
def test_a_single_risk_is_corrected_as_one_of_many(raw: float, kappa: float) -> None:
    alone = torch.tensor(raw, dtype=torch.float64, requires_grad=True)
    among = torch.tensor([raw], dtype=torch.float64, requires_grad=True)
    values = corrected(alone * 1, kappa), corrected(among * 1, kappa)
    torch.testing.assert_close(values[0], values[1][0], equal_nan=True)
    gradients = torch.autograd.grad(values[0], alone)[0], torch.autograd.grad(values[1].sum(), among)[0]
    torch.testing.assert_close(gradients[0], gradients[1][0], equal_nan=True)


@pytest.mark.parametrize("kappa", [-0.1, float("nan")])
def test_a_negative_kappa_is_refused(kappa: float) -> None:
    with pytest.raises(ValueError, match="kappa must not be negative"):
        objectives.create("abs", kappa=kappa)


def test_corrections_take_what_the_unbiased_risk_takes() -> None:
    with pytest.raises(ValueError, match="unknown weights"):
        objectives.create("abs", weights="none")
    assert objectives.create("abs", kappa=0.5, loss="mse") == objectives.create("abs", loss="mse", kappa=0.5)
