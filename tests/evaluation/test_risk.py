"""The risk without labels."""

from typing import Any

import numpy as np
import pytest
import torch

from oneof import Answers, UniformQueries, WeightedQueries, estimate_risk, respond
from oneof.noise import rates_from_gold
from oneof.objectives import losses


@pytest.mark.parametrize("loss", ["mae", "mse", "gce", "cross_entropy", losses.gce(q=0.3)])
@pytest.mark.parametrize("general", [False, True])
def test_the_risk_by_enumeration(loss: Any, general: bool) -> None:
    """Every class and subset once, in proportion: the estimate is the supervised risk."""
    k = 4
    logits = np.random.default_rng(0).normal(size=(k, k))
    table = np.array([[i >> j & 1 for j in range(k)] for i in range(1, 2**k - 1)], dtype=bool)
    truth, row = (part.ravel() for part in np.meshgrid(np.arange(k), np.arange(len(table))))
    answers = Answers(table[row], table[row, truth], truth)
    queries = WeightedQueries(table, np.full(len(table), 1 / len(table))) if general else None
    estimate = estimate_risk(logits, answers, loss, queries=queries, check=False)
    wanted = torch.diag(losses.get(loss)(torch.from_numpy(logits))).mean().item()
    assert estimate.value == pytest.approx(wanted, abs=1e-10)
    assert estimate.low < estimate.value < estimate.high


def test_the_interval_of_the_risk_covers_with_flips() -> None:
    k, n, rng, held = 6, 300, np.random.default_rng(2), 0
    logits = rng.normal(size=(5000, k))
    labels = np.array([rng.choice(k, p=p) for p in torch.softmax(torch.from_numpy(logits), 1).numpy()])
    truth = torch.gather(losses.mse(torch.from_numpy(logits)), 1, torch.from_numpy(labels)[:, None]).mean().item()
    for _ in range(400):
        chosen = rng.integers(5000, size=n)
        subsets = UniformQueries(k, 3).draw(n, rng)
        responses = respond(subsets, labels[chosen], flip_yes=0.1, flip_no=0.2, rng=rng)
        answers = Answers(subsets, responses, chosen, flip_yes=0.1, flip_no=0.2)
        estimate = estimate_risk(logits, answers, "mse", check=False)
        held += estimate.low <= truth <= estimate.high
    assert held / 400 >= 0.93


def test_bad_logits() -> None:
    answers = Answers([[True, False, False]], [True])
    with pytest.raises(ValueError, match=r"logits must have shape \(items, 3\), not \(1, 4\)"):
        estimate_risk(np.zeros((1, 4)), answers)
    with pytest.raises(ValueError, match="unknown loss"):
        estimate_risk(np.zeros((1, 3)), answers, "hinge")


def test_skips_and_estimated_rates_widen() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(5, size=2000)
    subsets = UniformQueries(5, 2).draw(2000, rng)
    responses = respond(subsets, labels, flip_yes=0.1, flip_no=0.1, rng=rng)
    logits = 3 * np.eye(5)[labels]
    known = estimate_risk(logits, Answers(subsets, responses, flip_yes=0.1, flip_no=0.1))
    rates = rates_from_gold(Answers(subsets, responses), np.where(np.arange(2000) < 100, labels, -1))
    guessed = estimate_risk(logits, rates.apply(Answers(subsets, responses)))
    assert guessed.high - guessed.low > 1.5 * (known.high - known.low)
    skipped = Answers(subsets, responses, flip_yes=0.1, flip_no=0.1, skipped=np.arange(2000) < 100)
    assert estimate_risk(logits, skipped).width > known.width


def test_a_skip_may_have_been_either_answer() -> None:
    rng = np.random.default_rng(0)
    subsets, logits = UniformQueries(4, 2).draw(30, rng), rng.normal(size=(30, 4))
    responses, skipped = subsets[:, 0].copy(), np.arange(30) == 7
    found = estimate_risk(logits, Answers(subsets, responses, skipped=skipped), check=False)
    either = [
        estimate_risk(logits, Answers(subsets, np.where(skipped, yes, responses)), check=False) for yes in (True, False)
    ]
    assert found.low == pytest.approx(min(one.low for one in either))
    assert found.high == pytest.approx(max(one.high for one in either))


def test_questions_made_from_predictions_are_left_out_with_a_note() -> None:
    subsets = UniformQueries(4, 2).draw(60, rng=0)
    design = np.where(np.arange(60) < 20, "prediction", "uniform")
    answers = Answers(subsets, subsets[:, 0], design=design, predicted=subsets.argmax(axis=1))
    found = estimate_risk(np.zeros((60, 4)), answers, check=False)
    assert found.n == 40
    assert found.notes[0].startswith("left out 20 answers to questions made from predictions: this figure needs")
    with pytest.raises(ValueError, match="no answers to randomly drawn questions to judge by: left out 20 answers"):
        estimate_risk(np.zeros((60, 4)), answers[:20])
