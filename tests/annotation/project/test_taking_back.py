"""Taking back changes of the classes: told before, done in order, recorded, and exact for the answers in between."""

import pytest
from sqlalchemy import select

from oneof.annotation.learning.content import load_content
from oneof.annotation.learning.training import load_answers
from oneof.annotation.project import changing_classes, taking_back
from oneof.annotation.project.changing_classes import Change
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.folder import open_project
from oneof.annotation.store import facts, history
from oneof.annotation.store.auditing import audit
from oneof.annotation.store.schema import draws, tasks

NOW = 1000.0
without_postgresql = pytest.mark.parametrize("backend", ["sqlite"])


def answer(world, count, merged):
    """Text n is of class n mod 5; Ann answers truly, by the classes as they are."""
    ann = world.annotator("ann")
    for _ in range(count):
        question = world.claim(ann)
        truth = merged.get(int(question["item"][1:]) % 5, int(question["item"][1:]) % 5)
        said = "yes" if f"c{truth}" in [one["name"] for one in question["labels"]] else "no"
        ann.post("/api/answers", json=world.body(question["task"], said))


def change(world, **wanted):
    world.project = changing_classes.apply(world.database, world.project, Change(**wanted), NOW)


def told(world):
    with world.database.read() as connection:
        step = taking_back.last(connection)
        return step, taking_back.consequences(connection, world.project, step)


def back(world, **more):
    world.project = taking_back.take_back(world.database, world.project, NOW, **more)


def answers_of(world):
    with world.database.read() as connection:
        return load_answers(connection, world.project, load_content(connection))


def test_a_merge_is_taken_back_and_every_answer_says_what_it_can(make_world):
    world = make_world(40, gold_share=0.0)
    answer(world, 10, {})
    first = answers_of(world)
    change(world, kind="merge", name="c4", into="c1")
    answer(world, 10, {4: 1})
    step, sentences = told(world)
    assert step.words == "“c4” was merged into “c1”"
    assert "are two classes again" in sentences[0]
    assert "Of 20 answers so far" in sentences[1]
    assert "10 judge again" in sentences[1] or "say something again" in sentences[1]
    back(world)
    assert world.project.active_names == ["c0", "c1", "c2", "c3", "c4"]
    after = answers_of(world)
    design = list(after.design)
    assert design.count("uniform") == 10, "those from before the merge judge as they did"
    kept = [row for row in range(len(after)) if design[row] == "uniform"]
    assert (after.subsets[kept] == first.subsets).all()
    assert (after.responses[kept] == first.responses).all()
    for row in range(len(after)):
        assert after.consistent[row, int(after.items[row]) % 5], "what is true stays possible"
        if design[row] == "given":
            assert after.subsets[row, 1] == after.subsets[row, 4], "one label stood for both"
    open_now = world.rows(select(draws.c.edition).join(tasks).where(tasks.c.free > 0))
    assert {edition for (edition,) in open_now} == {2}
    assert audit(world.database) == []
    facts.check_classes(world.database, open_project(world.project.folder))
    with world.database.read() as connection:
        entry = history.entries(connection)[0]
    assert (entry.action, entry.detail) == ("class-take-back", {"entry": step.entry, "change": step.words})


@without_postgresql
def test_one_after_another_all_changes_are_taken_back_and_made_again(make_world, backend):
    world = make_world(12, size=1)
    change(world, kind="rename", name="c0", to="zero")
    change(world, kind="add", name="new", before="none")
    change(world, kind="retire", name="c3")
    answer(world, 3, {})
    for words in ("“c3” was retired", "“new” was added", "“c0” was renamed “zero”"):
        assert told(world)[0].words == words
        back(world)
    assert world.project.active_names == ["c0", "c1", "c2", "c3", "c4"]
    with pytest.raises(ProjectError, match="no change of the classes is recorded"):
        back(world)
    change(world, kind="retire", name="c3")
    assert world.project.active_names == ["c0", "c1", "c2", "c4"]
    back(world)
    assert world.project.classes[3].away == ((2, 3, None), (5, 6, None))
    assert open_project(world.project.folder).classes == world.project.classes
    assert audit(world.database) == []


@without_postgresql
def test_a_name_is_given_back_and_the_answers_that_saw_the_new_one_are_counted(make_world, backend):
    world = make_world(12, size=4)
    answer(world, 2, {})
    changing_classes.apply(world.database, world.project, Change("rename", "c0", to="zero"), world.clock())
    world.project = open_project(world.project.folder)
    answer(world, 5, {})
    seen = sum("0" in row.subset.split(",") for row in world.rows(select(tasks.c.subset).where(tasks.c.free == 0)))
    step, sentences = told(world)
    assert sentences[0] == "“zero” is called “c0” again."
    count = int(sentences[1].split()[0])
    assert 0 < count <= min(5, seen)
    back(world, entry=step.entry)
    assert world.project.active_names[0] == "c0"
    assert world.project.lineage.edition == 0


@without_postgresql
def test_known_items_that_a_merge_made_unsure_are_named(make_world, tmp_path, backend):
    gold = tmp_path / "gold.csv"
    gold.write_text("item,label\nt0,c1\nt1,c1\nt2,c2\n")
    world = make_world(8, gold=gold)
    change(world, kind="merge", name="c4", into="c1")
    assert "2 known items are of “c1”" in told(world)[1][1]


@without_postgresql
def test_what_was_shown_must_still_be_the_last_change(make_world, backend):
    world = make_world(8)
    change(world, kind="retire", name="c4")
    step, _ = told(world)
    change(world, kind="rename", name="c0", to="zero")
    with pytest.raises(ProjectError, match="changed meanwhile"):
        back(world, entry=step.entry)


def test_two_who_change_the_classes_at_once_lose_nothing(make_world):
    """Each has read the project before the other changed it, as two server processes may have."""
    world = make_world(8)
    first, second = open_project(world.project.folder), open_project(world.project.folder)
    assert first.classes == second.classes
    changing_classes.apply(world.database, first, Change("retire", "c4"), NOW)
    changing_classes.apply(world.database, second, Change("rename", "c0", to="zero"), NOW)
    assert open_project(world.project.folder).active_names == ["zero", "c1", "c2", "c3"]
    with pytest.raises(ProjectError, match="class 'c4': expected one of"):
        changing_classes.apply(world.database, second, Change("merge", "c4", into="c1"), NOW)
    assert audit(world.database) == []
