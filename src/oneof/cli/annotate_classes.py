"""oneof annotate classes: list them, and change them while people answer."""

import time
from typing import Annotated, Literal, cast

import typer

from oneof.cli.annotate_options import Folder, Url, Yes, open_database


def classes(
    folder: Folder,
    add: Annotated[str | None, typer.Option(help="Add a class of this name.")] = None,
    rename: Annotated[str | None, typer.Option(help="Give this class another name (--to).")] = None,
    describe: Annotated[str | None, typer.Option(help="Give this class another --definition.")] = None,
    merge: Annotated[str | None, typer.Option(help="Merge this class into another one (--into).")] = None,
    retire: Annotated[str | None, typer.Option(help="Ask about this class no more.")] = None,
    to: Annotated[str | None, typer.Option(help="The other name.")] = None,
    into: Annotated[str | None, typer.Option(help="The class that stays.")] = None,
    before: Annotated[
        str | None, typer.Option(help='Where things of a new class were: a class, or "none". Default: nobody knows.')
    ] = None,
    definition: Annotated[str | None, typer.Option(help="What annotators read beside the name.")] = None,
    take_back: Annotated[
        bool, typer.Option("--take-back", help="Take back the last change; again, the one before.")
    ] = False,
    yes: Yes = False,
    database: Url = None,
) -> None:
    """List the classes, or change one: says what that means for the answers so far, and asks."""
    from oneof.annotation.project import changing_classes, taking_back
    from oneof.annotation.project.classes import ProjectError

    project, opened = open_database(folder, database)
    options = {"add": add, "rename": rename, "describe": describe, "merge": merge, "retire": retire}
    wanted = {kind: name for kind, name in options.items() if name is not None}
    if len(wanted) + take_back > 1:
        raise ProjectError(f"--{' --'.join([*wanted, *(['take-back'] if take_back else [])])}: one change at a time")
    if take_back:
        with opened.read() as connection:
            step = taking_back.last(connection)
            if step is None:
                raise ProjectError("no change of the classes is recorded that could be taken back")
            typer.echo(f"The last change: {step.words}.")
            for sentence in taking_back.consequences(connection, project, step):
                typer.echo(sentence)
        if not yes:
            typer.confirm("Take it back?", abort=True)
        taking_back.take_back(opened, project, time.time(), entry=step.entry)
        typer.echo("Done. A server that runs takes it over within seconds.")
        return
    if not wanted:
        for number in project.active:
            one = project.classes[number]
            typer.echo(f"{one.name}: {one.definition}" if one.definition else one.name)
        return
    ((kind, name),) = wanted.items()
    known = cast(Literal["rename", "describe", "add", "merge", "retire"], kind)
    change = changing_classes.Change(known, name, into, before, definition, to)
    with opened.read() as connection:
        for sentence in changing_classes.consequences(connection, project, change):
            typer.echo(sentence)
    if not yes:
        typer.confirm("Do it?", abort=True)
    changing_classes.apply(opened, project, change, time.time())
    typer.echo("Done. A server that runs takes it over within seconds.")
