"""Help from the model's probabilities, and from a few labels."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from oneof import Answers, UniformQueries, estimate_accuracy, respond
from oneof.evaluation import accuracy_with_labels, assisted_accuracy


def probabilities(labels: Any, rng: np.random.Generator, k: int) -> Any:
    """A model that is sometimes torn between two classes, and then often wrong."""
    n = len(labels)
    torn = rng.random(n) < 0.4
    other = (labels + rng.integers(1, k, size=n)) % k
    p = np.full((n, k), 0.02 / k)
    share = np.where(torn, rng.uniform(0.2, 0.8, n), 0.97)
    p[np.arange(n), labels] += 0.98 * share
    p[np.arange(n), other] += 0.98 * (1 - share)
    return p


def test_probabilities_take_variance_out_and_keep_the_coverage() -> None:
    rng, held, plain, helped = np.random.default_rng(0), 0, [], []
    truth = np.mean(probabilities(np.zeros(100_000, int), rng, 10).argmax(axis=1) == 0)
    for _ in range(300):
        labels = rng.integers(10, size=800)
        p = probabilities(labels, rng, 10)
        subsets = UniformQueries(10, 3).draw(800, rng)
        answers = Answers(subsets, respond(subsets, labels))
        found = assisted_accuracy(p, answers, check=False)
        held += found.low <= truth <= found.high
        helped.append(found.value)
        plain.append(estimate_accuracy(p.argmax(axis=1), answers, check=False).value)
    assert held / 300 >= 0.92
    assert np.mean(helped) == pytest.approx(truth, abs=0.005)
    assert np.var(helped) < 0.9 * np.var(plain)


def test_labels_correct_answers_whose_flips_nobody_knows() -> None:
    rng, held, naive, widths = np.random.default_rng(1), 0, 0, []
    for _ in range(300):
        labels = rng.integers(10, size=3000)
        predictions = np.where(rng.random(3000) < 0.8, labels, (labels + 1) % 10)
        subsets = UniformQueries(10, 5).draw(3000, rng)
        responses = respond(subsets, labels, flip_yes=0.1, flip_no=0.15, rng=rng)
        answers = Answers(subsets, responses)
        known = np.where(np.arange(3000) < 300, labels, -1)
        found = accuracy_with_labels(predictions, answers, known)
        held += found.low <= 0.8 <= found.high
        blind = estimate_accuracy(predictions, answers, check=False)
        naive += blind.low <= 0.8 <= blind.high
        widths.append(found.width)
    assert held / 300 >= 0.92
    assert naive == 0
    alone = 2 * 1.96 * np.sqrt(0.8 * 0.2 / 300)
    assert np.mean(widths) < alone, "better than the labels alone"


def test_what_they_cannot_do_is_refused(simulate: Callable[..., Any]) -> None:
    labels, predictions, answers = next(simulate(1, 5, 2, 0.8, 50))
    p = np.eye(5)[predictions]
    with pytest.raises(ValueError, match="only estimate_accuracy supports"):
        assisted_accuracy(p, answers.replace(skipped=np.arange(50) == 3))
    with pytest.raises(ValueError, match=r"shape \(items, 5\)"):
        assisted_accuracy(p[:, :4], answers)
    with pytest.raises(ValueError, match=r"row 7 of probabilities is .*nan"):
        assisted_accuracy(np.where(np.arange(50)[:, None] == 7, np.nan, p), answers)
    with pytest.raises(ValueError, match="too few"):
        assisted_accuracy(p, answers[:1])
    with pytest.raises(ValueError, match="some of both kinds"):
        accuracy_with_labels(predictions, answers, np.full(50, -1))
    with pytest.raises(ValueError, match="labels must be class numbers"):
        accuracy_with_labels(predictions, answers, labels[:3])
