"""Changing the classes of a running project: what is told before, what is done, and what answers say afterwards."""

import pytest
from sqlalchemy import func, select

from oneof import Answers
from oneof.annotation.asking.questions import read_subset
from oneof.annotation.learning.content import load_content
from oneof.annotation.learning.exporting import export_answers
from oneof.annotation.learning.training import load_answers
from oneof.annotation.project import changing_classes
from oneof.annotation.project.changing_classes import Change
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.folder import open_project
from oneof.annotation.store import facts, history
from oneof.annotation.store.auditing import audit
from oneof.annotation.store.schema import draws, tasks

NOW = 1000.0
MERGE = Change("merge", "c4", into="c1")


def told(world, change):
    with world.database.read() as connection:
        return changing_classes.consequences(connection, world.project, change)


def do(world, change):
    world.project = changing_classes.apply(world.database, world.project, change, NOW)
    return world.project


def answers_of(world):
    with world.database.read() as connection:
        return load_answers(connection, world.project, load_content(connection))


def needed(world):
    with world.database.read() as connection:
        return int(facts.get(connection, "needed", ""))


@pytest.fixture
def begun(make_world):
    """Thirty texts, text n of class n mod 5; twelve are answered, and one is on a screen."""
    world = make_world(30, overlap=1, gold_share=0.0)
    ann = world.annotator("ann")
    for _ in range(12):
        question = world.claim(ann)
        truth = f"c{int(question['item'][1:]) % 5}"
        said = "yes" if truth in [one["name"] for one in question["labels"]] else "no"
        ann.post("/api/answers", json=world.body(question["task"], said))
    world.claim(ann)
    return world


def test_a_merge_is_told_in_numbers_then_done_and_recorded(begun):
    rows = begun.rows(select(tasks.c.subset).where(tasks.c.free == 0).order_by(tasks.c.id))
    sentences = told(begun, MERGE)
    assert "Of 12 answers so far" in sentences[1]
    assert "17 questions that nobody has seen are drawn anew" in sentences[2]
    before = answers_of(begun)
    assert do(begun, MERGE).active_names == ["c0", "c1", "c2", "c3"]
    assert open_project(begun.project.folder).active == [0, 1, 2, 3]
    after = answers_of(begun)
    assert len(before) == 12
    silent = 12 - len(after)
    assert f"and {silent} say nothing" in sentences[1]
    assert set(after.design) == {"given"}, "they train, and judge nothing"
    merged = [0, 1, 2, 3, 1]
    for row in range(len(after)):
        truth = merged[int(after.items[row]) % 5]
        assert after.consistent[row, truth], "what is true stays possible"
    assert needed(begun) == 30
    assert audit(begun.database) == []
    open_now = begun.rows(select(tasks.c.subset, draws.c.edition).join(draws).where(tasks.c.free > 0))
    assert len(open_now) == 17
    assert all(edition == 1 and 4 not in read_subset(subset) for subset, edition in open_now)
    with begun.database.read() as connection:
        entry = history.entries(connection)[0]
    assert (entry.action, entry.detail["name"], entry.detail["into"]) == ("class-merge", "c4", "c1")
    assert len(rows) == 13, "what is on a screen stays as it is"
    facts.check_classes(begun.database, open_project(begun.project.folder))


def test_a_retired_class_leaves_answers_that_go_on_judging(begun, tmp_path):
    do(begun, Change("retire", "c2"))
    after = answers_of(begun)
    assert set(after.design) == {"uniform"}
    assert after.classes == 4
    export_answers(begun.database, begun.project, tmp_path / "a.csv")
    exported = Answers.load(tmp_path / "a.csv")
    assert exported.class_names == ("c0", "c1", "c3", "c4")
    assert len(exported) == len(after)


@pytest.mark.parametrize("backend", ["sqlite"])
def test_a_new_class_is_asked_about_from_now_on(begun, backend):
    do(begun, Change("add", "c5", before="c0", definition="split off c0"))
    assert begun.project.classes[5].definition == "split off c0"
    subsets = [read_subset(row.subset) for row in begun.rows(select(tasks.c.subset).where(tasks.c.free > 0))]
    assert any(5 in labels for labels in subsets)
    after = answers_of(begun)
    assert after.subsets[:, 5].tolist() == after.subsets[:, 0].tolist()
    assert begun.annotator("bob").post("/api/claim", json={}).status_code == 200


@pytest.mark.parametrize("backend", ["sqlite"])
def test_half_answered_questions_are_closed_and_others_take_their_places(make_world, backend):
    world = make_world(4, overlap=2)
    ann = world.annotator("ann")
    for _ in range(3):
        world.give(ann)
    do(world, Change("retire", "c0"))
    assert needed(world) == 8
    assert audit(world.database) == []
    free = world.rows(select(tasks.c.item_id, func.sum(tasks.c.free)).group_by(tasks.c.item_id))
    assert sorted(count for _, count in free) == [1, 1, 1, 2]
    bob, count = world.annotator("bob"), 0
    while (reply := bob.post("/api/claim", json={})).status_code == 200:
        assert "c0" not in [one["name"] for one in reply.json()["labels"]]
        count += 1
        bob.post("/api/answers", json=world.body(reply.json()["task"]))
    assert count == 4


@pytest.mark.parametrize("backend", ["sqlite"])
def test_names_and_definitions_change_without_new_questions(begun, backend):
    do(begun, Change("rename", "c0", to="zero"))
    do(begun, Change("describe", "zero", definition="nought"))
    assert (begun.project.classes[0].name, begun.project.classes[0].definition) == ("zero", "nought")
    assert begun.project.lineage.edition == 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (Change("add", "c1"), "'c1' was there"),
        (Change("add", "a|b"), "may not hold"),
        (Change("add", "new", before="c9"), "class 'c9': expected one of c0, c1"),
        (Change("merge", "c1", into="c1"), "cannot be merged into itself"),
        (Change("merge", "c1"), "class '': expected one of"),
        (Change("retire", "c9"), "class 'c9': expected one of"),
        (Change("rename", "c1", to=""), "without a name"),
    ],
)
@pytest.mark.parametrize("backend", ["sqlite"])
def test_what_cannot_be_done_is_said(world, backend, change, words):
    with pytest.raises(ProjectError, match=words):
        told(world, change)


@pytest.mark.parametrize("backend", ["sqlite"])
def test_as_many_classes_stay_as_a_question_needs(make_world, backend):
    world = make_world(2, classes=3, size=2)
    with pytest.raises(ProjectError, match="one fewer would not do for questions of 2 labels"):
        told(world, Change("retire", "c0"))
