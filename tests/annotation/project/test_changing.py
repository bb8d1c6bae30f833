"""Settings and guidelines of a running project."""

import pytest

from oneof.annotation.project.changing import change_guidelines, change_settings
from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.folder import open_project
from oneof.annotation.store import history

pytestmark = pytest.mark.parametrize("backend", ["sqlite"])


def test_changes_are_stored_and_noted(world):
    changed = change_settings(world.database, world.project, {"prefetch": 9, "question": "Which?"}, 5.0)
    assert open_project(world.project.folder).settings == changed.settings
    assert changed.settings.prefetch == 9
    assert change_guidelines(world.database, changed, "Look.\r\nTwice.", 6.0) == 2
    assert changed.guidelines_file.read_text() == "Look.\nTwice."
    with world.database.read() as connection:
        assert [entry.action for entry in history.entries(connection)][:2] == ["guidelines", "settings"]


@pytest.mark.parametrize("changes", [{"size": 1}, {"epsilon": 1.0}, {"prefetch": -1}, {"colour": "red"}])
def test_a_change_that_cannot_be_is_refused_by_name(world, changes):
    with pytest.raises(ProjectError, match=next(iter(changes))):
        change_settings(world.database, world.project, changes | {"name": "other"}, 5.0)
    assert open_project(world.project.folder).settings.name == "test"


def test_guidelines_have_a_longest_length(world):
    with pytest.raises(ProjectError, match="longer than"):
        change_guidelines(world.database, world.project, "x" * 50_001, 5.0)
