"""The command line, run in the process of the test."""

import sys
from collections.abc import Callable

import pytest

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
