"""Arguments and functions that the commands of `oneof annotate` share."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from oneof.annotation.project.folder import Project
    from oneof.annotation.store.database import Database

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The project folder.")]
Name = Annotated[str, typer.Argument(help="The annotator's name.")]
ItemNames = Annotated[list[str] | None, typer.Argument(metavar="[ITEM]...", help="Names of items, as in the export.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask first.")]
Url = Annotated[
    str | None,
    typer.Option("--database", envvar="ONEOF_DATABASE", help="postgresql://... or sqlite:///FILE. Default: own file."),
]
SHOWN_PROBLEMS = 20


def list_problems(word: str, problems: Sequence[str]) -> None:
    """Print the first problems, and how many more there are, each after the word."""
    for problem in problems[:SHOWN_PROBLEMS]:
        typer.echo(f"{word}: {problem}", err=True)
    if len(problems) > SHOWN_PROBLEMS:
        typer.echo(f"{word}: {len(problems) - SHOWN_PROBLEMS} more", err=True)


def open_database(folder: Path, database: str | None) -> tuple["Project", "Database"]:
    """The project and its database, brought up to date."""
    from oneof.annotation.project.folder import open_project
    from oneof.annotation.store import facts
    from oneof.annotation.store.upgrading import upgrade

    project = open_project(folder)
    opened = project.database(database)
    upgrade(opened)
    facts.check_classes(opened, project)
    return project, opened
