"""Learning rate and weight decay by held-out answers."""

import numpy as np
import pytest
import torch

from oneof import Answers, UniformQueries, respond
from oneof.engines.local import Local
from oneof.training import Config, Diverged, Features, Fitted, search
from oneof.training.search import search_settings
from oneof.training.splits import split

GRID = {"learning_rate": (1e-7, 1e-2), "weight_decay": (1e-4, 1e-2)}
QUICK = Config(epochs=8, batch_size=32, width=24, holdout=0.25)


@pytest.fixture(scope="module")
def task():
    rng = np.random.default_rng(0)
    labels = rng.integers(4, size=320)
    x = rng.normal(size=(320, 6)).astype(np.float32)
    x[np.arange(320), labels] += 4
    subsets = UniformQueries(4, 2).draw(320, rng)
    return Features(x), labels, Answers(subsets, respond(subsets, labels))


def spied(monkeypatch) -> list[tuple[Config, Answers]]:
    seen: list[tuple[Config, Answers]] = []
    real = search.fit

    def spy(features, answers, config):
        seen.append((config, answers))
        return real(features, answers, config)

    monkeypatch.setattr(search, "fit", spy)
    return seen


def test_a_grid_of_two_by_two(task, monkeypatch):
    features, _, answers = task
    seen = spied(monkeypatch)
    best = search_settings(features, answers, QUICK, grid=GRID)
    assert [(c.learning_rate, c.weight_decay) for c, _ in seen] == [
        (1e-7, 1e-4),
        (1e-7, 1e-2),
        (1e-2, 1e-4),
        (1e-2, 1e-2),
    ]
    assert best.config.learning_rate == 1e-2, "a rate of nearly nothing cannot win"
    assert best.accuracy.low > 0.5


def test_the_answers_that_judge_have_neither_trained_nor_chosen(task, monkeypatch):
    features, _, answers = task
    seen = spied(monkeypatch)
    best = search_settings(features, answers, QUICK, grid={"learning_rate": (1e-2,)})
    judging = split(answers, 0.25, QUICK.seed + 1).judging
    assert best.accuracy.n == len(judging) == 80
    assert all(not set(used.items) & set(judging.items) for _, used in seen)


def test_optuna_with_three_trials(task, monkeypatch):
    features, _, answers = task
    seen = spied(monkeypatch)
    best = search_settings(features, answers, QUICK, how="optuna", trials=3, grid=GRID)
    assert len(seen) == 3
    assert len({c.learning_rate for c, _ in seen}) == 3
    assert all(1e-7 <= c.learning_rate <= 1e-2 and 1e-4 <= c.weight_decay <= 1e-2 for c, _ in seen)
    assert best.config.learning_rate in {c.learning_rate for c, _ in seen}
    rates = [c.learning_rate for c, _ in seen]
    seen.clear()
    search_settings(features, answers, QUICK, how="optuna", trials=3, grid=GRID)
    assert [c.learning_rate for c, _ in seen] == rates, "the seed fixes the search"


def test_a_setting_that_diverges_loses_and_does_not_end_the_search(task):
    features, _, answers = task
    rates = {"learning_rate": (1e30, 1e-2), "weight_decay": (1.0,)}
    assert search_settings(features, answers, QUICK, grid=rates).config.learning_rate == 1e-2


def test_a_search_in_which_everything_diverges_says_so(task):
    features, _, answers = task
    with pytest.raises(Diverged, match=r"every setting of the search diverged; the last one: .*learning rate"):
        search_settings(features, answers, QUICK, grid={"learning_rate": (1e30,), "weight_decay": (1.0,)})


def same(one: Fitted, other: Fitted) -> bool:
    weights, others = one.network.state_dict(), other.network.state_dict()
    equal = all(torch.equal(weights[name], others[name]) for name in weights)
    return equal and (one.config, one.best_epoch, one.accuracy) == (other.config, other.best_epoch, other.accuracy)


@pytest.mark.slow
def test_two_processes_find_what_one_finds(task):
    features, _, answers = task
    here = search_settings(features, answers, QUICK, grid=GRID)
    assert same(search_settings(features, answers, QUICK, grid=GRID, engine=Local(2)), here)


def test_a_search_that_was_cut_off_goes_on(task, monkeypatch, tmp_path):
    features, _, answers = task
    # The good rate first, so that the winner is among the finished trials, of which only the scores are left.
    order = {"learning_rate": (1e-2, 1e-7), "weight_decay": (1e-2, 1e-4)}
    whole = search_settings(features, answers, QUICK, grid=order)
    winner = whole.config.learning_rate, whole.config.weight_decay
    real, path = search.fit, tmp_path / "scores.json"

    def interrupted(features, answers, config):
        if len(seen) == 3:
            raise KeyboardInterrupt
        return real(features, answers, config)

    seen = []
    monkeypatch.setattr(search, "fit", lambda *given: (interrupted(*given), seen.append(given))[0])
    with pytest.raises(KeyboardInterrupt):
        search_settings(features, answers, QUICK, grid=order, path=path)
    monkeypatch.setattr(search, "fit", real)
    seen = spied(monkeypatch)
    resumed = search_settings(features, answers, QUICK, grid=order, path=path, resume=True)
    assert [(c.learning_rate, c.weight_decay) for c, _ in seen] == [(1e-7, 1e-4), winner]
    assert same(resumed, whole)


def test_a_trial_that_fails_is_named_when_the_others_are_done(task, monkeypatch):
    features, _, answers = task
    real, done = search.fit, []

    def fit(features, answers, config):
        if (config.learning_rate, config.weight_decay) == (1e-7, 1e-4):
            raise MemoryError("too large")
        done.append(config)
        return real(features, answers, config)

    monkeypatch.setattr(search, "fit", fit)
    with pytest.raises(RuntimeError, match=r"^1 of 4 trials failed; the first one, .*1e-07.*: MemoryError: too large"):
        search_settings(features, answers, QUICK, grid=GRID)
    assert len(done) == 3


def test_held_out_answers_that_cannot_rank_the_settings_are_named(task):
    """Questions made from the predictions of another model judge that one alone."""
    features, _, answers = task
    predicted = answers.subsets.argmax(axis=1)
    decoys = answers.replace(design="prediction", predicted=predicted)
    with pytest.raises(
        RuntimeError, match=r"held-out answers cannot judge a setting: there are no answers to randomly"
    ):
        search_settings(features, decoys, QUICK, grid={"learning_rate": (1e-7,)})


def test_the_papers_grid_is_the_default():
    assert len(search.LEARNING_RATES) * len(search.WEIGHT_DECAYS) == 21


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({"holdout": 0.0}, {}, "a search needs held-out answers"),
        ({"holdout": 0.001}, {}, "a search needs held-out answers"),
        ({}, {"how": "random"}, "unknown search 'random', expected grid or optuna"),
    ],
)
def test_bad_input(task, change, options, message):
    features, _, answers = task
    with pytest.raises(ValueError, match=message):
        search_settings(features, answers, QUICK.model_copy(update=change), **options)


def test_without_optuna_the_error_says_what_to_install(task, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "optuna", None)
    features, _, answers = task
    with pytest.raises(ValueError, match=r"needs optuna: pip install 'oneof\[search\]'"):
        search_settings(features, answers, QUICK, how="optuna", trials=1)
