"""oneof annotate: commands about single items and about programs, as the dashboard has them."""

import time
from typing import TYPE_CHECKING, Annotated

import typer

from oneof.cli.annotate_options import Folder, Url, open_database

if TYPE_CHECKING:
    from oneof.annotation.store.database import Database

Item = Annotated[str, typer.Argument(metavar="ITEM", help="The item's name, as in the export.")]


def ask(folder: Folder, item: Item, database: Url = None) -> None:
    """Draw another question about an item."""
    from oneof.annotation.asking import known

    project, opened = open_database(folder, database)
    opened.write(known.ask_again, project, _find(opened, item), time.time())
    typer.echo(f"{item} is asked again.")


def gold(
    folder: Folder,
    item: Item,
    label: Annotated[str | None, typer.Argument(metavar="LABEL", help="Its class. Default: not known.")] = None,
    database: Url = None,
) -> None:
    """Keep the label of an item as known, to check annotators with it; without LABEL, it is not known any more."""
    from oneof.annotation.asking import known

    project, opened = open_database(folder, database)
    opened.write(known.set_known, project, _find(opened, item), label, time.time())
    typer.echo(f"{item}: {label or 'not known'}")


def key(
    folder: Folder,
    manager: Annotated[
        str | None, typer.Argument(metavar="[MANAGER]", help="The manager whom the program acts for.")
    ] = None,
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="What the key is for.")] = None,
    revoke: Annotated[int | None, typer.Option(min=1, help="End the key of this number.")] = None,
    database: Url = None,
) -> None:
    """Print a new key for the HTTP API, which is shown once; without a manager, list the keys by number."""
    from oneof.annotation.asking import access, tokens
    from oneof.annotation.project.classes import ProjectError

    _, opened = open_database(folder, database)
    if revoke is not None:
        opened.write(tokens.revoke, revoke, time.time())
        typer.echo(f"Key {revoke} is revoked.")
        return
    with opened.read() as connection:
        if manager is None:
            for token in tokens.valid(connection):
                typer.echo(f"{token.id}  {token.name}  {token.who}")
            return
        if name is None:
            raise ProjectError("NAME: say what the key is for")
        person = access.find(connection, manager)
    typer.echo(opened.write(tokens.make, person, name, time.time()))


def webhook(
    folder: Folder,
    url: Annotated[str | None, typer.Argument(metavar="[URL]", help="The address to send to.")] = None,
    on: Annotated[str, typer.Option(help="What to send: answer, trained, finished; with commas between.")] = (
        "answer,trained,finished"
    ),
    remove: Annotated[int | None, typer.Option(min=1, help="Send nothing more to the address of this number.")] = None,
    database: Url = None,
) -> None:
    """Send answers, trained models and the end to an address; prints the secret that signs. Without URL, list them."""
    from oneof.annotation.learning import hooks

    _, opened = open_database(folder, database)
    if remove is not None:
        opened.write(hooks.remove, remove, time.time())
        typer.echo(f"Nothing is sent to address {remove} any more.")
        return
    if url is None:
        with opened.read() as connection:
            for hook in hooks.listed(connection):
                typer.echo(f"{hook.id}  {hook.url}  {','.join(hook.kinds)}  {hook.last_reply or 'nothing sent yet'}")
        return
    typer.echo(opened.write(hooks.add, url, [kind.strip() for kind in on.split(",")], time.time()))


def history(folder: Folder, database: Url = None) -> None:
    """What managers and the server did, newest first."""
    from datetime import UTC, datetime

    from oneof.annotation.store import history

    _, opened = open_database(folder, database)
    with opened.read() as connection:
        for entry in history.entries(connection, 500):
            at = datetime.fromtimestamp(entry.at, UTC).isoformat(timespec="seconds")
            detail = ", ".join(f"{name} {value}" for name, value in entry.detail.items() if value is not None)
            typer.echo(f"{at}  {entry.who or '-'}  {entry.action}  {detail}".rstrip())


def _find(opened: "Database", item: str) -> int:
    from oneof.annotation.asking import removing

    with opened.read() as connection:
        (found,) = removing.find(connection, [item])
    return int(found.id)
