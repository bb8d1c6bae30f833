"""Single values of a project, and the versions of its guidelines."""

from dataclasses import replace

import pytest
from sqlalchemy import select

from oneof.annotation.project.classes import Class, ProjectError, dump_classes, load_classes
from oneof.annotation.project.folder import open_project
from oneof.annotation.store import facts
from oneof.annotation.store.schema import guidelines


def get(world, name, default=""):
    with world.database.read() as connection:
        return facts.get(connection, name, default)


def test_a_value_is_set_and_changed(world):
    assert get(world, "colour", "none") == "none"
    for value in ("red", "", "blue"):
        world.database.write(lambda connection, value=value: facts.put(connection, "colour", value))
        assert get(world, "colour", "none") == value
    assert get(world, "shape", "none") == "none"


def test_sums_begin_at_nothing(world):
    for amount in (3, 4, -2):
        world.database.write(lambda connection, amount=amount: facts.add(connection, "sum", amount))
    assert get(world, "sum") == "5"


def test_a_failed_transaction_changes_no_fact(world):
    def work(connection):
        facts.put(connection, "colour", "red")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        world.database.write(work)
    assert get(world, "colour", "none") == "none"


def test_the_project_is_named_once(make_world):
    world, other = make_world(3), make_world(3)
    named = facts.project_id(world.database)
    assert len(named) == 16
    assert facts.project_id(world.database) == named
    assert facts.project_id(other.database) != named


def test_each_change_of_the_guidelines_is_a_version(world):
    file = world.project.guidelines_file
    first = file.read_text()
    assert facts.current_guidelines(world.database, world.project) == (1, first)
    assert facts.current_guidelines(world.database, world.project) == (1, first)
    file.write_text("Look twice.")
    assert facts.current_guidelines(world.database, world.project) == (2, "Look twice.")
    # What is taken back is a version too: every answer tells what its annotator had read.
    file.write_text(first)
    assert facts.current_guidelines(world.database, world.project) == (3, first)
    texts = [text for (text,) in world.rows(select(guidelines.c.text).order_by(guidelines.c.version))]
    assert texts == [first, "Look twice.", first]


def test_guidelines_that_are_missing_or_no_text(world):
    file = world.project.guidelines_file
    file.unlink()
    assert facts.current_guidelines(world.database, world.project)[1] == ""
    file.write_bytes(b"a\0b \xff")
    assert facts.current_guidelines(world.database, world.project)[1] == "ab \ufffd"


@pytest.mark.parametrize("backend", ["sqlite"])
def test_classes_edited_by_hand_are_refused_where_questions_would_change_their_meaning(world):
    path = world.project.folder / "classes.json"
    facts.check_classes(world.database, world.project)
    classes = load_classes(path.read_text())

    def checked(edited):
        path.write_text(dump_classes(edited))
        facts.check_classes(world.database, open_project(world.project.folder))

    checked([replace(classes[0], name="other", definition="told better"), *classes[1:]])
    with pytest.raises(ProjectError, match="6 classes, but questions were drawn from 5"):
        checked([*classes, Class("new")])
    with pytest.raises(ProjectError, match="class 1 was 'other' and is 'c1'"):
        checked([classes[1], replace(classes[0], name="other"), *classes[2:]])
