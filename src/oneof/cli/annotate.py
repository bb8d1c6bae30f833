"""oneof annotate: from a folder of items to answers, a dashboard and a trained model."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

import typer

from oneof.cli import annotate_classes, annotate_manage, annotate_programs, annotate_project, annotate_report
from oneof.cli.annotate_options import Folder, Name, Url, list_problems, open_database
from oneof.cli.annotate_status import print_status
from oneof.cli.options import AsJson

app = typer.Typer(
    help="Ask people \"is it one of these?\" on a web page. Needs the extra: pip install 'oneof\\[annotation]'",
    no_args_is_help=True,
)

Items = Annotated[
    Path, typer.Argument(metavar="PATH", help="Pictures in a folder, or .csv/.jsonl/.parquet of id, text.")
]
Gold = Annotated[
    Path | None, typer.Option(help="CSV with item,label: known items, hidden among the others to check annotators.")
]
PictureHosts = Annotated[
    list[str] | None,
    typer.Option(
        "--picture-host",
        help="A host from which pictures and sounds named in a table (id, url) are fetched; may be repeated.",
    ),
]
PublicUrl = Annotated[
    str | None,
    typer.Option(envvar="ONEOF_PUBLIC_URL", help="The address that people use, such as https://label.example.org."),
]

LogLevel = Literal["debug", "info", "warning", "error"]


@app.command()
def init(
    folder: Folder,
    classes: Annotated[
        Path, typer.Option(help="Classes: .txt, .csv or .json with name[, definition][, example][, parent].")
    ],
    size: Annotated[int, typer.Option(help="Labels in each question.")],
    items: Annotated[
        Path | None,
        typer.Option(
            help="Pictures in a folder, or .csv/.jsonl/.parquet of id, text. Default: none; upload them later."
        ),
    ] = None,
    overlap: Annotated[int, typer.Option(help="Answers wanted for each question.")] = 1,
    questions: Annotated[int, typer.Option(help="Questions about each item.")] = 1,
    epsilon: Annotated[
        float | None, typer.Option(help="Private mode: the browser flips answers at rate 1/(1+e^epsilon).")
    ] = None,
    name: Annotated[str | None, typer.Option(help="The project's name. Default: the folder's.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the questions. Default: random, and recorded.")] = None,
    gold: Gold = None,
    database: Url = None,
) -> None:
    """Make a project from items and classes."""
    from oneof.annotation.project.starting import start_project

    values = {"name": name or folder.resolve().name, "size": size, "overlap": overlap, "questions_per_item": questions}
    values |= {key: value for key, value in (("epsilon", epsilon), ("seed", seed)) if value is not None}
    with _counting("items") as report:
        started = start_project(folder, values, classes, items, gold, database, report=report)
    list_problems("left out", started.imported.left_out)
    typer.echo(f"{started.imported.added} items, {started.needed} answers wanted.")
    if started.imported.known:
        typer.echo(f"{started.imported.known} items have the same content as another and were not taken twice.")
    typer.echo(f"Next: oneof annotate serve {folder} (prints the address and the manager's link)")


@app.command()
def serve(
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR...", help="A project, several projects, or a folder of projects.")
    ],
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for every network.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 for any free one.")] = 8000,
    database: Url = None,
    workers: Annotated[int, typer.Option(min=1, help="Server processes; more than one needs PostgreSQL.")] = 1,
    public_url: PublicUrl = None,
    root_path: Annotated[str, typer.Option(help="Path under which a reverse proxy shows it, such as /label.")] = "",
    trusted_proxy: Annotated[
        list[str] | None,
        typer.Option(help="Address or network whose X-Forwarded-* headers are believed; may be given repeatedly."),
    ] = None,
    user_header: Annotated[
        str | None, typer.Option(help="Header in which a trusted proxy names who has signed in (single sign-on).")
    ] = None,
    picture_host: PictureHosts = None,
    database_server: Annotated[
        str | None,
        typer.Option(
            envvar="ONEOF_DATABASE_SERVER",
            help="postgresql://USER@HOST/DATABASE: projects made in the browser get a database beside this one.",
        ),
    ] = None,
    metrics_token: Annotated[
        str | None,
        typer.Option(envvar="ONEOF_METRICS_TOKEN", help="Who sends it may read /metrics. Default: this machine alone."),
    ] = None,
    log_level: Annotated[LogLevel, typer.Option(help="debug, info (a line per request), warning or error.")] = "info",
) -> None:
    """Serve the page until stopped. With --database URL the project moves there, if that database is empty."""
    from pydantic import ValidationError

    from oneof.annotation.project.classes import ProjectError
    from oneof.annotation.project.starting import move_project
    from oneof.annotation.web.creating import server_key
    from oneof.annotation.web.hosting import Host, Hosting
    from oneof.annotation.web.serving import serve as serve_host

    _allow(picture_host)
    if database is not None:
        if len(folders) > 1:
            raise ProjectError("--database: give it for one project at a time; each remembers its own")
        project, opened = open_database(folders[0], None)
        opened.close()
        move_project(project, database).close()
    try:
        hosting = Hosting(
            folders=folders,
            root_path=root_path,
            public_url=public_url,
            trusted_proxies=trusted_proxy or [],
            user_header=user_header,
            metrics_token=metrics_token,
            database_server=database_server,
            log_level=log_level,
        )
    except ValidationError as error:
        first = error.errors()[0]
        option = f"--{first['loc'][0]}: ".replace("_", "-") if first["loc"] else ""
        raise ProjectError(option + first["msg"].removeprefix("Value error, ")) from None
    served = Host(hosting)

    def announce(places: dict[str, str]) -> None:
        if served.home is not None and (workers == 1 or database_server is not None):
            typer.echo(f"New projects: {served.address}/new/{server_key(served.home)}")
        for hosted in served.hosted:
            place = places[hosted.slug]
            typer.echo(f"Serving {hosted.project.settings.name} on {place} (stop with Ctrl-C)")
            token = hosted.admin_token()
            command = f"oneof annotate invite {hosted.project.folder} NAME --admin"
            typer.echo(f"Admin link: {f'{place}/join/{token}' if token else command}")

    serve_host(served, host, port, workers, announce)


@app.command()
def invite(
    folder: Folder,
    name: Name,
    admin: Annotated[bool, typer.Option("--admin", help="A manager's link: the dashboard, no questions.")] = False,
    reviewer: Annotated[bool, typer.Option("--reviewer", help="A reviewer's link: the review, no questions.")] = False,
    public_url: PublicUrl = None,
    database: Url = None,
) -> None:
    """Print a personal link. A name that is already here gets a new link, and the old one ends."""
    from oneof.annotation.asking.access import invite as new_link
    from oneof.annotation.project.classes import ProjectError
    from oneof.annotation.project.starting import ADMIN

    project, opened = open_database(folder, database)
    if admin and reviewer:
        raise ProjectError("--admin and --reviewer: one of them")
    token = opened.write(new_link, name, "admin" if admin else "reviewer" if reviewer else "annotator", time.time())
    if admin and name.strip() == ADMIN:
        project.remember_admin(token)
    typer.echo(_link(folder, token, public_url))


@app.command("import")
def import_command(
    folder: Folder, path: Items, gold: Gold = None, picture_host: PictureHosts = None, database: Url = None
) -> None:
    """Add items; what is already here is left alone. People can go on answering meanwhile."""
    _allow(picture_host)
    from oneof.annotation.learning.predicting import predict_new
    from oneof.annotation.project.importing import import_items, read_gold

    with _counting("items") as report:
        project, opened = open_database(folder, database)
        known = {} if gold is None else read_gold(gold, project.label_names)
        done = import_items(opened, project, path, known, report=report)
        predict_new(opened, project)
    list_problems("left out", done.left_out)
    typer.echo(f"{done.added} new items, {done.known} already here.")


@app.command()
def export(
    folder: Folder,
    out: Annotated[Path, typer.Option(help="File to write: .csv, .jsonl or .parquet.")],
    with_skips: Annotated[
        bool, typer.Option("--with-skips/--without-skips", help='Also "can\'t tell": judging needs them.')
    ] = True,
    with_checks: Annotated[bool, typer.Option("--with-checks", help="Also hidden gold and repeats.")] = False,
    with_withdrawn: Annotated[bool, typer.Option("--with-withdrawn", help="Also withdrawn answers.")] = False,
    database: Url = None,
) -> None:
    """Write the answers to a file that `oneof train` reads."""
    from oneof.annotation.learning.exporting import export_answers

    project, opened = open_database(folder, database)
    count = export_answers(opened, project, out, skips=with_skips, checks=with_checks, withdrawn=with_withdrawn)
    typer.echo(f"{count} answers -> {out}")


@app.command()
def status(
    folder: Folder,
    audit: Annotated[bool, typer.Option("--audit", help="Derive everything again from the events.")] = False,
    as_json: AsJson = False,
    database: Url = None,
) -> None:
    """Show progress and quality. With --audit, exit code 1 if anything does not add up."""
    import json

    from oneof.annotation.learning.quality import dashboard
    from oneof.annotation.store.auditing import audit as check

    project, opened = open_database(folder, database)
    figures = dashboard(opened, project, time.time())
    problems = check(opened) if audit else []
    if as_json:
        typer.echo(json.dumps(figures | ({"problems": problems} if audit else {}), indent=1))
    else:
        print_status(figures)
        for problem in problems:
            typer.echo(f"audit: {problem}", err=True)
        if audit and not problems:
            typer.echo("audit: everything adds up")
    if problems:
        raise typer.Exit(1)


@app.command()
def train(
    folder: Folder,
    objective: Annotated[str, typer.Option(help="What training minimises; see `oneof train --help`.")] = "likelihood",
    epochs: Annotated[int | None, typer.Option(min=1, help="Passes over the answers.")] = None,
    held_out: Annotated[float, typer.Option(help="Share of items kept to judge the model.")] = 0.2,
    seed: Annotated[int, typer.Option(help="Seed of the split and of training.")] = 0,
    database: Url = None,
) -> None:
    """Train on the answers so far, and judge the model without labels; the dashboard shows it."""
    from oneof.annotation.learning.training import train_project

    project, opened = open_database(folder, database)
    trained = train_project(
        opened, project, objective=objective, epochs=epochs, held_out=held_out, seed=seed, now=time.time()
    )
    typer.echo(f"{trained.answers} answers for training, {trained.estimate.n} kept to judge.")
    if trained.unjudged:
        typer.echo(f"No accuracy: {trained.unjudged}")
    else:
        typer.echo(
            f"Accuracy without labels: {trained.estimate.value:.1%}"
            f" (95 % interval {trained.estimate.low:.1%} to {trained.estimate.high:.1%})"
        )
    typer.echo(f"Model: {trained.folder}")
    list_problems("skipped", trained.skipped)


@app.command()
def judge(
    folder: Folder,
    questions: Annotated[int | None, typer.Option(min=1, help="How many questions.")] = None,
    width: Annotated[
        float | None, typer.Option(help="Or as many as an interval of this width takes, such as 0.1.")
    ] = None,
    database: Url = None,
) -> None:
    """Ask for a judging round: what the current model guesses, among decoys, mixed among the other questions."""
    from oneof.annotation.learning.predicting import predict_new
    from oneof.annotation.learning.sizing import begin_round

    project, opened = open_database(folder, database)
    predict_new(opened, project)
    begun = begin_round(opened, project, questions, time.time(), width=width)
    typer.echo(f"{begun.questions} questions about model {begun.model} are mixed among the next ones.")
    typer.echo(f"To see the result: oneof annotate status {folder}")


@app.command()
def predict(
    folder: Folder,
    out: Annotated[Path, typer.Option(help="Where to write: .csv or .parquet.")],
    database: Url = None,
) -> None:
    """Predict the class of every item with the last model: probabilities, and which items a person should check."""
    from oneof.annotation.learning.predicting import predict_project

    project, opened = open_database(folder, database)
    done = predict_project(opened, project, out)
    typer.echo(f"{done.items} predictions: {out}. A person should check {done.to_check:.0%} of them.")
    list_problems("skipped", done.skipped)


@app.command()
def backup(
    folder: Folder,
    out: Annotated[Path, typer.Option(help="SQLite file to write: .sqlite or .db.")],
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it is there.")] = False,
    database: Url = None,
) -> None:
    """Copy the whole database into one SQLite file, while people go on answering."""
    from oneof.annotation.project.classes import ProjectError
    from oneof.annotation.store.backup import back_up
    from oneof.files.suffixes import suffix_to_write

    suffix_to_write(out, (".sqlite", ".sqlite3", ".db"))
    if out.exists() and not force:
        raise ProjectError(f"--out {out}: this file is there already; give another name, or --force to replace it")
    _, opened = open_database(folder, database)
    count = back_up(opened, out)
    typer.echo(f"{count} events -> {out}")


def _link(folder: Path, token: str, public_url: str | None = None) -> str:
    """A personal link at the address where the project, or the folder it is in, was served last; or at the default."""
    own, home = folder / "server.url", folder.resolve().parent / "server.url"
    base = "http://127.0.0.1:8000"
    if own.is_file():
        base = own.read_text().strip()
    elif home.is_file():
        base = f"{home.read_text().strip()}/{folder.resolve().name}"
    if public_url is not None:
        base = public_url.rstrip("/") + urlsplit(base).path
    return f"{base}/join/{token}"


def _allow(hosts: list[str] | None) -> None:
    """Let imports of this process, and of those that it starts, fetch pictures and sounds from these hosts."""
    import os

    from oneof.annotation.project.fetching import HOSTS

    if hosts:
        os.environ[HOSTS] = ",".join(hosts)


@contextmanager
def _counting(what: str) -> Iterator[Callable[[int], None]]:
    from rich.console import Console

    console = Console(stderr=True)
    with console.status(f"reading {what}") as shown:
        yield lambda count: shown.update(f"{count} {what}")


for command in ("revoke", "withdraw", "remove", "restore", "reassign", "pause", "resume"):
    app.command()(getattr(annotate_manage, command))
for command in ("ask", "gold", "key", "webhook", "history"):
    app.command()(getattr(annotate_programs, command))
for command in ("settings", "guidelines", "review", "model"):
    app.command()(getattr(annotate_project, command))
app.command()(annotate_report.report)
app.command()(annotate_classes.classes)
