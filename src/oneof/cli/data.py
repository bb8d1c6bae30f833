"""oneof data: which data sets there are, fetch them, and check that files are the official ones."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from oneof.cli.options import AsJson

app = typer.Typer(help="List, fetch and verify the data sets.", no_args_is_help=True)

Names = Annotated[list[str] | None, typer.Argument(help="Data sets, such as mnist or CIFAR-10. Default: all.")]
Root = Annotated[
    Path | None,
    typer.Option(help="Folder with one folder per data set. Default: ONEOF_DATA, else the user's cache folder."),
]


@app.command("list")
def list_datasets(root: Root = None, as_json: AsJson = False) -> None:
    """Show the data sets, their sizes, and which are here."""
    from oneof.datasets import info, names
    from oneof.datasets.download import data_root

    rows = []
    for name in names():
        entry = info(name)
        folder = data_root(root) / name
        present = sum((folder / file.name).is_file() for file in entry.files)
        rows.append(
            {
                "name": name,
                "classes": len(entry.class_names),
                "train": entry.sizes[0],
                "test": entry.sizes[1],
                "shape": "x".join(map(str, entry.shape)),
                "megabytes": round(sum(download.bytes for download in entry.downloads) / 1e6, 1),
                "files": f"{present} of {len(entry.files)}" if entry.files else "built in",
                "homepage": entry.homepage,
            }
        )
    _show(rows, as_json, f"Data sets in {data_root(root)}")


@app.command()
def fetch(
    datasets: Annotated[list[str], typer.Argument(help="Data sets, such as mnist or CIFAR-10; 'all' for every one.")],
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Download data sets from their publishers; what is already there is kept."""
    from rich.console import Console

    from oneof.datasets import download as downloads

    # Progress goes to stderr, so that --json on stdout stays clean.
    console = Console(stderr=True)
    rows = []
    for entry in _entries(None if datasets == ["all"] else datasets):
        paths = downloads.fetch(entry, root, console=console)
        rows += [{"name": entry.name, "file": str(path), "status": "official"} for path in paths]
        if not paths:
            rows.append({"name": entry.name, "file": "built in", "status": "official"})
    _show(rows, as_json, "Fetched")


@app.command()
def verify(datasets: Names = None, root: Root = None, as_json: AsJson = False) -> None:
    """Compare each file with the published checksum. Exit code 1 if one differs, or if a file asked for is missing."""
    from oneof.datasets.download import data_root
    from oneof.datasets.verify import digest, is_official

    rows = []
    for entry in _entries(datasets):
        for file in entry.files:
            path = data_root(root) / entry.name / file.name
            algorithm, expected = file.checksum.split(":")
            if not path.is_file():
                status, found = "missing", ""
            else:
                status = "official" if is_official(path, file.checksum) else "differs"
                found = digest(path, algorithm)
            rows.append({"name": entry.name, "file": file.name, "status": status, "expected": expected, "found": found})
    _show(rows, as_json, f"Files in {data_root(root)}")
    unwanted = {"differs", "missing"} if datasets else {"differs"}
    wrong = sum(row["status"] in unwanted for row in rows)
    if wrong:
        raise ValueError(f"{wrong} of {len(rows)} files are not the published ones")


def _entries(datasets: list[str] | None) -> list[Any]:
    from oneof.datasets import info, names

    return [info(name) for name in datasets or names()]


def _show(rows: list[dict[str, Any]], as_json: bool, title: str) -> None:
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
        return
    from rich.console import Console
    from rich.table import Table

    console = Console()
    columns = [column for column in rows[0] if column not in {"homepage", "expected", "found"}]
    colours = {"official": "green", "differs": "red", "missing": "yellow"}
    table = Table(title=title, title_justify="left")
    for column in columns:
        numeric = isinstance(rows[0][column], int | float)
        table.add_column(column, justify="right" if numeric else "left", overflow="fold", no_wrap=column == "name")
    for row in rows:
        table.add_row(*(str(row[column]) for column in columns), style=colours.get(row.get("status", "")))
    console.print(table)
    for row in rows:
        if row.get("status") == "differs":
            typer.echo(f"{row['name']}/{row['file']}: expected {row['expected']}, found {row['found']}")
