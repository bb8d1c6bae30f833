"""Export: the file feeds `oneof.Answers.load`, says everything, and nobody waits for it."""

import csv
import json
import math

import numpy as np
import pyarrow.parquet as pq
import pytest
from sqlalchemy import select

from oneof import Answers, UniformQueries
from oneof.annotation.asking import decoys, managing
from oneof.annotation.asking.questions import read_subset
from oneof.annotation.learning.exporting import COLUMNS, export_answers
from oneof.annotation.store.schema import draws, items, predictions, tasks


def test_item_18_the_export_is_what_answers_load_reads(make_world, tmp_path):
    world = make_world(12, epsilon=2.0)
    ann, bob = world.annotator("ann"), world.annotator("böb, the 2nd")
    given = [world.give(client, answer) for client, answer in ((ann, "yes"), (bob, "no"), (ann, "skip"), (bob, "yes"))]
    kept = [row for row in given if row["answer"] != "skip"]
    asked = {row.id: row for row in world.rows(select(tasks.c.id, tasks.c.subset, items.c.name).join(items))}
    for suffix in (".csv", ".jsonl", ".PARQUET"):
        out = tmp_path / f"answers{suffix}"
        assert export_answers(world.database, world.project, out, skips=False) == 3
        answers = Answers.load(out)
        assert answers.class_names == ("c0", "c1", "c2", "c3", "c4")
        assert [answers.item_names[item] for item in answers.items] == [asked[row["task"]].name for row in kept]
        assert [list(np.flatnonzero(subset)) for subset in answers.subsets] == [
            read_subset(asked[row["task"]].subset) for row in kept
        ]
        assert answers.responses.tolist() == [row["answer"] == "yes" for row in kept]
        assert answers.annotators.tolist() == ["ann", "böb, the 2nd", "böb, the 2nd"]
        assert np.allclose(answers.flip_yes, 1 / (1 + math.exp(2.0)))
        assert np.allclose(answers.flip_no, 1 / (1 + math.exp(2.0)))
        assert not answers.adaptive.any()


def read_rows(path):
    if path.suffix == ".csv":
        with path.open(newline="") as stream:
            return list(csv.DictReader(stream))
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text().splitlines()]
    return pq.read_table(path).to_pylist()


def test_item_18_every_row_tells_who_when_and_from_which_seed(world, tmp_path):
    ann = world.annotator("ann")
    world.give(ann, "no", seconds=2.5)
    world.give(ann, "skip", reason="blurred")
    (draw,) = world.rows(select(draws))
    drawn = UniformQueries(draw.classes, draw.size).draw(draw.drawn, draw.seed)
    for suffix in (".csv", ".jsonl", ".parquet"):
        out = tmp_path / f"answers{suffix}"
        assert export_answers(world.database, world.project, out) == 2
        first, second = read_rows(out)
        assert tuple(first)[: len(COLUMNS)] == COLUMNS
        assert tuple(first)[:3] == ("item", "subset", "answer")
        assert (first["annotator"], float(first["seconds"]), int(first["guidelines"])) == ("ann", 2.5, 1)
        assert (second["answer"], second["reason"]) == ("skip", "blurred")
        assert str(first["shown_at"]) <= str(first["answered_at"])
        assert int(first["seed"]) == draw.seed
        names = [f"c{index}" for index in np.flatnonzero(drawn[int(first["seed_row"])])]
        assert first["subset"] in (names, "|".join(names))


def test_withdrawn_answers_and_checks_are_left_out_unless_asked_for(make_world, tmp_path):
    gold = tmp_path / "gold.csv"
    gold.write_text("item,label\nt0,c0\n")
    world = make_world(8, gold=gold, gold_share=1.0)
    ann, bob = world.annotator("ann"), world.annotator("bob")
    for _ in range(3):
        world.give(ann)
    world.give(bob)
    managing.withdraw(world.database, "ann", world.clock())
    out = tmp_path / "answers.jsonl"
    assert export_answers(world.database, world.project, out) == 0
    assert export_answers(world.database, world.project, out, checks=True) == 1
    assert export_answers(world.database, world.project, out, checks=True, withdrawn=True) == 4
    assert sorted((row["annotator"], row["kind"], row["withdrawn"]) for row in read_rows(out)) == [
        ("ann", "gold", True),
        ("ann", "question", True),
        ("ann", "question", True),
        ("bob", "gold", False),
    ]


def test_every_row_tells_the_design_the_prediction_the_guess_and_what_was_shown(make_world, tmp_path):
    world = make_world(8, show_predictions=True)
    ann = world.annotator("ann")
    world.give(ann)
    world.model(aside={1, 2, 3})
    world.database.write(lambda connection: decoys.ask_round(connection, world.project, 2, 0.0))
    made = {row.id: row for row in world.rows(select(tasks).where(tasks.c.design == "prediction"))}
    for number in range(9):
        world.give(ann, *(("skip",) if number % 2 else ("no",)), **({"guess": "yes"} if number % 2 else {}))
    held = {
        row.id: row.held_out
        for row in world.rows(
            select(tasks.c.id, predictions.c.held_out).join(predictions, predictions.c.item_id == tasks.c.item_id)
        )
    }
    for suffix in (".csv", ".jsonl", ".parquet"):
        out = tmp_path / f"answers{suffix}"
        assert export_answers(world.database, world.project, out) == 10
        rows = read_rows(out)
        nothing, word = None, {True: True, False: False, None: None}
        if suffix == ".csv":
            nothing, word = "", {True: "true", False: "false", None: ""}
        assert rows[0]["design"] == "uniform"
        assert {row["design"] for row in rows[1:]} == {"given"}, (
            "beside the model's guess nobody answers the question alone"
        )
        for row in rows:
            task = int(row["task"])
            assert row["predicted"] == (f"c{made[task].predicted}" if task in made else nothing)
            assert row["held_out"] == word[held[task]]
            assert row["predictions_shown"] == word[row is not rows[0]]
            assert row["skip"] == word[row["answer"] == "skip"]
            assert (row["guess"] or None) == ("yes" if row["answer"] == "skip" else None)
        answers = Answers.load(out)
        assert answers.skipped.sum() == 4
        assert answers.has_design("given").sum() == 9


def test_undone_answers_are_not_exported(world, tmp_path):
    ann = world.annotator("ann")
    world.give(ann)
    world.step(ann, "undo")
    assert export_answers(world.database, world.project, tmp_path / "a.csv") == 0


@pytest.mark.parametrize("backend", ["sqlite"])
def test_impossible_files_are_refused(world, tmp_path, backend):
    for name in ("answers.xlsx", "answers", "missing/answers.csv"):
        with pytest.raises((ValueError, FileNotFoundError), match=r"unknown kind of file|there is no folder"):
            export_answers(world.database, world.project, tmp_path / name)
    assert list(tmp_path.glob("*answers*")) == []


def test_g6_export_never_blocks_answering(world, tmp_path, monkeypatch):
    """In the middle of an export, with its snapshot open, people go on; the file holds what was there before."""
    from oneof.annotation.learning import exporting

    ann = world.annotator("ann")
    for _ in range(4):
        world.give(ann)
    monkeypatch.setattr(exporting, "BATCH", 2)
    real = exporting.answer_rows

    def slowly(*arguments, **options):
        for number, part in enumerate(real(*arguments, **options)):
            if number == 0:
                for _ in range(3):
                    world.give(ann)
            yield part

    monkeypatch.setattr(exporting, "answer_rows", slowly)
    assert export_answers(world.database, world.project, tmp_path / "a.csv") == 4
    assert len(world.rows(select(tasks.c.id).where(tasks.c.free == 0))) == 7
