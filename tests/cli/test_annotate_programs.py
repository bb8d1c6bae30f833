"""Commands for single items and for programs."""

import pytest
from typer.testing import CliRunner

from oneof.annotation.project.folder import open_project
from oneof.annotation.project.starting import start_project
from oneof.cli import app

pytest.importorskip("fastapi", reason="the annotation extra is not installed")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "texts.csv").write_text("id,text\na,first text\nb,second text\n")
    (tmp_path / "classes.txt").write_text("cat\ndog\nbird\n")
    start_project(tmp_path / "p", {"name": "pets", "size": 1}, tmp_path / "classes.txt", tmp_path / "texts.csv")
    return tmp_path / "p"


def run(*words):
    return CliRunner().invoke(app, ["annotate", *map(str, words)])


def test_items_keys_and_webhooks_are_recorded(folder):
    assert "asked again" in run("ask", folder, "a").output
    assert run("gold", folder, "b", "dog").output == "b: dog\n"
    assert run("gold", folder, "b").output == "b: not known\n"
    assert run("key", folder, "admin", "nightly").output.startswith("oneof_")
    assert len(run("webhook", folder, "https://example.org", "--on", "answer").output.strip()) == 64
    assert run("key", folder).output == "1  nightly  admin\n"
    assert "1  https://example.org  answer" in run("webhook", folder).output
    assert "Key 1 is revoked" in run("key", folder, "--revoke", 1).output
    assert "Nothing is sent to address 1" in run("webhook", folder, "--remove", 1).output
    assert run("key", folder).output + run("webhook", folder).output == ""
    assert run("key", folder, "--revoke", 1).exit_code == 1
    printed = run("history", folder).output
    actions = [line.split()[2] for line in printed.splitlines()]
    assert actions[:7] == ["remove-webhook", "revoke-key", "webhook", "key", "item-gold", "item-gold", "item-ask"]
    assert open_project(folder).settings.name == "pets"


@pytest.mark.parametrize(
    "words",
    [
        ("ask", "zebra"),
        ("gold", "a", "horse"),
        ("key", "zoe", "x"),
        ("webhook", "ftp://x"),
        ("predict", "--out", "p.csv"),
    ],
)
def test_mistakes_are_told(folder, words):
    result = run(words[0], folder, *words[1:])
    assert result.exit_code != 0
