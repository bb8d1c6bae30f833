"""oneof demo."""

import json

import pytest
from typer.testing import CliRunner

from oneof.cli import app

runner = CliRunner(env={"COLUMNS": "160"})


def test_one_table_and_where_the_page_is(tmp_path):
    result = runner.invoke(app, ["demo", "--out", str(tmp_path / "demo"), "--epochs", "1", "--size", "3"])
    assert result.exit_code == 0, result.output
    for part in ("objective", "label-free accuracy", "95 % interval", "true accuracy", "likelihood", "URE (GCE)"):
        assert part in result.output
    assert str(tmp_path / "demo" / "index.html") in result.output.replace("\n", "")
    assert (tmp_path / "demo" / "index.html").is_file()


def test_json(tmp_path):
    result = runner.invoke(app, ["demo", "--out", str(tmp_path), "--epochs", "1", "--json"])
    assert result.exit_code == 0
    facts = json.loads(result.stdout)
    assert len(facts["rows"]) == 4
    assert facts["page"] == str(tmp_path / "index.html")


@pytest.mark.parametrize("words", [["--size", "10"], ["--size", "0"], ["--epochs", "many"]])
def test_bad_options(words, tmp_path):
    result = runner.invoke(app, ["demo", "--out", str(tmp_path / "demo"), *words])
    assert result.exit_code == 2
    assert not (tmp_path / "demo").exists()
