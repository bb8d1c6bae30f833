"""Starting a project: all of it or nothing."""

import os

import pytest

from oneof.annotation.project.classes import ProjectError
from oneof.annotation.project.starting import start_project


@pytest.fixture
def files(tmp_path):
    (tmp_path / "classes.txt").write_text("a\nb\nc\n")
    (tmp_path / "texts.csv").write_text("id,text\n1,one\n2,two\n")
    return tmp_path


def start(files, folder="p", items="texts.csv", **values):
    settings = {"name": "x", "size": 1} | values
    return start_project(files / folder, settings, files / "classes.txt", files / items)


def test_a_project_is_ready_and_leaves_nothing_beside_it(files):
    started = start(files)
    assert (started.imported.added, started.needed) == (2, 2)
    assert sorted(os.listdir(files)) == ["classes.txt", "p", "texts.csv"]
    assert sorted(os.listdir(files / "p")) == [
        "admin.token",
        "classes.json",
        "guidelines.md",
        "project.sqlite",
        "project.toml",
    ]
    assert (files / "p" / "admin.token").stat().st_mode & 0o077 == 0, "for the owner alone"


def test_a_failure_leaves_nothing_behind(files):
    (files / "bad.csv").write_text("id,text\n1,\n")
    with pytest.raises(ProjectError, match="line 2"):
        start(files, items="bad.csv")
    assert sorted(os.listdir(files)) == ["bad.csv", "classes.txt", "texts.csv"]


def test_a_folder_with_other_files_is_used_and_its_guidelines_kept(files):
    (files / "p").mkdir()
    (files / "p" / "guidelines.md").write_text("Mine.")
    (files / "p" / "notes.txt").write_text("keep me")
    start(files)
    assert (files / "p" / "guidelines.md").read_text() == "Mine."
    assert (files / "p" / "notes.txt").read_text() == "keep me"


def test_a_project_is_not_overwritten(files):
    start(files)
    with pytest.raises(ProjectError, match="there is a project already"):
        start(files)


@pytest.mark.parametrize(("name", "value"), [("size", 0), ("size", 3), ("overlap", 0), ("epsilon", 0.0), ("colour", 1)])
def test_a_wrong_setting_is_named_and_nothing_is_made(files, name, value):
    with pytest.raises(ProjectError, match=name):
        start(files, **{name: value})
    assert not (files / "p").exists()
