"""Data sets with skips, and with a guess after each skip."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage.simulated import Draw, Judged, Rng, items
from oneof import Answers, Estimate, PredictionQueries, UniformQueries, estimate_accuracy, respond
from oneof.annotation.learning.guesses import largest_error, with_guesses
from oneof.noise import rates_from_gold


def twins(rng: Rng, n: int) -> tuple[NDArray[np.int64], Answers, NDArray[np.bool_]]:
    """Predictions, 85 % of them right, answers, and which of these are skipped, (n,).

    30 % of the items may be either of two classes; people skip a question that separates the two.
    """
    labels = rng.integers(10, size=n)
    hard, twin, rows = rng.random(n) < 0.3, labels ^ 1, np.arange(n)
    predictions = np.where(hard & (rng.random(n) < 0.5), twin, labels)
    subsets = UniformQueries(10, 3).draw(n, rng)
    skipped = hard & (subsets[rows, labels] != subsets[rows, twin])
    return predictions, Answers(subsets, respond(subsets, labels), skipped=skipped), skipped


def skips(rng: Rng, n: int) -> Judged:
    """Items that may be either of two classes, skipped where the question separates them."""
    predictions, answers, _ = twins(rng, n)
    return Judged(
        0.85,
        partial(estimate_accuracy, predictions, answers.answered, check=False),
        partial(estimate_accuracy, predictions, answers),
    )


GUESSES = (
    "exact people",
    "8% error, 100 gold answers each",
    "prediction among decoys",
    "flipped on purpose",
    "looked at four times",
    "the share asserted",
)


def guesses(kind: str, error: float = 0.15) -> Draw:
    """One in ten skipped, and a guess after each; 60 guesses about known items measure how many are wrong."""

    def draw(rng: Rng, n: int) -> Judged:
        rho, flip = 0.08 if "error" in kind else 0.0, 0.1 if kind == "flipped on purpose" else 0.0
        labels, predictions = items(rng, n + 300, 10, 0.9)
        subsets = UniformQueries(10, 3).draw(n + 300, rng)
        if kind == "prediction among decoys":
            subsets[:n] = PredictionQueries(10, 3).draw(predictions[:n], rng)
        true = respond(subsets, labels)
        skipped = rng.random(n + 300) < 0.1
        skipped[n:] = False
        coin = rng.random(n + 300) < flip
        responses = respond(subsets, labels, flip_yes=rho, flip_no=rho, rng=rng) ^ coin
        guessed = (true ^ (rng.random(n + 300) < error) ^ coin)[:n]
        who = (np.arange(n + 300) % 3).astype(str)
        answers = Answers(subsets, responses, annotators=who, skipped=skipped)
        rated = answers[:n].replace(flip_yes=flip, flip_no=flip, randomised=flip) if flip else answers[:n]
        if rho:
            rated = rates_from_gold(answers, np.where(np.arange(n + 300) < n, -1, labels)).apply(rated)
        if kind == "prediction among decoys":
            rated = rated.replace(design=np.full(n, "prediction"), predicted=predictions[:n])
        wrong = int(((rng.random(60) < error) ^ (rng.random(60) < flip)).sum())
        bound = error if kind == "the share asserted" else largest_error(wrong, 60, 1.0, flip)
        counted = with_guesses(predictions, rated, skipped[:n], guessed, bound)
        if kind != "looked at four times":
            return Judged(0.9, None, lambda: estimate_accuracy(predictions, counted))

        def worst() -> Estimate:
            seen = []
            for part in (1, 2, 3, 4):
                first = slice(0, n * part // 4)
                some = with_guesses(predictions, rated[first], skipped[:n][first], guessed[first], bound)
                seen.append(estimate_accuracy(predictions, some, anytime=True))
            return next((look for look in seen if not look.low <= 0.9 <= look.high), seen[-1])

        return Judged(0.9, None, worst)

    return draw


def look_alikes(rng: Rng, n: int) -> Judged:
    """Items that may be either of two classes: where the question separates them, people toss a coin."""
    predictions, answers, skipped = twins(rng, n)
    coin, bound = rng.random(n) < 0.5, largest_error(int(rng.binomial(60, 0.5)), 60, 1.0)

    def judge(error: float) -> Estimate:
        return estimate_accuracy(predictions, with_guesses(predictions, answers, skipped, coin, error))

    return Judged(0.85, partial(judge, 0.25), partial(judge, bound))
