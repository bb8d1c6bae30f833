"""The likelihood under several views of each item, against its formula."""

import numpy as np
import pytest
import torch
from torch import Tensor

from oneof import UniformQueries, objectives
from oneof.objectives import Batch
from oneof.objectives.views import AgreeingViews

K = 5
ITEMS = torch.tensor([30, 10, 20, 10, 30, 30, 20])  # three items with 3, 2 and 2 views, in no order


def answered(n: int, seed: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    rng = np.random.default_rng(seed)
    subsets = torch.from_numpy(UniformQueries(K, 2).draw(n, rng))
    return torch.from_numpy(rng.normal(size=(len(ITEMS), K))), subsets, torch.from_numpy(rng.random(n) < 0.4)


def naive(logits: Tensor, subsets: Tensor, responses: Tensor, rows: Tensor, flips: tuple[float, float]) -> Tensor:
    """The mean of -log sum_j P(answers | j) (p_1j ... p_Vj)^(1/V) over the items with answers, term by term."""
    p = torch.softmax(logits, 1)
    total, about = logits.new_zeros(()), {int(item) for item in ITEMS[rows]}
    for item in {int(one) for one in ITEMS}:
        terms = p[item == ITEMS].prod(0) ** (1 / int((item == ITEMS).sum()))
        for subset, response, row in zip(subsets, responses, rows, strict=True):
            if ITEMS[row] == item:
                yes = torch.where(subset, 1 - flips[0], flips[1])
                terms = terms * (yes if response else 1 - yes)
        total = total - terms.sum().log()
    return total / len(about)


@pytest.mark.parametrize("flips", [(0.0, 0.0), (0.1, 0.2)])
@pytest.mark.parametrize("seed", range(4))
def test_value_and_gradient_are_those_of_the_formula(flips: tuple[float, float], seed: int) -> None:
    logits, subsets, responses = answered(3, seed)
    rows = torch.tensor([5, 1, 0])  # two answers about different views of item 30, one about item 10, none about 20
    subsets[2], responses[2] = subsets[0], responses[0]  # they do not contradict each other
    logits.requires_grad_()
    expected = naive(logits, subsets, responses, rows, flips)
    (slope,) = torch.autograd.grad(expected, logits)
    given = dict(zip(("flip_yes", "flip_no"), flips, strict=True))
    risk = AgreeingViews()(logits, subsets, responses, rows=rows, items=ITEMS, **given)
    torch.testing.assert_close(risk.value, expected)
    risk.value.backward()
    torch.testing.assert_close(logits.grad, slope)


def test_with_one_view_it_is_the_likelihood() -> None:
    logits, subsets, responses = answered(len(ITEMS))
    likelihood = objectives.create("likelihood")(logits, subsets, responses)
    for items in (None, torch.arange(len(ITEMS))):
        torch.testing.assert_close(
            AgreeingViews()(logits, subsets, responses, items=items).value, likelihood.value, msg=str(items)
        )


def test_it_is_the_likelihood_of_the_pooled_prediction_and_a_disagreement_that_is_never_negative() -> None:
    logits, subsets, responses = answered(1)
    pair = logits[:2]
    pooled = torch.log_softmax(pair, 1).mean(0, keepdim=True)
    risk = AgreeingViews()(pair, subsets, responses, rows=torch.tensor([0]), items=torch.tensor([4, 4]))
    disagreement = -torch.logsumexp(pooled, 1).sum()
    likelihood = objectives.create("likelihood")(pooled, subsets, responses).value
    torch.testing.assert_close(risk.value, likelihood + disagreement)
    assert disagreement > 0
    alike = pair[[0, 0]]
    same = AgreeingViews()(alike, subsets, responses, rows=torch.tensor([0]), items=torch.tensor([4, 4]))
    torch.testing.assert_close(same.value, objectives.create("likelihood")(pair[:1], subsets, responses).value)


def test_with_labels_it_is_the_mean_cross_entropy_of_the_views() -> None:
    logits, _, _ = answered(1)
    labels = torch.tensor([3, 1, 0, 1, 3, 3, 0])
    first = torch.tensor([0, 1, 2])
    subsets = torch.nn.functional.one_hot(labels[first], K).bool()
    risk = AgreeingViews()(logits, subsets, torch.ones(3, dtype=torch.bool), rows=first, items=ITEMS)
    losses = torch.nn.functional.cross_entropy(logits, labels, reduction="none")
    means = torch.stack([losses[item == ITEMS].mean() for item in ITEMS.unique()])
    torch.testing.assert_close(risk.value, means.mean())


def test_the_batch_of_several_views_has_each_answer_once() -> None:
    batch = Batch(torch.ones(2, K, dtype=torch.bool), torch.ones(2, dtype=torch.bool), items=torch.tensor([8, 9]))
    shown = batch.shown(3)
    assert shown.rows is not None
    assert shown.items is not None
    assert shown.rows.tolist() == [0, 1]
    assert shown.items.tolist() == [8, 9, 8, 9, 8, 9]
    assert AgreeingViews().counts(shown) == (2.0,)
    several = batch._replace(rows=torch.tensor([1, 1])).shown(2)
    assert AgreeingViews().counts(several) == (1.0,)


def test_answers_about_two_views_that_contradict_each_other_are_named() -> None:
    logits, _, _ = answered(1)
    subsets = torch.tensor([[True, False, False, False, False]]).repeat(2, 1)
    with pytest.raises(ValueError, match="the answers about the views of item 10 contradict each other"):
        AgreeingViews()(logits, subsets, torch.tensor([True, False]), rows=torch.tensor([1, 3]), items=ITEMS)
