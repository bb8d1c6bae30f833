"""Errors of all commands: one line on stderr.

`error: ...` and exit code 1; for a command that was mistyped, exit code 2 and how to call it. `--traceback` anywhere in
the line, or ONEOF_TRACEBACK=1, gives the whole traceback instead. A bug always comes with its traceback.
"""

import os
import re
import sys
from importlib.metadata import requires
from typing import Any, NoReturn

import typer

FLAG, VARIABLE = "--traceback", "ONEOF_TRACEBACK"
# click's UsageError; newer versions of typer carry a click of their own, which has no public name.
UsageError: type[Exception] = typer.BadParameter.__bases__[0]


def run(app: typer.Typer) -> NoReturn:
    """Run the command that the command line names, and exit."""
    with_traceback = FLAG in sys.argv or os.environ.get(VARIABLE, "0") not in ("", "0")
    # Anywhere in the line: people add it to the end of a command that has just failed.
    sys.argv[1:] = [word for word in sys.argv[1:] if word != FLAG]
    try:
        code = app(standalone_mode=False)
    except UsageError as error:
        _print_error(usage(error))
        sys.exit(2)
    except typer.Abort:
        sys.exit(130)
    except Exception as error:
        line = message(error)
        if with_traceback or line is None:
            raise
        _print_error(line)
        sys.exit(1)
    sys.exit(code if isinstance(code, int) else 0)


def message(error: Exception) -> str | None:
    """The line to print for an error that the user can mend; None for a bug.

    >>> message(ValueError("answers.csv, line 3: answer 'maybe', expected yes or no"))
    "answers.csv, line 3: answer 'maybe', expected yes or no"
    >>> message(FileNotFoundError(2, "No such file or directory", "answers.csv"))
    'answers.csv: No such file or directory'
    >>> message(KeyError("a bug"))
    """
    if isinstance(error, ModuleNotFoundError):
        extra = extra_with(error.name or "")
        return extra and f"this needs {error.name}, which is not installed: pip install 'oneof[{extra}]'"
    if type(error).__module__ == "sqlalchemy.exc" and hasattr(error, "orig"):
        return f"the database cannot be reached: {str(error.orig).splitlines()[0]}"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"
    if isinstance(error, ValueError | OSError | RuntimeError):
        return str(error).strip() or type(error).__name__
    return None


def extra_with(module: str) -> str | None:
    """The extra of oneof that installs a module.

    >>> extra_with("sqlalchemy"), extra_with("json")
    ('annotation', None)
    """
    for requirement in requires("oneof") or ():
        found = re.match(r"([\w-]+).*extra == ['\"](\w+)['\"]", requirement)
        if found and found[1].lower().replace("-", "_") == module.split(".")[0].lower():
            return found[2]
    return None


def usage(error: Any) -> str:
    """The text for a mistyped command: what is wrong, and how to get help."""
    text: str = error.format_message()
    if error.ctx is not None and text:
        text += f"\n{error.ctx.get_usage()}\nTry '{error.ctx.command_path} --help' for help."
    return text


def _print_error(text: str) -> None:
    if text:  # a group without a command has already printed its help
        typer.echo(f"{typer.style('error:', fg=typer.colors.RED)} {text}", err=True)
