"""oneof annotate: thin commands, clear mistakes."""

import json

import pytest


def test_a_project_from_start_to_export(run, project):
    assert "/join/" in run("invite", project, "ann").stdout
    (run.home / "more.jsonl").write_text('{"id": 3, "text": "three"}\n')
    assert run("import", project, run.home / "more.jsonl").stdout == "1 new items, 0 already here.\n"
    status = json.loads(run("status", project, "--json", "--audit").stdout)
    assert (status["needed"], status["answered"], status["problems"]) == (3, 0, [])
    assert "0 of 3 answers" in run("status", project).stdout
    assert "0 answers" in run("export", project, "--out", run.home / "a.csv").stdout
    assert (run.home / "a.csv").read_text().startswith("item,subset,answer,")
    assert "0 events" in run("backup", project, "--out", run.home / "b.sqlite").stdout
    # The table of people is as wide as it needs to be, also where the window is not.
    assert "last hour" in run("status", project).stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("status", "missing"),
        ("invite", "p", ""),
        ("import", "p", "missing.csv"),
        ("import", "p", "texts.csv", "--gold", "missing.csv"),
        ("export", "p", "--out", "answers.xlsx"),
        ("withdraw", "p", "zoe"),
        ("remove", "p", "zebra", "--yes"),
        ("restore", "p"),
        ("backup", "p", "--out", "classes.txt"),
        ("backup", "p", "--out", "p/project.sqlite"),
        ("serve", "p", "--root-path", "label"),
        ("train", "p"),
        ("serve", "p", "--workers", "2"),
        ("status", "p", "--database", "mysql://x"),
        ("status", "p", "--database", "postgresql://nobody@127.0.0.1:1/none"),
        ("init", "p", "--items", "texts.csv", "--classes", "classes.txt", "--size", "1"),
        ("init", "q", "--items", "texts.csv", "--classes", "classes.txt", "--size", "9"),
        ("init", "q", "--items", "texts.csv", "--classes", "missing.txt", "--size", "1"),
    ],
)
def test_a_mistake_is_one_clear_line(run, project, arguments, oneof, monkeypatch):
    monkeypatch.chdir(run.home)
    code, _, stderr = oneof("annotate", *arguments)
    assert code == 1
    assert stderr.startswith("error: ")
    assert len(stderr.strip().splitlines()) == 1
    assert not (run.home / "q").exists()
