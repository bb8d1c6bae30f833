"""oneof annotate: settings, guidelines, review and the model's file, as the dashboard has them."""

import sys
import time
import tomllib
from pathlib import Path
from typing import Annotated, Any

import typer

from oneof.cli.annotate_options import Folder, Url, open_database


def settings(
    folder: Folder,
    changes: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME=VALUE]...", help="Settings to change; `none` clears one.")
    ] = None,
    database: Url = None,
) -> None:
    """Print the settings, or change some. A running server takes them with its next request."""
    from oneof.annotation.project.changing import change_settings

    project, opened = open_database(folder, database)
    if changes:
        project = change_settings(opened, project, dict(map(_change, changes)), time.time())
    for name, value in project.settings.model_dump().items():
        typer.echo(f"{name} = {'none' if value is None else value}")


def guidelines(
    folder: Folder,
    file: Annotated[
        Path | None, typer.Option(help="Markdown that becomes the next version; - for standard input.")
    ] = None,
    database: Url = None,
) -> None:
    """Print what annotators read, or replace it. Each answer remembers which version was on screen."""
    from oneof.annotation.project.changing import change_guidelines
    from oneof.annotation.project.classes import ProjectError
    from oneof.annotation.store import facts

    project, opened = open_database(folder, database)
    if file is None:
        typer.echo(facts.current_guidelines(opened, project)[1])
        return
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ProjectError(f"--file {file}: cannot be read: {error}") from None
    typer.echo(f"The guidelines are version {change_guidelines(opened, project, text, time.time())} now.")


def review(
    folder: Folder,
    task: Annotated[int | None, typer.Argument(help="The number of the case's question, from the list.")] = None,
    answer: Annotated[str | None, typer.Argument(help="yes, no, skip, or accept to leave it as it is.")] = None,
    reviewer: Annotated[str | None, typer.Option("--as", help="The reviewer or manager who decides.")] = None,
    target: Annotated[int | None, typer.Option(help="The remark or miss that it settles, from the list.")] = None,
    note: Annotated[str | None, typer.Option(help="Why; it is recorded.")] = None,
    database: Url = None,
) -> None:
    """List what waits for a reviewer, or settle a case. What an answer overrules is kept."""
    from oneof.annotation.asking import access, reviewing
    from oneof.annotation.project.classes import ProjectError

    project, opened = open_database(folder, database)
    if task is None:
        with opened.read() as connection:
            for case in reviewing.queue(connection, project, 100):
                answers = ", ".join(f"{name} {word}" for name, word, _ in case.answers)
                target_option = f" --target {case.target}" if case.target is not None else ""
                question = f"{case.name}: {' / '.join(case.labels)}?"
                typer.echo(f"{case.task}{target_option}  {case.why}  {question}  {answers}")
                if case.remark:
                    typer.echo(f"    {case.remark}")
        return
    if answer not in ("yes", "no", "skip", "accept"):
        raise ProjectError(f"answer {answer!r}: expected yes, no, skip or accept")
    if reviewer is None:
        raise ProjectError("--as: name the reviewer or manager who decides")
    with opened.read() as connection:
        person = access.by_name(connection, reviewer)
    if person is None or person.role not in ("reviewer", "admin"):
        raise ProjectError(f"--as {reviewer!r}: no reviewer or manager of that name")
    overruled = opened.write(reviewing.decide, project, person.id, task, answer, target, note, time.time())
    typer.echo(f"Settled; {overruled} answers are overruled.")


def model(
    folder: Folder,
    out: Annotated[Path, typer.Option(help="File to write: .zip.")],
    version: Annotated[int | None, typer.Option(min=1, help="Which one. Default: the current one.")] = None,
    database: Url = None,
) -> None:
    """Write a version of the model as one file, as the dashboard offers it."""
    from oneof.annotation.learning import downloads
    from oneof.annotation.project.classes import ProjectError
    from oneof.files.atomic import replacing

    project, opened = open_database(folder, database)
    with opened.read() as connection:
        wanted = version or downloads.current_version(connection)
    if wanted is None:
        raise ProjectError("there is no model yet: oneof annotate train")
    with replacing(out) as part:
        downloads.zip_model(project, wanted, part)
    typer.echo(f"version {wanted} -> {out}")


def _change(text: str) -> tuple[str, Any]:
    """The name and the value of NAME=VALUE, which is read as TOML, or else is a text."""
    from oneof.annotation.project.classes import ProjectError

    name, sign, value = text.partition("=")
    if not sign:
        raise ProjectError(f"{text!r}: expected NAME=VALUE")
    if value.strip() == "none":
        return name.strip(), None
    try:
        return name.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name.strip(), value
