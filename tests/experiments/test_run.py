from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
import torch

from oneof import datasets
from oneof.experiments.methods import CORRECTIONS, MAIN
from oneof.experiments.protocol import RunSpec
from oneof.experiments.run import configuration, execute, judging_answers, query_size, training_answers
from oneof.experiments.store import COLUMNS, HISTORY_COLUMNS, PER_CLASS_COLUMNS
from oneof.training import Config
from oneof.training.splits import split

SPEC = RunSpec("test", "digits", 0.3, "GCE-ABS", 0, "mlp", "paper", 0.2, 1e-4, 128, 3)


def quiet(epoch: int) -> None:
    pass


def test_every_method_gets_the_same_answers() -> None:
    labels = datasets.load("digits").labels
    first, _ = training_answers(SPEC, labels, 10)
    for name in (*MAIN, *CORRECTIONS):
        other, _ = training_answers(replace(SPEC, method=name, learning_rate=1e-3, batch_size=256), labels, 10)
        np.testing.assert_array_equal(other.subsets, first.subsets)
        np.testing.assert_array_equal(other.responses, first.responses)
    another, _ = training_answers(replace(SPEC, seed=1), labels, 10)
    assert (another.subsets != first.subsets).any()


def test_answers_are_true_and_of_the_right_size() -> None:
    labels = datasets.load("digits").labels
    answers, held_out = training_answers(replace(SPEC, p_yes=0.7), labels, 10)
    assert (answers.subsets.sum(axis=1) == 7).all()
    np.testing.assert_array_equal(answers.responses, answers.subsets[np.arange(len(labels)), labels])
    assert len(held_out) == 0


def test_held_out_items_are_not_trained_on() -> None:
    labels = datasets.load("digits").labels
    answers, held_out = training_answers(replace(SPEC, holdout=0.1), labels, 10)
    assert len(np.unique(held_out)) == 135
    assert len(answers) == len(labels)
    assert not set(split(answers, 0.1, 0, held_out).training.items) & set(held_out)


def test_what_a_run_says_of_training_is_a_setting_of_training() -> None:
    own = {"preset", "dataset", "p_yes", "method"}
    assert {field.name for field in fields(RunSpec)} - own <= set(Config.model_fields)


def test_the_step_of_the_schedule_is_the_recipes_where_the_run_has_none() -> None:
    assert configuration(SPEC).step_size == 30
    assert configuration(replace(SPEC, step_size=6)).step_size == 6


def test_runs_of_one_cycle_are_judged_at_their_end_only(tmp_path: Path) -> None:
    fast = replace(SPEC, recipe="fast", method="Likelihood", learning_rate=4e-3)
    result = execute(fast, tmp_path / "run.pt", quiet)
    assert result.row["test_accuracy"] > 50
    assert [line["test_accuracy"] for line in result.history] == ["", "", ""]
    assert all(line["raw"] > 0 for line in result.history)


def test_supervision_asks_about_the_class_itself() -> None:
    labels = datasets.load("digits").labels
    answers, _ = training_answers(replace(SPEC, method="Supervised"), labels, 10)
    assert answers.responses.all()
    np.testing.assert_array_equal(answers.subsets.argmax(axis=1), labels)
    assert configuration(replace(SPEC, method="Supervised")).objective == "likelihood"


def test_judging_queries_are_not_the_training_queries() -> None:
    test_set = datasets.load("digits", "test")
    judges = judging_answers(SPEC, test_set)
    assert len(judges) == len(test_set)
    answers, _ = training_answers(SPEC, test_set.labels, 10)
    assert (judges.subsets != answers.subsets).any()


@pytest.mark.parametrize(
    ("p_yes", "classes", "size"), [(0.3, 10, 3), (0.5, 10, 5), (0.7, 10, 7), (0.3, 26, 8), (0.7, 26, 18)]
)
def test_the_size_of_a_query(p_yes: float, classes: int, size: int) -> None:
    assert query_size(p_yes, classes) == size


def test_a_row_is_complete_and_can_be_run_again(tmp_path: Path) -> None:
    epochs: list[int] = []
    first = execute(SPEC, tmp_path / "a.pt", epochs.append)
    assert epochs == [1, 2, 3]
    assert first.row.keys() == set(COLUMNS)
    assert all(line.keys() == set(HISTORY_COLUMNS) - {"run"} for line in first.history)
    assert all(line.keys() == set(PER_CLASS_COLUMNS) - {"run"} for line in first.per_class)
    assert first.history[-1]["test_accuracy"] == first.row["test_accuracy"]
    counts = [line["items"] * line["accuracy"] / 100 for line in first.per_class]
    assert sum(counts) / 450 == pytest.approx(first.row["test_accuracy"] / 100, abs=1e-5)
    assert first.row["label_free_low"] <= first.row["label_free_accuracy"] <= first.row["label_free_high"]

    again = execute(RunSpec.from_json(first.row["configuration"]), tmp_path / "b.pt", quiet)
    measured = ("test_accuracy", "label_free_accuracy", "negative_share")
    assert [again.row[name] for name in measured] == [first.row[name] for name in measured]


def test_a_run_that_was_cut_off_goes_on(tmp_path: Path) -> None:
    class Stopped(Exception):
        pass

    def stop(epoch: int) -> None:
        if epoch == 3:
            raise Stopped

    whole = execute(SPEC, tmp_path / "whole.pt", quiet)
    with pytest.raises(Stopped):
        execute(SPEC, tmp_path / "cut.pt", stop)
    seen: list[int] = []
    resumed = execute(SPEC, tmp_path / "cut.pt", seen.append)
    assert seen == [3]
    assert resumed.row["test_accuracy"] == whole.row["test_accuracy"]
    assert [line["raw"] for line in resumed.history] == [line["raw"] for line in whole.history]


@pytest.mark.parametrize("content", [b"", b"not a checkpoint"])
def test_a_broken_checkpoint_means_starting_over(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.pt"
    path.write_bytes(content)
    seen: list[int] = []
    execute(replace(SPEC, epochs=1), path, seen.append)
    assert seen == [1]


def test_a_checkpoint_of_another_run_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    execute(replace(SPEC, epochs=1), path, quiet)
    seen: list[int] = []
    execute(replace(SPEC, epochs=2), path, seen.append)
    assert seen == [1, 2]


def test_a_rate_that_diverges_is_a_finding_of_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from oneof.training import Diverged

    def diverge(*given: object, **options: object) -> None:
        raise Diverged("the risk became nan")

    monkeypatch.setattr("oneof.experiments.run.fit", diverge)
    row = execute(replace(SPEC, holdout=0.1), tmp_path / "a.pt", quiet).row
    assert row["label_free_accuracy"] == 0.0
    with pytest.raises(Diverged):
        execute(SPEC, tmp_path / "a.pt", quiet)


def test_one_thread_so_that_numbers_repeat(tmp_path: Path) -> None:
    row = execute(replace(SPEC, epochs=1), tmp_path / "a.pt", quiet).row
    assert row["threads"] == torch.get_num_threads() == 1
