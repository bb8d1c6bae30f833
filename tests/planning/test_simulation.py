from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.base import BaseEstimator

from oneof import Answers
from oneof.planning import simulation
from oneof.planning.simulation import STRATEGIES, rehearse, simulate_adaptive
from oneof.queries.groups import Groups


class Linear(BaseEstimator):
    """Softmax regression on the likelihood of the answers."""

    def __init__(self, holdout: float = 0.1) -> None:
        self.holdout = holdout

    def fit(self, X: NDArray[np.float64], y: Answers) -> "Linear":
        self.trained_on_ = np.unique(y.items)
        x, evidence = X[self.trained_on_], y.evidence(len(X))[self.trained_on_]
        self.weights_ = np.zeros((X.shape[1], y.classes))
        for _ in range(100):
            p = softmax(x @ self.weights_, axis=1)
            self.weights_ += 0.5 * (x.T @ (softmax(np.log(p + 1e-12) + evidence, axis=1) - p) / len(x))
        return self

    def predict_proba(self, X: NDArray[np.float64]) -> NDArray[Any]:
        return np.asarray(softmax(X @ self.weights_, axis=1))


@pytest.fixture
def blobs() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    rng = np.random.default_rng(0)
    labels = rng.integers(8, size=600)
    return 3 * np.eye(8)[labels] + 0.7 * rng.standard_normal((600, 8)), labels


def test_it_asks_trains_and_judges(blobs: tuple[NDArray[np.float64], NDArray[np.int64]]) -> None:
    X, labels = blobs
    seen: list[dict[str, Any]] = []
    run = simulate_adaptive(
        Linear(),
        X,
        labels,
        8,
        budget=300,
        batch=60,
        start=90,
        strategy="spread",
        uniform_share=0.2,
        report=lambda model: {"true": float((model.predict_proba(X).argmax(axis=1) == labels).mean())},
        progress=seen.append,
    )
    assert run.history["answers"].tolist() == [90, 150, 210, 270, 300]
    assert len(seen) == 5
    assert len(run.answers) == 300
    assert run.history["true"].iloc[-1] > run.history["true"].iloc[0]
    assert run.history["true"].iloc[-1] > 0.93
    last = run.history.iloc[-1]
    assert last["low"] <= last["true"] + 0.02
    assert last["low"] < last["high"], "one answer per item: the interval is the exact one"
    assert run.history["labels_shown"].iloc[-1] == run.answers.subsets.sum()
    assert run.answers.adaptive is not None
    judges = np.isin(run.answers.items, run.judging)
    assert not run.answers.adaptive[judges].any()
    assert 30 < judges.sum() < 90
    assert len(np.unique(run.answers.items[judges])) == judges.sum()
    assert not np.isin(run.estimator.trained_on_, run.judging).any()
    assert run.estimator.holdout == 0.0


def test_the_same_seed_gives_the_same_answers(blobs: tuple[NDArray[np.float64], NDArray[np.int64]]) -> None:
    first, second = (simulate_adaptive(Linear(), *blobs, 8, budget=120, start=60, seed=4) for _ in range(2))
    assert first.answers == second.answers


def test_noise_is_written_along(blobs: tuple[NDArray[np.float64], NDArray[np.int64]]) -> None:
    run = simulate_adaptive(Linear(), *blobs, 8, budget=100, start=60, flip_yes=0.1, flip_no=0.2, uniform_share=0.0)
    assert run.answers.flip_no is not None
    np.testing.assert_allclose(run.answers.flip_no, 0.2)
    assert run.history["accuracy"].isna().all()
    assert len(run.judging) == 0


def test_mistakes_are_refused(blobs: tuple[NDArray[np.float64], NDArray[np.int64]]) -> None:
    with pytest.raises(ValueError, match="start must be between the number of classes, 8, and the budget, 50"):
        simulate_adaptive(Linear(), *blobs, 8, budget=50, start=60)
    with pytest.raises(ValueError, match="uniform_share"):
        simulate_adaptive(Linear(), *blobs, 8, budget=100, start=60, uniform_share=1.0)
    with pytest.raises(ValueError, match="may be trained on"):
        simulate_adaptive(Linear(), *blobs, 8, budget=2000, start=500)
    with pytest.raises(ValueError, match="strategy must be spread, finish, uniform, rehearse or watch, not 'best'"):
        simulate_adaptive(Linear(), *blobs, 8, budget=100, start=60, strategy="best")


@pytest.fixture(scope="module")
def many() -> tuple[NDArray[np.float64], NDArray[np.int64], Groups]:
    """24 classes in six groups; the members of a group lie near each other."""
    rng = np.random.default_rng(0)
    labels = rng.integers(24, size=1200)
    centres = 4 * np.eye(6, 12)[np.arange(24) // 4] + 2 * np.eye(12)[6 + np.arange(24) % 4]
    X = centres[labels] + 0.5 * rng.standard_normal((1200, 12))
    return X, labels, Groups.from_parents([str(j // 4) for j in range(24)])


def test_finished_items_with_groups_need_fewer_questions(
    many: tuple[NDArray[np.float64], NDArray[np.int64], Groups],
) -> None:
    X, labels, groups = many
    settings: dict[str, Any] = {
        "budget": 500, "start": 200, "batch": 150, "largest": 3, "uniform_share": 0.0, "groups": groups,
        "report": lambda model: {"true": float((model.predict_proba(X).argmax(axis=1) == labels).mean())},
    }  # fmt: skip
    finish = simulate_adaptive(Linear(), X, labels, 24, **settings)
    uniform = simulate_adaptive(Linear(), X, labels, 24, strategy="uniform", **settings)
    assert set(finish.history["strategy"]) == {"finish"}, "the default for many classes"
    assert groups.labels_shown(finish.answers.subsets).max() <= 3
    assert finish.history["labels_shown"].iloc[-1] == groups.labels_shown(finish.answers.subsets).sum()
    assert len(np.unique(finish.answers.items)) < 250
    assert len(np.unique(uniform.answers.items)) == 500, "new items as long as there are any"
    assert (uniform.answers.sizes == 3).all()
    assert finish.history["true"].iloc[-1] > uniform.history["true"].iloc[-1] + 0.1


def test_a_rehearsal_finds_the_better_strategy_without_labels(
    many: tuple[NDArray[np.float64], NDArray[np.int64], Groups], monkeypatch: pytest.MonkeyPatch
) -> None:
    X, labels, groups = many
    monkeypatch.setattr(simulation, "ROUNDS", 2)
    settings: dict[str, Any] = {"budget": 300, "start": 150, "largest": 3, "groups": groups}
    played = simulate_adaptive(Linear(), X, labels, 24, strategy="rehearse", batch=150, uniform_share=0.0, **settings)
    first, then = played.history["strategy"]
    assert (first, then) == ("finish", "finish")
    order = rehearse(Linear(), X, np.eye(24)[labels], **settings)
    assert set(order["strategy"]) == set(STRATEGIES)
    assert order["accuracy"].is_monotonic_decreasing


def test_a_watched_model_chooses_once_it_foresees_answers_and_stops_when_it_does_not(
    blobs: tuple[NDArray[np.float64], NDArray[np.int64]], monkeypatch: pytest.MonkeyPatch
) -> None:
    X, labels = blobs
    settings: dict[str, Any] = {"budget": 240, "start": 40, "batch": 40, "strategy": "watch", "uniform_share": 0.2}
    run = simulate_adaptive(Linear(), X, labels, 8, **settings)
    strategies = run.history["strategy"].tolist()
    began = strategies.index("finish")
    assert strategies == ["uniform"] * began + ["finish"] * (6 - began)
    assert began > 0
    # Before the model chooses, every answer trains; from then on some judge.
    uniform = run.answers[: 40 * began]
    assert not np.isin(uniform.items, run.judging).any()
    assert len(np.unique(uniform.items)) == 40 * began, "always new items"
    assert np.isin(run.answers.items, run.judging).any()
    assert run.history["accuracy"].isna().tolist() == [True] * began + [False] * (6 - began)
    # What was foreseen is looked at again after every training: 0.9 while nothing judges, then too little.
    monkeypatch.setattr(simulation, "JUDGES", 1)
    monkeypatch.setattr(simulation, "foreseen", lambda p, before, after: 0.9 if len(p) == 40 else 0.1)
    back = simulate_adaptive(Linear(), X, labels, 8, **settings).history["strategy"].tolist()
    assert back[:3] == ["uniform", "uniform", "finish"]
    assert "uniform" in back[3:]


def test_with_many_classes_there_is_nothing_to_watch(
    many: tuple[NDArray[np.float64], NDArray[np.int64], Groups],
) -> None:
    X, labels, groups = many
    settings: dict[str, Any] = {"budget": 200, "start": 150, "batch": 50, "largest": 3, "groups": groups}
    watched, finished = (
        simulate_adaptive(Linear(), X, labels, 24, strategy=s, **settings) for s in ("watch", "finish")
    )
    np.testing.assert_array_equal(watched.answers.subsets, finished.answers.subsets)
