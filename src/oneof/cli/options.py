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

EngineName = Annotated[
    str, typer.Option("--engine", help="Where trials are done: local (processes) or ray (a cluster).")
]
Workers = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Trials side by side, one CPU thread each. Default: 2; with --address what the cluster has room for.",
    ),
]
Address = Annotated[
    str | None, typer.Option(help="A running Ray cluster, such as HOST:6379. Default: one is started here.")
]
CpusPerTrial = Annotated[float | None, typer.Option(min=0, help="With ray: CPUs set aside for a trial. Default: 1.")]
GpusPerTrial = Annotated[float | None, typer.Option(min=0, help="With ray: GPUs set aside for a trial. Default: 0.")]
Retries = Annotated[int, typer.Option(min=0, help="How often a trial is begun again whose process or machine dies.")]


def show(facts: dict[str, object], text: str, as_json: bool) -> None:
    """Print the facts as JSON, or the text for people."""
    import json

    from rich import print as rich_print

    if as_json:
        typer.echo(json.dumps(facts))
    else:
        rich_print(text)
