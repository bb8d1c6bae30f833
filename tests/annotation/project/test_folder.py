"""Project folders and their settings."""

import pytest

from oneof.annotation.project.classes import Class, ProjectError
from oneof.annotation.project.folder import Settings, create_project, open_project

CLASSES = [Class("cat"), Class("dog"), Class("emu")]


def make(folder, **settings):
    return create_project(folder, Settings(name='a "quoted" ünïcode \\ name\x7f', size=1, **settings), CLASSES)


def test_what_is_written_is_read(tmp_path):
    project = make(tmp_path / "p", epsilon=1.5, seed=3)
    again = open_project(tmp_path / "p")
    assert again.settings == project.settings
    assert again.classes == CLASSES


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("colour = 3", "colour: Extra inputs are not permitted"),
        ("overlap = 0", "overlap: Input should be greater than or equal to 1"),
        ("epsilon = -1.0", "epsilon: Input should be greater than 0"),
        ("prefetch = 'many'", "prefetch: Input should be a valid integer"),
        ("oops", "Expected '=' after a key"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path, line, message):
    make(tmp_path / "p")
    path = tmp_path / "p" / "project.toml"
    lines = [old for old in path.read_text().splitlines() if old.split()[0] != line.split()[0]]
    path.write_text("\n".join([*lines, line]))
    with pytest.raises(ProjectError) as caught:
        open_project(tmp_path / "p")
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_folder_that_is_no_project(tmp_path):
    with pytest.raises(ProjectError, match="not a project"):
        open_project(tmp_path)


@pytest.mark.parametrize("size", [3, 4])
def test_the_size_must_leave_a_question(tmp_path, size):
    with pytest.raises(ProjectError, match=r"expected 1\.\.2"):
        create_project(tmp_path / "p", Settings(name="x", size=size), CLASSES)


def test_the_flip_rate_is_that_of_randomised_response():
    assert Settings(name="x", size=1).flip == 0
    assert Settings(name="x", size=1, epsilon=1.0).flip == pytest.approx(0.2689414)
