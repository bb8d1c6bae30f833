import pytest
import torch
from lightning_fabric import Fabric
from torch import nn

from oneof import UniformQueries, objectives
from oneof.objectives import Batch
from oneof.training.step import gradient
from oneof.training.workers import Workers

CLASSES = 4


def batch(n: int, seed: int) -> tuple[torch.Tensor, Batch]:
    generator = torch.Generator().manual_seed(seed)
    subsets = torch.from_numpy(UniformQueries(CLASSES, 2).draw(n, seed))
    responses = torch.rand(n, generator=generator) < 0.5
    return torch.randn(n, 3, generator=generator), Batch(subsets, responses)


def part(whole: tuple[torch.Tensor, Batch], rows: slice) -> tuple[torch.Tensor, Batch]:
    x, answers = whole
    return x[rows], Batch(answers.subsets[rows], answers.responses[rows])


def gradients(network: nn.Module) -> torch.Tensor:
    return torch.cat([parameter.grad.flatten() for parameter in network.parameters()])


@pytest.fixture
def network() -> nn.Module:
    torch.manual_seed(0)
    return nn.Linear(3, CLASSES).double()


@pytest.mark.parametrize("name", objectives.names())
@pytest.mark.parametrize("seed", range(6))
def test_micro_batches_give_the_gradient_of_the_whole(name, seed, network):
    x, answers = whole = batch(12, seed)
    x, whole = x.double(), (x.double(), answers)
    options = {"loss": "gce"} if name in ("ure", "nn", "abs") else {}
    network.weight.data *= 8  # confident and wrong, so that raw risks fall on both sides of zero
    risk = objectives.create(name, **options)(network(x), answers.subsets, answers.responses)
    risk.value.backward()
    expected = gradients(network)
    network.zero_grad()
    pieces = [part(whole, slice(0, 5)), part(whole, slice(5, 6)), part(whole, slice(6, 12))]
    workers = Workers(Fabric(accelerator="cpu", devices=1))
    step = gradient(network, network, objectives.create(name, **options), pieces, workers)
    torch.testing.assert_close(gradients(network), expected, atol=1e-10, rtol=0)
    assert step.raw == pytest.approx(risk.raw.item(), abs=1e-10)
    assert step.value == pytest.approx(risk.value.item(), abs=1e-10)


def test_averaging_corrected_parts_would_be_wrong(network):
    """The reason for all this: the mean of corrected risks of two halves has another gradient than the whole."""
    objective = objectives.create("abs", loss="gce")
    network.weight.data *= 8
    for seed in range(50):
        x, answers = batch(12, seed)
        x = x.double()
        raws = [
            objective(network(x[rows]), answers.subsets[rows], answers.responses[rows]).raw
            for rows in (slice(0, 6), slice(6, 12))
        ]
        if raws[0] * raws[1] < 0:
            break
    naive = sum(objective.correct(raw) for raw in raws) / 2
    naive.backward()
    wrong = gradients(network)
    network.zero_grad()
    objective(network(x), answers.subsets, answers.responses).value.backward()
    assert (wrong - gradients(network)).abs().max() > 0.01


def test_one_sided_batches_are_told(network):
    x, answers = batch(6, 0)
    workers = Workers(Fabric(accelerator="cpu", devices=1))
    objective = objectives.create("ure")
    alike = Batch(answers.subsets, torch.ones(6, dtype=torch.bool))
    assert gradient(network, network, objective, [(x.double(), alike)], workers).one_sided
    mixed = Batch(answers.subsets, torch.tensor([True, False] * 3))
    assert not gradient(network, network, objective, [(x.double(), mixed)], workers).one_sided


@pytest.mark.parametrize("name", ["ure", "nn", "abs"])
def test_scaled_gradients_stay_exact(name, network, monkeypatch):
    """As a gradient scaler does it: the risk is scaled before back-propagation and the gradient unscaled after."""
    whole = batch(12, 3)
    whole = (whole[0].double(), whole[1])
    network.weight.data *= 8
    workers = Workers(Fabric(accelerator="cpu", devices=1))
    objective = objectives.create(name, loss="gce")
    plain = gradient(network, network, objective, [whole], workers)
    expected = gradients(network)
    network.zero_grad()
    real = workers.fabric.backward
    monkeypatch.setattr(workers.fabric, "backward", lambda risk: real(risk * 65536))
    scaled = gradient(network, network, objective, [part(whole, slice(0, 5)), part(whole, slice(5, 12))], workers)
    torch.testing.assert_close(gradients(network) / 65536, expected, atol=1e-10, rtol=0)
    assert scaled.raw == pytest.approx(plain.raw, abs=1e-10)


def test_the_risk_is_computed_in_32_bits(network):
    seen = []

    class Spy(type(objectives.create("likelihood"))):
        def raw(self, logits, batch, counts):
            seen.append(logits.dtype)
            return super().raw(logits, batch, counts)

    x, answers = batch(6, 0)
    half = nn.Linear(3, CLASSES).bfloat16()
    workers = Workers(Fabric(accelerator="cpu", devices=1))
    gradient(half, half, Spy(), [(x.bfloat16(), answers)], workers)
    gradient(network, network, Spy(), [(x.double(), answers)], workers)
    assert seen == [torch.float32, torch.float64]
