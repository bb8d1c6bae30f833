"""The command line, run in the process of the test."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from oneof import cli


@pytest.fixture
def oneof(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """`oneof(*words)`: run a command as the shell would; exit code, standard output, standard error."""

    def command(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["oneof", *map(str, words)])
        monkeypatch.setenv("COLUMNS", "300")
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            cli.main()
        return int(ended.value.code or 0), *capsys.readouterr()

    return command


def annotate() -> Any:
    """The commands of `oneof annotate`, which need its extra."""
    from oneof.cli.annotate import app

    return app


def write_sources(home: Path) -> None:
    (home / "classes.txt").write_text("a\nb\nc\n")
    (home / "texts.csv").write_text("id,text\n1,one\n2,two\n")


@pytest.fixture
def run(tmp_path: Path) -> Any:
    """`run(*words)`: a command of `oneof annotate`, beside a file of classes and one of texts."""
    app = annotate()
    write_sources(tmp_path)
    runner = CliRunner()

    def call(*arguments: object, code: int = 0) -> Any:
        result = runner.invoke(app, [str(argument) for argument in arguments])
        assert result.exit_code == code, result.output
        return result

    run: Any = call
    run.home = tmp_path
    return run


@pytest.fixture(scope="session")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of two texts, made once."""
    home = tmp_path_factory.mktemp("untouched")
    write_sources(home)
    words = ["init", home / "p", "--items", home / "texts.csv", "--classes", home / "classes.txt", "--size", 1]
    made = CliRunner().invoke(annotate(), [str(word) for word in words])
    assert made.exit_code == 0, made.output
    return home / "p"


@pytest.fixture
def project(run: Any, untouched: Path) -> Path:
    """A copy of it, beside its sources."""
    return shutil.copytree(untouched, run.home / "p")
