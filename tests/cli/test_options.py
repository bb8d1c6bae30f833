"""What the commands share."""

import inspect
import json

import pytest
import typer
from typer.testing import CliRunner

from oneof.cli import app, options


def test_show_prints_json_for_scripts_and_text_for_people(capsys):
    options.show({"a": 1}, "[bold]one[/bold]", as_json=True)
    assert json.loads(capsys.readouterr().out) == {"a": 1}
    options.show({"a": 1}, "[bold]one[/bold]", as_json=False)
    assert capsys.readouterr().out == "one\n"


@pytest.mark.parametrize("name", ["demo", "simulate", "train", "evaluate", "predict", "export"])
def test_every_command_has_json_help_and_an_example(name):
    command = typer.main.get_command(app).commands[name]
    flags = {flag for parameter in command.params for flag in parameter.opts}
    assert "--json" in flags
    assert all(getattr(parameter, "help", None) for parameter in command.params)
    assert f"oneof {name}" in inspect.getdoc(command.callback)
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app, [name, "-h"])
    assert result.exit_code == 0
    assert "--json" in result.output


def test_shell_completion_is_there():
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app, ["--help"])
    assert "--install-completion" in result.output
