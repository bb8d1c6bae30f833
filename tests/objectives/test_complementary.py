"""MCL: the transformed baselines, against their formulas and their risk."""

import math
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from oneof import UniformQueries, objectives


def formula(name: str, p_set: float) -> float:
    return {"mcl-exp": math.exp(-p_set), "mcl-mae": 1 - p_set, "mcl-log": -math.log(p_set)}[name]


@pytest.mark.parametrize("name", ["mcl-exp", "mcl-mae", "mcl-log"])
@pytest.mark.parametrize(("k", "m"), [(4, 1), (7, 3), (10, 7)])
def test_the_formula(name: str, k: int, m: int) -> None:
    rng = np.random.default_rng(k)
    subsets, responses = UniformQueries(k, m).draw(30, rng), rng.random(30) < 0.5
    logits = torch.from_numpy(rng.normal(size=(30, k)))
    total = 0.0
    for p, subset, yes in zip(torch.softmax(logits, dim=1).numpy(), subsets, responses, strict=True):
        consistent = subset if yes else ~subset
        excluded = k - m if yes else m
        total += (k - 1) / excluded * formula(name, p[consistent].sum())
    risk = objectives.create(name)(logits, torch.from_numpy(subsets), torch.from_numpy(responses))
    assert risk.value.item() == pytest.approx(total / 30, abs=1e-12)


def test_mcl_mae_estimates_half_the_mae_up_to_a_constant(
    every_subset: Callable[[int, int], NDArray[np.bool_]],
) -> None:
    """By enumeration: E[(k-1)/|Ybar| (1 - P_S)] - (1 - p_y) is the same number for every model and every class."""
    for k, m in [(3, 1), (5, 2), (6, 4)]:
        subsets = torch.from_numpy(every_subset(k, m))
        logits = torch.randn(4, k, dtype=torch.float64, generator=torch.Generator().manual_seed(k))
        gaps = []
        for row, y in product(range(4), range(k)):
            mean = objectives.create("mcl-mae")(logits[row].expand(len(subsets), k), subsets, subsets[:, y]).value
            gaps.append((mean - (1 - torch.softmax(logits[row], 0)[y])).item())
        assert np.ptp(gaps) < 1e-10, (k, m)


def test_mcl_log_is_the_likelihood_times_its_factor() -> None:
    rng = np.random.default_rng(1)
    subsets = torch.from_numpy(UniformQueries(6, 3).draw(10, rng))
    logits, responses = torch.from_numpy(rng.normal(size=(10, 6))), torch.from_numpy(rng.random(10) < 0.5)
    mcl, plain = (
        objectives.create(name)(logits, subsets, responses).value.item() for name in ("mcl-log", "likelihood")
    )
    assert mcl == pytest.approx(5 / 3 * plain)


def test_names() -> None:
    assert repr(objectives.create("mcl-exp")) == "ComplementaryExp()"
