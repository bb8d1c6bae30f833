"""Arguments and options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

Items = Annotated[
    str,
    typer.Argument(
        metavar="ITEMS",
        help="Items: .npy/.npz, .csv/.parquet (an id column and numeric features), a folder of images, "
        "or dataset:NAME/train|test (dataset:digits/train needs no download).",
    ),
]
AnswersFile = Annotated[
    Path,
    typer.Argument(metavar="ANSWERS", help="Answers: .csv, .jsonl, .parquet or .npz; columns item, subset, answer."),
]
Model = Annotated[Path, typer.Argument(metavar="MODEL", help="A model folder that `oneof train` wrote.")]
Labels = Annotated[
    Path | None,
    typer.Option(help="True labels: .npy in the order of the items, or .csv/.parquet with columns id and label."),
]
Seed = Annotated[int, typer.Option(help="Fixes subsets, answers, initial weights and batch order.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts instead of text.")]


def show(facts: dict[str, object], text: str, as_json: bool) -> None:
    """Print the facts as JSON, or the text for people."""
    import json

    from rich import print as rich_print

    if as_json:
        typer.echo(json.dumps(facts))
    else:
        rich_print(text)
