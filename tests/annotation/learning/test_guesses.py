"""Guesses after "can't tell": bounds stay valid while they are right often enough, and get narrower."""

import numpy as np
import pytest

from oneof import Answers, PredictionQueries, estimate_accuracy, respond
from oneof.annotation.learning.guesses import largest_error, with_guesses


def skipping(rng, error):
    """A model that is right on 85 % of the items, and people who skip what is hard, where it is right on 50 %."""
    n, k = 800, 10
    truth = rng.integers(k, size=n)
    hard = rng.random(n) < 0.3
    right = rng.random(n) < np.where(hard, 0.5, 1.0)
    predictions = np.where(right, truth, (truth + rng.integers(1, k, size=n)) % k)
    subsets = PredictionQueries(k, 3).draw(predictions, rng)
    said = respond(subsets, truth)
    guess = said ^ (rng.random(n) < error)
    answers = Answers(subsets, said, design="prediction", predicted=predictions, skipped=hard)
    return predictions, answers, hard, guess, right.mean()


@pytest.mark.parametrize("error", [0.0, 0.15])
def test_the_interval_holds_and_is_narrower_than_without_guesses(error):
    rng, covered, widths = np.random.default_rng(5), 0, []
    for _ in range(60):
        predictions, plain, guessed, guess, accuracy = skipping(rng, error)
        told = with_guesses(predictions, plain, guessed, guess, 0.25)
        found, wide = (estimate_accuracy(predictions, some) for some in (told, plain))
        covered += found.low <= accuracy <= found.high
        widths.append(((found.high - found.low), (wide.high - wide.low)))
    assert covered == 60, "bounds that allow for a quarter of wrong guesses cover more than 95 %"
    narrow, wide = np.mean(widths, axis=0)
    assert narrow < 0.75 * wide


def test_without_guesses_or_with_worthless_ones_nothing_changes():
    predictions, plain, guessed, guess, _ = skipping(np.random.default_rng(1), 0.0)
    none = np.zeros(len(plain), dtype=bool)
    assert with_guesses(predictions, plain, none, none, 0.25) is plain
    told = with_guesses(predictions, plain, guessed, guess, 1.0)
    assert np.array_equal(told.skipped, plain.skipped)
    assert not told.responses[told.skipped].any()


def test_the_share_of_wrong_guesses_is_measured_where_enough_are_known():
    assert largest_error(0, 19, 0.25) == 0.25
    assert 0.2 < largest_error(0, 20, 0.25) < 0.24
    assert largest_error(30, 60, 0.25) > 0.5
    # Of 200 guesses that were flipped at a rate of 0.2, 40 are wrong by the coin alone.
    assert largest_error(40, 200, 0.25, flip=0.2) < 0.15
    assert largest_error(0, 200, 0.25, flip=0.2) == 0
    assert largest_error(200, 200, 0.25, flip=0.2) == 1
