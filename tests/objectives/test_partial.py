"""PLL-Avg: the mean loss over the consistent set."""

import numpy as np
import pytest
import torch

from oneof import UniformQueries, objectives
from oneof.objectives import losses


@pytest.mark.parametrize("loss", ["mae", "mse", "gce", "cross_entropy"])
@pytest.mark.parametrize(("k", "m"), [(4, 1), (7, 3), (10, 7)])
def test_the_formula(loss: str, k: int, m: int) -> None:
    rng = np.random.default_rng(k)
    subsets, responses = UniformQueries(k, m).draw(20, rng), rng.random(20) < 0.5
    logits = torch.from_numpy(rng.normal(size=(20, k)))
    table = losses.get(loss)(logits).numpy()
    rows = zip(table, subsets, responses, strict=True)
    wanted = np.mean([row[subset if yes else ~subset].mean() for row, subset, yes in rows])
    risk = objectives.create("pll-avg", loss=loss)(logits, torch.from_numpy(subsets), torch.from_numpy(responses))
    assert risk.value.item() == pytest.approx(wanted, abs=1e-12)
    assert risk.value.item() == risk.raw.item()


def test_the_paper_uses_the_mae() -> None:
    assert objectives.create("pll-avg") == objectives.create("pll-avg", loss="mae")
    with pytest.raises(ValueError, match="unknown loss"):
        objectives.create("pll-avg", loss="zero-one")
