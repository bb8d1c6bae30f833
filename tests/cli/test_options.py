"""What the commands share."""

import inspect
import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from oneof.cli import app, options
from oneof.training.config import Config, describe


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


DOCUMENTED = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("setting", list(Config.model_fields))
def test_every_setting_is_an_option_with_its_help_here_and_in_the_documents(setting):
    flag = "--option" if setting == "options" else f"--{setting.replace('_', '-')}"
    command = typer.main.get_command(app).commands["train"]
    (option,) = (parameter for parameter in command.params if flag in parameter.opts)
    assert option.default is None, "what is not given is left to the file of settings, or to Config"
    shown = CliRunner(env={"COLUMNS": "400"}).invoke(app, ["train", "--help"]).output
    assert describe(setting) in shown
    assert f"| `{flag}` | {describe(setting)} |  |" in DOCUMENTED


def test_settings_are_handed_on_as_they_were_given():
    seen = {}

    @options.with_settings
    def command(settings: dict, out: str = "here") -> None:
        seen.update(settings, out=out)

    small = typer.Typer()
    small.command(cls=options.SettingsCommand)(command)
    words = ["--epochs", "3", "--loss", "gce", "--average", "0.9", "--option", "kappa=0.5", "--option", "name=x"]
    assert CliRunner().invoke(small, words).exit_code == 0
    given = {name: value for name, value in seen.items() if value is not None}
    expected = {"epochs": 3, "loss": "gce", "average": 0.9, "options": {"kappa": 0.5, "name": "x"}, "out": "here"}
    assert given == expected
    assert Config.read(None, **{name: seen[name] for name in Config.model_fields}).options == {
        "kappa": 0.5,
        "name": "x",
    }


def test_an_option_of_the_objective_without_a_value_is_refused():
    result = CliRunner(env={"COLUMNS": "200"}).invoke(
        app, ["train", "dataset:digits/train", "none.csv", "--out", "model", "--option", "kappa"]
    )
    assert result.exit_code == 2
    assert "--option kappa: expected NAME=VALUE" in result.output


def test_a_long_line_is_not_broken_where_it_is_piped(capsys):
    line = "label-free accuracy " * 10
    options.show({}, line, as_json=False)
    assert capsys.readouterr().out == f"{line}\n"
