"""oneof annotate: commands about people and items. Nothing is deleted, and everything can be undone."""

import time
from pathlib import Path
from typing import Annotated

import typer

from oneof.cli.annotate_options import Folder, ItemNames, Name, Url, Yes, open_database


def revoke(folder: Folder, name: Name, database: Url = None) -> None:
    """End a person's link and sessions; the questions they hold go to others. Their answers stay."""
    from oneof.annotation.asking import managing

    _, opened = open_database(folder, database)
    managing.revoke(opened, name, time.time())
    typer.echo(f"{name} has no access any more.")


def withdraw(folder: Folder, name: Name, yes: Yes = False, database: Url = None) -> None:
    """Leave out a person's answers and ask the questions again. Nothing is deleted; `restore` brings them back."""
    from oneof.annotation.asking import access, managing

    _, opened = open_database(folder, database)
    with opened.read() as connection:
        access.find(connection, name)
    if not yes:
        typer.confirm(f"Leave out every answer of {name} and ask the questions again?", abort=True)
    count = managing.withdraw(opened, name, time.time())
    typer.echo(f"{count} answers of {name} are withdrawn; their questions are open again.")
    typer.echo(f"To bring them back: oneof annotate restore {folder} --annotator '{name}'")


def remove(
    folder: Folder,
    items: ItemNames = None,
    because: Annotated[str, typer.Option(help="Why; it is recorded.")] = "",
    yes: Yes = False,
    database: Url = None,
) -> None:
    """Take items out: asked no more, left out of training and exports. Without ITEM, list what is out."""
    from oneof.annotation.asking import removing
    from oneof.evaluation.estimate import counted

    _, opened = open_database(folder, database)
    if not items:
        with opened.read() as connection:
            for item in removing.removed_items(connection):
                typer.echo(f"{item.name}: {item.reason or '(no reason given)'}")
        return
    if not yes:
        typer.confirm(f"Take out {counted(len(items), 'item')}?", abort=True)
    gone = removing.remove(opened, items, because, time.time())
    typer.echo(f"Took out {counted(len(gone), 'item')}. To bring back: oneof annotate restore {folder} ITEM...")


def restore(
    folder: Folder,
    items: ItemNames = None,
    annotator: Annotated[str | None, typer.Option(help="Bring back this person's withdrawn answers.")] = None,
    database: Url = None,
) -> None:
    """Bring back items that were removed, or answers that were withdrawn."""
    from oneof.annotation.asking import managing, removing
    from oneof.annotation.project.classes import ProjectError
    from oneof.evaluation.estimate import counted

    if not items and annotator is None:
        raise ProjectError("restore what? Name items, or --annotator NAME")
    _, opened = open_database(folder, database)
    if items:
        typer.echo(f"Brought back {counted(len(removing.restore(opened, items, time.time())), 'item')}.")
    if annotator is not None:
        typer.echo(f"{managing.restore_answers(opened, annotator, time.time())} answers of {annotator} count again.")


def reassign(
    folder: Folder,
    name: Name,
    to: Annotated[str | None, typer.Option(help="Who gets them. Default: whoever asks next.")] = None,
    skipped: Annotated[bool, typer.Option("--skipped", help='Also what they answered "can\'t tell".')] = False,
    database: Url = None,
) -> None:
    """Hand the questions that a person holds to somebody else."""
    from oneof.annotation.asking import managing

    _, opened = open_database(folder, database)
    count = managing.reassign(opened, name, time.time(), to=to, skipped=skipped)
    typer.echo(f"{count} questions of {name} go to {to or 'others'}.")


def pause(
    folder: Folder,
    name: Annotated[str | None, typer.Argument(help="One annotator. Default: everybody.")] = None,
    database: Url = None,
) -> None:
    """Hand out no more questions; what is on a screen may still be answered."""
    _set_paused(folder, database, name, True)


def resume(
    folder: Folder,
    name: Annotated[str | None, typer.Argument(help="One annotator. Default: everybody.")] = None,
    database: Url = None,
) -> None:
    """Go on after a pause."""
    _set_paused(folder, database, name, False)


def _set_paused(folder: Path, database: str | None, name: str | None, paused: bool) -> None:
    from oneof.annotation.asking import managing

    _, opened = open_database(folder, database)
    managing.set_paused(opened, name, paused, time.time())
    typer.echo(f"{name or 'The project'} is {'paused' if paused else 'going on'}.")
