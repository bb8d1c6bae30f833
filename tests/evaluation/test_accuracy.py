"""Accuracy without labels: do the intervals hold what they promise?"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from scipy import stats
from torch import Tensor

from oneof import Answers, Estimate, UniformQueries, WeightedQueries, estimate_accuracy, respond
from oneof.evaluation.accuracy import accuracy_by_counts
from oneof.evaluation.agreement import Agreements, decoy_rates
from oneof.objectives import create

REPETITIONS = 400
SLACK = 0.02
"""Two standard errors of a coverage of 95 % in 400 repetitions."""


@pytest.mark.parametrize(
    ("k", "m", "accuracy", "options"),
    [
        (10, 3, 0.9, {}),
        (20, 10, 0.1, {}),
        (2, 1, 0.75, {}),
        (10, 3, 0.9, {"flip_yes": 0.15, "flip_no": 0.05}),
        (37, 4, 0.9, {"decoys": True}),
        (200, 3, 0.8, {"decoys": True, "flip_yes": 0.05, "flip_no": 0.05}),
    ],
)
def test_the_exact_interval_covers(
    simulate: Callable[..., Any],
    covered: Callable[..., float],
    k: int,
    m: int,
    accuracy: float,
    options: dict[str, Any],
) -> None:
    rates = {name: rate for name, rate in options.items() if name != "decoys"}
    data = simulate(REPETITIONS, k, m, accuracy, 150, **options)
    found = [estimate_accuracy(predictions, answers, check=False, **rates) for _, predictions, answers in data]
    assert {one.kind for one in found} == {"exact"}
    assert covered(accuracy, iter(found)) >= 0.95 - SLACK


@pytest.mark.parametrize(
    ("k", "m", "accuracy", "items", "per_item", "flips"),
    [
        (10, 3, 0.9, 150, 2, {}),
        (10, 3, 0.99, 80, 3, {}),
        (2, 1, 0.02, 60, 2, {}),
        (10, 3, 0.95, 100, 3, {"flip_yes": 0.05, "flip_no": 0.1}),
    ],
)
def test_several_answers_an_item(
    simulate: Callable[..., Any],
    covered: Callable[..., float],
    k: int,
    m: int,
    accuracy: float,
    items: int,
    per_item: int,
    flips: dict[str, float],
) -> None:
    """The interval is asymptotic; a perfect agreement must not mean no width."""
    data = simulate(REPETITIONS, k, m, accuracy, items, per_item=per_item, **flips)
    found = [estimate_accuracy(predictions, answers, check=False, **flips) for _, predictions, answers in data]
    assert {one.kind for one in found} == {"asymptotic"}
    assert covered(accuracy, iter(found)) >= 0.95 - SLACK


@pytest.mark.parametrize(("k", "n", "accuracy"), [(10, 300, 0.9), (37, 100, 0.8), (1000, 50, 0.99)])
def test_the_coverage_with_decoys_by_enumeration(k: int, n: int, accuracy: float) -> None:
    """Every number of yes, weighed by its chance: no simulation, and so no luck."""
    right, wrong = decoy_rates(k, 3)
    yes = np.arange(n + 1)
    chance = stats.binom.pmf(yes, n, wrong + accuracy * (right - wrong))
    one = np.ones(1)
    found = [
        accuracy_by_counts(Agreements(one * right, one * wrong, one * count, 0 * one, one * n), 0.95) for count in yes
    ]
    held = [end.low <= accuracy <= end.high for end in found]
    assert float(chance @ held) >= 0.95


def test_decoys_need_a_small_part_of_the_answers(simulate: Callable[..., Any]) -> None:
    widths = []
    for decoys in (True, False):
        _, predictions, answers = next(simulate(1, 100, 3, 0.9, 600, decoys=decoys))
        widths.append(estimate_accuracy(predictions, answers).width)
    assert widths[0] < 0.06
    assert widths[1] > 3 * widths[0]


def test_looked_at_all_the_time_an_anytime_interval_stays_right(simulate: Callable[..., Any]) -> None:
    wrong = {False: 0, True: 0}
    for _, predictions, answers in simulate(40, 10, 3, 0.9, 1000):
        for anytime in (False, True):
            looks = (
                estimate_accuracy(predictions, answers[:n], anytime=anytime, check=False) for n in range(50, 1001, 50)
            )
            wrong[anytime] += any(not one.low <= 0.9 <= one.high for one in looks)
    assert wrong[True] <= 4
    assert wrong[False] > wrong[True] + 2, "an interval for one look is not one for twenty"


def test_an_anytime_interval_takes_one_answer_per_item(simulate: Callable[..., Any]) -> None:
    _, predictions, answers = next(simulate(1, 10, 3, 0.9, 200, per_item=3))
    found = estimate_accuracy(predictions, answers, anytime=True)
    assert (found.n, found.kind) == (200, "anytime")
    assert "400 other answers were not used" in found.notes[-1]
    with pytest.raises(ValueError, match="anytime interval needs uniform questions"):
        estimate_accuracy(predictions, answers, anytime=True, queries=weighted(10), check=False)


def test_skips_that_hide_the_hard_cases_do_not_make_a_model_perfect() -> None:
    """30 % of the items look like one of two classes, and are skipped where the question separates the two."""
    rng, held, naive = np.random.default_rng(0), 0, 0
    for _ in range(200):
        labels = rng.integers(10, size=800)
        hard = rng.random(800) < 0.3
        twin = labels ^ 1
        predictions = np.where(hard & (rng.random(800) < 0.5), twin, labels)
        subsets = UniformQueries(10, 3).draw(800, rng)
        rows = np.arange(800)
        skipped = hard & (subsets[rows, labels] != subsets[rows, twin])
        answers = Answers(subsets, respond(subsets, labels), skipped=skipped)
        found = estimate_accuracy(predictions, answers, check=False)
        held += found.low <= 0.85 <= found.high
        some = estimate_accuracy(predictions, answers.answered, check=False)
        naive += some.low <= 0.85 <= some.high
    assert held == 200
    assert naive == 0, "as if skips had never been"


def test_skips_widen_by_their_share(simulate: Callable[..., Any]) -> None:
    _, predictions, answers = next(simulate(1, 10, 3, 0.9, 1000))
    known = estimate_accuracy(predictions, answers)
    found = estimate_accuracy(predictions, answers.replace(skipped=np.arange(1000) < 50))
    c0 = UniformQueries(10, 3).agreement_by_chance
    assert found.width - known.width == pytest.approx(0.05 / (1 - c0), abs=0.02)
    assert "50 skips" in found.notes[0]
    nothing = estimate_accuracy(predictions, answers.replace(skipped=np.ones(1000, bool)), check=False)
    assert (nothing.low, nothing.high) == (0, 1)
    several = answers.replace(items=np.arange(1000) // 2, skipped=np.arange(1000) < 50)
    assert estimate_accuracy(predictions[::2], several, check=False).width > known.width


def test_kinds_of_answers_together_hold_at_least(covered: Callable[..., float], simulate: Callable[..., Any]) -> None:
    """Uniform questions of two sizes and predictions among decoys, one answer per item."""
    parts = [
        simulate(200, 10, 3, 0.9, 150),
        simulate(200, 10, 5, 0.9, 100),
        simulate(200, 10, 3, 0.9, 101, decoys=True),
    ]
    found = []
    for drawn in zip(*parts, strict=True):
        predictions = np.concatenate([one[1] for one in drawn])
        starts = np.cumsum([0, *(len(one[1]) for one in drawn[:-1])])
        shifted = [one[2].replace(items=one[2].items + start) for one, start in zip(drawn, starts, strict=True)]
        found.append(estimate_accuracy(predictions, Answers.concat(shifted), check=False))
    assert {one.kind for one in found} == {"at least"}
    assert covered(0.9, iter(found)) >= 0.93


def test_tighter_than_the_weights_of_the_paper() -> None:
    """Accuracy 0.9, k = 10, m = 3: at least three times less variance than the paper's weights on the 0-1 loss.

    Its difference of group means, which conditions on the number of yes, comes much closer, but not as close.
    """
    k, m, n, rng = 10, 3, 400, np.random.default_rng(0)

    def zero_one(scores: Tensor) -> Tensor:
        return (torch.arange(k) != scores.argmax(dim=1, keepdim=True)).to(scores.dtype)

    objective = create("ure", loss=zero_one, weights="paper")
    ours, papers, group_means = [], [], []
    for _ in range(400):
        labels = rng.integers(k, size=n)
        predictions = np.where(rng.random(n) < 0.9, labels, (labels + 1) % k)
        subsets = UniformQueries(k, m).draw(n, rng)
        responses = respond(subsets, labels)
        ours.append(estimate_accuracy(predictions, Answers(subsets, responses), check=False).value)
        scores = torch.nn.functional.one_hot(torch.from_numpy(predictions), k).double()
        batch = scores, torch.from_numpy(subsets), torch.from_numpy(responses)
        papers.append(1 - objective(*batch, flip_yes=1e-12).raw.item())  # with flips it weighs answer by answer
        group_means.append(1 - objective(*batch).raw.item())
    assert np.mean(ours) == pytest.approx(0.9, abs=0.01)
    assert np.mean(papers) == pytest.approx(0.9, abs=0.02)
    assert np.mean(group_means) == pytest.approx(0.9, abs=0.02)
    assert np.var(papers) / np.var(ours) >= 3
    assert np.var(group_means) / np.var(ours) >= 1.1


def weighted(k: int) -> WeightedQueries:
    rng = np.random.default_rng(k)
    table = np.array([[i >> j & 1 for j in range(k)] for i in range(1, 2**k - 1)])
    return WeightedQueries(table, rng.dirichlet(np.ones(len(table))))


@pytest.mark.parametrize("flips", [{}, {"flip_yes": 0.1, "flip_no": 0.15}])
@pytest.mark.parametrize("accuracy", [0.6, 0.95])
def test_general_queries_by_weights(flips: dict[str, float], accuracy: float) -> None:
    k, n, repetitions = 5, 400, REPETITIONS
    queries, rng = weighted(k), np.random.default_rng(1)
    held, values = 0, []
    for _ in range(repetitions):
        labels = rng.integers(k, size=n)
        subsets = queries.draw(n, rng)
        answers = Answers(subsets, respond(subsets, labels, rng=rng, **flips))
        predictions = np.where(rng.random(n) < accuracy, labels, (labels + 1) % k)
        estimate = estimate_accuracy(predictions, answers, queries=queries, check=False, **flips)
        held += estimate.low <= accuracy <= estimate.high
        values.append(estimate.value)
    assert held / repetitions >= 0.95 - SLACK
    assert np.mean(values) == pytest.approx(accuracy, abs=0.02)


def test_the_value_is_the_rescaled_agreement() -> None:
    subsets = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 0, 1], [0, 0, 1, 1]], dtype=bool)
    answers = Answers(subsets, [True, True, False, True])
    estimate = estimate_accuracy([0, 1, 1, 0], answers)
    c0 = (2 * 1 + 2 * 1) / 12
    assert estimate == Estimate(
        pytest.approx((0.75 - c0) / (1 - c0)), pytest.approx(0.0), pytest.approx(0.99053, abs=1e-4), 4
    )
    assert str(estimate).startswith("0.6250 [0.0000, 0.99")


def test_mixed_sizes_and_mixed_rates() -> None:
    rng = np.random.default_rng(0)
    n, k = 4000, 6
    labels = rng.integers(k, size=n)
    subsets = np.where(
        (np.arange(n) % 2 == 0)[:, None], UniformQueries(k, 2).draw(n, rng), UniformQueries(k, 3).draw(n, rng)
    )
    rates = rng.uniform(0, 0.3, n)
    answers = Answers(subsets, respond(subsets, labels, flip_yes=rates, rng=rng), flip_yes=rates)
    estimate = estimate_accuracy(np.where(rng.random(n) < 0.8, labels, (labels + 1) % k), answers)
    assert estimate.low <= 0.8 <= estimate.high
    assert estimate.high - estimate.low < 0.12


def test_adaptive_answers_do_not_judge() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(5, size=300)
    subsets = UniformQueries(5, 2).draw(300, rng)
    responses = respond(subsets, labels)
    adaptive = np.arange(300) % 3 == 0
    partly_wrong = np.where(adaptive, ~responses, responses)
    rates = np.where(adaptive, 0.4, 0.0)
    estimate = estimate_accuracy(labels, Answers(subsets, partly_wrong, adaptive=adaptive, flip_yes=rates))
    assert estimate == estimate_accuracy(labels, Answers(subsets, responses, flip_yes=rates)[~adaptive])
    assert estimate.n == 200
    with pytest.raises(ValueError, match="no answers to randomly drawn questions"):
        estimate_accuracy(labels, Answers(subsets, partly_wrong, adaptive=np.ones(300, bool)))


def test_perfect_agreement_has_a_width() -> None:
    labels = np.zeros(40, dtype=int)
    subsets = UniformQueries(4, 2).draw(80, 0)
    for items in (np.arange(80) // 2, np.arange(80) % 40):
        estimate = estimate_accuracy(labels, Answers(subsets, subsets[:, 0], items))
        assert estimate.value == 1
        assert 0.75 < estimate.low < 0.97
    alone = estimate_accuracy([0], Answers(subsets[:2], subsets[:2, 0], [0, 0]))
    assert (alone.low, alone.high) == (0, 1)


@pytest.mark.parametrize(
    ("predictions", "options", "message"),
    [
        ([0.5, 1.0], {}, "predictions must be class numbers"),
        ([[0], [1]], {}, "predictions must be class numbers"),
        ([0, 3], {}, r"predictions must be in 0\.\.2, found 0\.\.3"),
        ([-1, 0], {}, r"predictions must be in 0\.\.2"),
        ([0], {}, "there are answers about item 1, but only 1 items"),
        ([0, 1], {"confidence": 1.0}, "confidence must be between 0 and 1"),
        ([0, 1], {"flip_yes": 0.6, "flip_no": 0.4}, r"flip_yes \+ flip_no must be less than 1, but is 1 for answer 0"),
        ([0, 1], {"flip_yes": [0.1]}, r"flip_yes must have shape \(2,\)"),
        ([0, 1], {"queries": UniformQueries(4, 2)}, "queries over 4 classes, but answers over 3"),
        ([0, 1], {"queries": weighted(4)}, "queries over 4 classes, but answers over 3"),
    ],
)
def test_bad_input(predictions: Any, options: dict[str, Any], message: str) -> None:
    answers = Answers([[True, False, False], [False, True, False]], [True, False])
    with pytest.raises(ValueError, match=message):
        estimate_accuracy(predictions, answers, **options)
