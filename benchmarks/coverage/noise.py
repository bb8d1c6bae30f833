"""Data sets of people who err, whose flip rates are estimated."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage.simulated import Draw, Judged, Rng, items
from oneof import Answers, Estimate, PredictionQueries, UniformQueries, class_report, estimate_accuracy, respond
from oneof.noise import rates_from_gold, rates_from_repeated


def _judged(predictions: NDArray[np.int64], rated: Answers) -> Judged:
    """As judged with estimated rates taken as known, and with how many answers they are estimated from."""
    taken_as_known = rated.replace(known_yes=None, known_no=None)
    return Judged(
        0.9,
        partial(estimate_accuracy, predictions, taken_as_known, check=False),
        partial(estimate_accuracy, predictions, rated),
    )


def gold(rho: float, count: int, annotators: int) -> Draw:
    """Rates from `count` gold answers of each annotator; pooled where there is one annotator."""

    def draw(rng: Rng, n: int) -> Judged:
        total = n + count * annotators
        labels, predictions = items(rng, total, 10, 0.9)
        who = np.concatenate([rng.integers(annotators, size=n), np.arange(total - n) % annotators])
        subsets = UniformQueries(10, 3).draw(total, rng)
        responses = respond(subsets, labels, flip_yes=rho, flip_no=rho, rng=rng)
        answers = Answers(subsets, responses, annotators=who.astype(str) if annotators > 1 else None)
        known = np.where(np.arange(total) < n, -1, labels)
        return _judged(predictions, rates_from_gold(answers, known).apply(answers[:n]))

    return draw


COMBINED = ("prediction among decoys", "two answers an item", "one in twenty skipped", "looked at four times")


def combined(kind: str) -> Draw:
    """Three annotators with 8 % error, the rates of each from 100 gold answers, combined with something else (kind)."""

    def draw(rng: Rng, n: int) -> Judged:
        labels, predictions = items(rng, n + 300, 10, 0.9)
        first = np.repeat(np.arange(n), 2 if kind == "two answers an item" else 1)
        about = np.concatenate([first, np.arange(n, n + 300)])
        asked = np.arange(len(about)) < len(first)
        subsets = UniformQueries(10, 3).draw(len(about), rng)
        if kind == "prediction among decoys":
            subsets[asked] = PredictionQueries(10, 3).draw(predictions[:n], rng)
        responses = respond(subsets, labels[about], flip_yes=0.08, flip_no=0.08, rng=rng)
        who = np.arange(len(about)) % 3
        skipped = asked & (rng.random(len(about)) < 0.05) if kind == "one in twenty skipped" else None
        answers = Answers(subsets, responses, about, annotators=who.astype(str), skipped=skipped)
        known = np.where(np.arange(n + 300) < n, -1, labels)
        rated = rates_from_gold(answers, known).apply(answers[: len(first)])
        if kind == "prediction among decoys":
            rated = rated.replace(design=np.full(n, "prediction"), predicted=predictions[:n])
        if kind != "looked at four times":
            return Judged(0.9, None, partial(estimate_accuracy, predictions, rated))

        def worst() -> Estimate:
            seen = [estimate_accuracy(predictions, rated[: n * part // 4], anytime=True) for part in (1, 2, 3, 4)]
            return next((look for look in seen if not look.low <= 0.9 <= look.high), seen[-1])

        return Judged(0.9, None, worst)

    return draw


def repeats(annotators: int) -> Draw:
    """Every third question goes to a second person; 8 % error; rates by annotator, or pooled where there is one."""

    def draw(rng: Rng, n: int) -> Judged:
        labels, predictions = items(rng, n, 10, 0.9)
        once, about = UniformQueries(10, 3).draw(n, rng), np.concatenate([np.arange(n), np.arange(n // 3)])
        responses = respond(once[about], labels[about], flip_yes=0.08, flip_no=0.08, rng=rng)
        who = np.concatenate([np.arange(n) % annotators, (np.arange(n // 3) + 1) % annotators]).astype(str)
        answers = Answers(once[about], responses, about, annotators=who if annotators > 1 else None)
        return _judged(predictions, rates_from_repeated(answers).apply(answers))

    return draw


def of_a_class(figure: str, count: int) -> Draw:
    """Precision, share or recall of one of four classes; 8 % error, the rates from `count` gold answers."""
    truth = {"share": 0.25, "precision": 0.9, "recall": 0.9}[figure]

    def draw(rng: Rng, n: int) -> Judged:
        labels = rng.integers(4, size=n + count)
        predictions = np.where(rng.random(n + count) < 0.9, labels, (labels + 1) % 4)
        subsets = UniformQueries(4, 2).draw(n + count, rng)
        answers = Answers(subsets, respond(subsets, labels, flip_yes=0.08, flip_no=0.08, rng=rng))
        rated = rates_from_gold(answers, np.where(np.arange(n + count) < n, -1, labels)).apply(answers[:n])
        taken_as_known = rated.replace(known_yes=None, known_no=None)

        def judge(some: Answers, check: bool) -> Estimate:
            row = class_report(predictions, some, check=check).iloc[0]
            value, low, high = (float(row[f"{figure}{end}"]) for end in ("", "_low", "_high"))
            return Estimate(value, low, high, len(some))

        return Judged(truth, partial(judge, taken_as_known, False), partial(judge, rated, True))

    return draw
