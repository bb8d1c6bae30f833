"""Data sets that differ in how questions were asked, and in what else is known."""

from functools import partial
from typing import Any

import numpy as np

from benchmarks.coverage.simulated import Draw, Judged, Rng, items
from oneof import Answers, Estimate, PredictionQueries, UniformQueries, estimate_accuracy, respond
from oneof.evaluation import accuracy_with_labels, assisted_accuracy, clopper_pearson, confidence_sequence


def plain(k: int = 10, m: int = 3, accuracy: float = 0.9, **flips: Any) -> Draw:
    """Uniform questions; flips: known flip rates."""

    def draw(rng: Rng, n: int) -> Judged:
        labels, predictions = items(rng, n, k, accuracy)
        subsets = UniformQueries(k, m).draw(n, rng)
        answers = Answers(subsets, respond(subsets, labels, rng=rng, **flips))
        return Judged(
            accuracy,
            partial(estimate_accuracy, predictions, answers, check=False),
            partial(estimate_accuracy, predictions, answers, **flips),
        )

    return draw


def decoys(k: int, accuracy: float = 0.9, **flips: Any) -> Draw:
    """Questions that show the prediction among decoys; flips: known flip rates."""

    def draw(rng: Rng, n: int) -> Judged:
        labels, predictions = items(rng, n, k, accuracy)
        subsets = PredictionQueries(k, 3).draw(predictions, rng)
        responses = respond(subsets, labels, rng=rng, **flips)
        answers = Answers(subsets, responses, design="prediction", predicted=predictions)
        return Judged(accuracy, None, partial(estimate_accuracy, predictions, answers, **flips))

    return draw


def several(per_item: int, accuracy: float) -> Draw:
    """Several answers about each item."""

    def draw(rng: Rng, n: int) -> Judged:
        labels, predictions = items(rng, n, 10, accuracy)
        about = np.repeat(np.arange(n), per_item)
        subsets = UniformQueries(10, 3).draw(len(about), rng)
        answers = Answers(subsets, respond(subsets, labels[about]), about)
        return Judged(accuracy, None, partial(estimate_accuracy, predictions, answers))

    return draw


def looks(rng: Rng, n: int) -> Judged:
    """Looks after every 50th answer from the 100th on; a look whose interval is wrong counts, if there is one."""
    labels, predictions = items(rng, n, 10, 0.9)
    subsets = UniformQueries(10, 3).draw(n, rng)
    answers = Answers(subsets, respond(subsets, labels))

    # The intervals of all looks at once; the look that is wrong, or else the last one, is then judged as usual.
    agreed = np.cumsum(answers.contains(predictions) == answers.responses)
    counts = np.arange(100, n + 1, 50)
    share = UniformQueries(10, 3).agreement_by_chance
    truth = 0.9 + 0.1 * share

    def worst(anytime: bool) -> Estimate:
        low, high = (confidence_sequence if anytime else clopper_pearson)(agreed[counts - 1], counts, 0.95)
        wrong = (low > truth) | (high < truth)
        look = int(counts[np.argmax(wrong)] if wrong.any() else n)
        return estimate_accuracy(predictions, answers[:look], check=False, anytime=anytime)

    return Judged(0.9, partial(worst, False), partial(worst, True))


def trained_on(rng: Rng, n: int) -> Judged:
    """Half of the answers are about items trained on, where the model is right in 95 % instead of 45 %."""
    labels, predictions = items(rng, n, 10, 0.45)
    half = np.arange(n // 2)
    predictions[half] = np.where(rng.random(n // 2) < 0.9, labels[half], predictions[half])
    subsets = UniformQueries(10, 3).draw(n, rng)
    answers = Answers(subsets, respond(subsets, labels))
    return Judged(
        0.45,
        partial(estimate_accuracy, predictions, answers, check=False),
        partial(estimate_accuracy, predictions, answers, trained_on=half),
    )


def adaptive(rng: Rng, n: int) -> Judged:
    """Questions where the model errs, and among them a fifth of uniform questions."""
    labels, predictions = items(rng, n, 10, 0.8)
    chosen = rng.random(n) < np.where(predictions == labels, 0.6, 0.95)
    uniform = rng.random(n) < 0.2  # drawn before anything was chosen
    subsets = UniformQueries(10, 3).draw(n, rng)
    answers = Answers(subsets, respond(subsets, labels), design=np.where(uniform, "uniform", "adaptive"))
    easy = answers[~chosen].replace(design="uniform")
    return Judged(
        0.8,
        partial(estimate_accuracy, predictions, easy, check=False),
        partial(estimate_accuracy, predictions, answers),
    )


def inverted(rng: Rng, n: int) -> Judged:
    """One of four annotators presses the wrong button throughout."""
    labels, predictions = items(rng, n, 10, 0.9)
    who = np.arange(n) % 4
    subsets = UniformQueries(10, 3).draw(n, rng)
    answers = Answers(subsets, respond(subsets, labels) ^ (who == 3), annotators=who.astype(str))
    return Judged(
        0.9,
        partial(estimate_accuracy, predictions, answers, check=False),
        partial(estimate_accuracy, predictions, answers),
    )


def other_law(kind: str) -> Draw:
    """Answers that were not made by uniform questions, though they claim to be: they have to be refused."""

    def draw(rng: Rng, n: int) -> Judged:
        labels, predictions = items(rng, n, 10, 0.5)
        rows = np.arange(n)
        if kind == "complementary labels":
            subsets = np.eye(10, dtype=bool)[(labels + rng.integers(1, 10, size=n)) % 10]
        elif kind == "candidate sets":
            subsets = rng.random((n, 10)) < 0.3
            subsets[rows, labels], subsets[rows, (labels + 1) % 10] = True, False
        elif kind == "exact labels":
            subsets = np.eye(10, dtype=bool)[labels]
        else:
            subsets = UniformQueries(10, 3).draw(n, rng) | (rng.random((n, 1)) < 0.4) * np.eye(10, dtype=bool)[:1]
        answers = Answers(subsets, respond(subsets, labels))
        return Judged(
            0.5,
            partial(estimate_accuracy, predictions, answers, check=False),
            partial(estimate_accuracy, predictions, answers),
        )

    return draw


def assisted(rng: Rng, n: int) -> Judged:
    """A model that wavers between two classes for 40 % of the items, and is right about half of these."""
    labels, rows = rng.integers(10, size=n), np.arange(n)
    share = np.where(rng.random(n) < 0.4, rng.uniform(0.2, 0.8, n), 0.97)
    p = np.full((n, 10), 0.002)
    p[rows, labels] += 0.98 * share
    p[rows, (labels + rng.integers(1, 10, size=n)) % 10] += 0.98 * (1 - share)
    subsets = UniformQueries(10, 3).draw(n, rng)
    answers = Answers(subsets, respond(subsets, labels))
    return Judged(0.8, partial(estimate_accuracy, p.argmax(axis=1), answers), partial(assisted_accuracy, p, answers))


def few_labels(rng: Rng, n: int) -> Judged:
    """300 labels, and answers with unknown flip rates: 10 % of yes and 15 % of no are wrong."""
    labels, predictions = items(rng, n, 10, 0.8)
    subsets = UniformQueries(10, 5).draw(n, rng)
    answers = Answers(subsets, respond(subsets, labels, flip_yes=0.1, flip_no=0.15, rng=rng))
    known = np.where(np.arange(n) < 300, labels, -1)
    return Judged(
        0.8,
        partial(estimate_accuracy, predictions, answers, check=False),
        partial(accuracy_with_labels, predictions, answers, known),
    )
