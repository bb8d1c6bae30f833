"""One way to say what is wrong, whatever the command."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version

import pytest

from oneof.cli import errors

Command = Callable[..., tuple[int, str, str]]
WRONG = {
    "simulate": ("simulate", "none.npy", "--size", 1, "--out", "a.csv"),
    "train": ("train", "none.npy", "a.csv", "--out", "model"),
    "evaluate": ("evaluate", "none", "none.npy", "a.csv"),
    "predict": ("predict", "none", "none.npy", "--out", "p.csv"),
    "export": ("export", "none", "--onnx", "m.onnx"),
    "plan": ("plan", "--classes", 3, "--accuracy", 0.9, "--width", 0),
    "data": ("data", "fetch", "nothing"),
    "reproduce": ("reproduce", "table9"),
    "report": ("report", "--preset", "nothing"),
    "annotate": ("annotate", "status", "none"),
}


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(errors.VARIABLE, raising=False)


@pytest.mark.parametrize("command", WRONG)
def test_a_mistake_is_one_line_and_exit_code_1(command: str, oneof: Command) -> None:
    code, out, stderr = oneof(*WRONG[command])
    assert (code, out) == (1, "")
    assert stderr.startswith("error: ")
    assert len(stderr.splitlines()) == 1


def test_a_mistyped_command_says_how_it_is_called(oneof: Command) -> None:
    code, out, stderr = oneof("export", "model")
    assert (code, out) == (2, "")
    first, *others = stderr.splitlines()
    assert first == "error: Missing option '--onnx'."
    assert re.match("Usage: .*oneof export ", others[0])  # `python -m pytest` is what click takes for the program
    assert re.match("Try '.*oneof export --help' for help.", others[-1])
    assert oneof("exprot")[2].startswith("error: No such command 'exprot'.")


@pytest.mark.parametrize("words", [(), ("data",)])
def test_a_group_alone_shows_its_help(words: tuple[str, ...], oneof: Command) -> None:
    _, out, stderr = oneof(*words)
    assert re.search("Usage: .*oneof", out)
    assert stderr == ""


def test_the_whole_traceback_on_demand(oneof: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["oneof", "data", "fetch", "nothing", "--traceback"])
    from oneof.cli import main

    with pytest.raises(ValueError, match="unknown data set 'nothing'"):
        main()
    monkeypatch.setattr(sys, "argv", ["oneof", "data", "fetch", "nothing"])
    monkeypatch.setenv(errors.VARIABLE, "1")
    with pytest.raises(ValueError, match="unknown data set 'nothing'"):
        main()


def test_a_bug_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def bug(*_: object, **__: object) -> None:
        raise KeyError("a bug")

    monkeypatch.setattr("oneof.planning.plan", bug)
    monkeypatch.setattr(sys, "argv", ["oneof", *map(str, WRONG["plan"])])
    from oneof.cli import main

    with pytest.raises(KeyError, match="a bug"):
        main()


def test_ctrl_c_is_130(oneof: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("oneof.planning.plan", stopped)
    code, out, stderr = oneof(*WRONG["plan"])
    assert (code, out.strip(), stderr.strip()) == (130, "", "")


def test_the_version(oneof: Command) -> None:
    assert oneof("--version") == (0, f"oneof {version('oneof')}\n", "")


HIDING = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {hidden!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Hidden())
sys.argv = {argv!r}
from oneof.cli import main
main()
"""


@pytest.mark.parametrize(
    ("hidden", "words"),
    [
        (["sqlalchemy", "alembic", "fastapi", "starlette", "uvicorn", "jinja2", "psycopg"], ["status", "p"]),
        (["fastapi", "starlette", "uvicorn", "jinja2"], ["serve", "p"]),
        (["sqlalchemy"], ["init", "p", "--items", "i.csv", "--classes", "c.txt", "--size", "1"]),
    ],
)
def test_a_missing_extra_is_one_line_with_what_to_type(hidden: list[str], words: list[str]) -> None:
    code = HIDING.format(hidden=hidden, argv=["oneof", "annotate", *words])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=os.environ)
    assert done.returncode == 1, done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.endswith("which is not installed: pip install 'oneof[annotation]'\n")
