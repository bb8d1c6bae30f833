"""Accuracy and risk without labels: do the intervals hold what they promise?"""

from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from scipy import stats
from torch import Tensor

from oneof import Answers, Estimate, UniformQueries, WeightedQueries, estimate_accuracy, estimate_risk, respond
from oneof.evaluation import agreement_rates, clopper_pearson, metrics
from oneof.objectives import create, losses

REPETITIONS = 2000


def predict(labels: NDArray[np.int64], k: int, accuracy: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Right with probability `accuracy`, otherwise the next class or, less often, any other."""
    step = np.where(rng.random(len(labels)) < 0.7, 1, rng.integers(1, k, size=len(labels)))
    return np.where(rng.random(len(labels)) < accuracy, labels, (labels + step) % k)


def coverage(
    k: int,
    m: int,
    accuracy: float,
    *,
    items: int = 150,
    per_item: int = 1,
    repetitions: int = REPETITIONS,
    **flips: float,
) -> float:
    """The share of intervals that hold the truth; everything is drawn at once, then judged in pieces."""
    rng = np.random.default_rng([k, m, int(1000 * accuracy), items, per_item])
    total = items * repetitions
    labels = rng.integers(k, size=total)
    predictions = predict(labels, k, accuracy, rng)
    about = np.repeat(np.arange(total), per_item)
    subsets = UniformQueries(k, m).draw(len(about), rng)
    said = respond(subsets, labels[about], rng=rng, **flips)
    inside, rows = np.repeat(np.arange(items), per_item), items * per_item
    held = 0
    for i in range(repetitions):
        part = slice(i * rows, (i + 1) * rows)
        answers = Answers(subsets[part], said[part], inside)
        estimate = estimate_accuracy(predictions[i * items : (i + 1) * items], answers, **flips)
        held += estimate.low <= accuracy <= estimate.high
    return held / repetitions


@pytest.mark.parametrize(
    ("k", "m", "accuracy"), [(10, 3, 0.9), (10, 7, 0.6), (5, 2, 0.98), (2, 1, 0.75), (20, 10, 0.1)]
)
def test_the_exact_interval_covers(k: int, m: int, accuracy: float) -> None:
    assert coverage(k, m, accuracy) >= 0.95


@pytest.mark.parametrize(("k", "m", "accuracy"), [(10, 3, 0.9), (6, 4, 0.7)])
def test_the_exact_interval_covers_with_flips(k: int, m: int, accuracy: float) -> None:
    assert coverage(k, m, accuracy, flip_yes=0.15, flip_no=0.05) >= 0.95


@pytest.mark.parametrize(
    ("k", "m", "accuracy", "items", "per_item"),
    [(10, 3, 0.9, 150, 2), (10, 3, 0.99, 80, 3), (10, 5, 0.5, 60, 2), (4, 2, 0.97, 60, 4), (2, 1, 0.02, 60, 2)],
)
def test_several_answers_an_item(k: int, m: int, accuracy: float, items: int, per_item: int) -> None:
    """The interval is approximate here, so one percent of slack; a perfect agreement must not mean no width."""
    assert coverage(k, m, accuracy, items=items, per_item=per_item) >= 0.94


def test_several_answers_an_item_with_flips() -> None:
    assert coverage(10, 3, 0.95, items=100, per_item=3, flip_yes=0.05, flip_no=0.1) >= 0.94


def test_clopper_pearson_is_scipys() -> None:
    for successes, n in [(0, 5), (5, 5), (3, 7), (950, 1000)]:
        wanted = stats.binomtest(successes, n).proportion_ci(0.9, method="exact")
        assert clopper_pearson(successes, n, 0.9) == pytest.approx((wanted.low, wanted.high), abs=1e-9)


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
        predictions = predict(labels, k, 0.9, rng)
        subsets = UniformQueries(k, m).draw(n, rng)
        said = respond(subsets, labels)
        ours.append(estimate_accuracy(predictions, Answers(subsets, said)).value)
        scores = torch.nn.functional.one_hot(torch.from_numpy(predictions), k).double()
        batch = scores, torch.from_numpy(subsets), torch.from_numpy(said)
        papers.append(1 - objective(*batch, flip_yes=0.0).raw.item())  # rates, even of zero, ask for the weights
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
        estimate = estimate_accuracy(predict(labels, k, accuracy, rng), answers, queries=queries, **flips)
        held += estimate.low <= accuracy <= estimate.high
        values.append(estimate.value)
    assert held / repetitions >= 0.935, "more than three standard errors below 0.95"
    assert np.mean(values) == pytest.approx(accuracy, abs=0.02)


def test_the_rate_of_agreement_by_enumeration() -> None:
    for k, m in [(2, 1), (5, 2), (6, 5)]:
        table = np.array([[i >> j & 1 for j in range(k)] for i in range(2**k)], dtype=bool)
        table = table[table.sum(axis=1) == m]
        for rho1, rho0 in [(0.0, 0.0), (0.2, 0.1)]:
            p_yes = np.where(table, 1 - rho1, rho0)
            agree = lambda y, guess: np.where(table[:, guess], p_yes[:, y], 1 - p_yes[:, y]).mean()  # noqa: B023, E731
            right, wrong = agreement_rates(k, m, rho1, rho0)
            assert right == pytest.approx(agree(0, 0))
            assert all(wrong == pytest.approx(agree(0, guess)) for guess in range(1, k))
            if not rho1:
                assert wrong == pytest.approx(UniformQueries(k, m).agreement_by_chance)


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
    estimate = estimate_accuracy(predict(labels, k, 0.8, rng), answers)
    assert estimate.low <= 0.8 <= estimate.high
    assert estimate.high - estimate.low < 0.12


def test_adaptive_answers_do_not_judge() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(5, size=300)
    subsets = UniformQueries(5, 2).draw(300, rng)
    said = respond(subsets, labels)
    adaptive = np.arange(300) % 3 == 0
    told = np.where(adaptive, ~said, said)
    rates = np.where(adaptive, 0.4, 0.0)
    estimate = estimate_accuracy(labels, Answers(subsets, told, adaptive=adaptive, flip_yes=rates))
    assert estimate == estimate_accuracy(labels, Answers(subsets, said, flip_yes=rates)[~adaptive])
    assert estimate.n == 200
    with pytest.raises(ValueError, match="no answers to randomly drawn questions"):
        estimate_accuracy(labels, Answers(subsets, told, adaptive=np.ones(300, bool)))


def test_perfect_agreement_has_a_width() -> None:
    labels = np.zeros(40, dtype=int)
    subsets = UniformQueries(4, 2).draw(80, 0)
    for items in (np.arange(80) // 2, np.arange(80) % 40):
        estimate = estimate_accuracy(labels, Answers(subsets, subsets[:, 0], items))
        assert estimate.value == 1
        assert 0.75 < estimate.low < 0.97
    alone = estimate_accuracy([0], Answers(subsets[:2], subsets[:2, 0], [0, 0]))
    assert (alone.low, alone.high) == (0, 1)


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
    estimate = estimate_risk(logits, answers, loss, queries=queries)
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
        said = respond(subsets, labels[chosen], flip_yes=0.1, flip_no=0.2, rng=rng)
        answers = Answers(subsets, said, chosen, flip_yes=0.1, flip_no=0.2)
        estimate = estimate_risk(logits, answers, "mse")
        held += estimate.low <= truth <= estimate.high
    assert held / 400 >= 0.93


def test_metrics() -> None:
    found = metrics([0, 1, 1, 2], [0, 1, 2, 2], classes=4)
    assert found["accuracy"] == 0.75
    assert found["per_class_accuracy"][:3].tolist() == [1.0, 0.5, 1.0]
    assert np.isnan(found["per_class_accuracy"][3])
    assert found["confusion"].tolist() == [[1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 1, 0], [0, 0, 0, 0]]


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


def test_bad_logits() -> None:
    answers = Answers([[True, False, False]], [True])
    with pytest.raises(ValueError, match=r"logits must have shape \(items, 3\), not \(1, 4\)"):
        estimate_risk(np.zeros((1, 4)), answers)
    with pytest.raises(ValueError, match="unknown loss"):
        estimate_risk(np.zeros((1, 3)), answers, "hinge")
