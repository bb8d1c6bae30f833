"""oneof demo: the whole idea in about a minute."""

from pathlib import Path
from typing import Annotated

import typer

from oneof.cli.options import AsJson, Seed


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the page with the curves.")] = Path("oneof-demo"),
    size: Annotated[int, typer.Option(min=1, max=9, help="Labels in a question, of ten.")] = 5,
    epochs: Annotated[int | None, typer.Option(help="Passes over the items. Default: as many as it takes.")] = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Learn to read digits from yes/no answers: simulate, train four ways, judge without labels, draw the curves.

    Needs no download. Example: oneof demo
    """
    import json

    from rich.console import Console
    from rich.table import Table

    from oneof.experiments.demo import run

    result = run(out, size=size, seed=seed, epochs=epochs, shown=not as_json)
    if as_json:
        typer.echo(json.dumps(result))
        return
    table = Table(title=f"Digits from {result['answers']} answers to “is it one of these {size}?”")
    for heading in ("objective", "label-free accuracy", "95 % interval", "true accuracy"):
        table.add_column(heading, justify="left" if heading == "objective" else "right")
    for row in result["rows"]:
        interval = f"{row['low']:.1%} to {row['high']:.1%}"
        table.add_row(row["name"], f"{row['label_free']:.1%}", interval, f"{row['true']:.1%}")
    console = Console()
    console.print(table)
    console.print(
        f"The interval comes from {result['judging']} yes/no answers about unseen digits; the true accuracy from "
        "their labels, which nothing else has looked at."
    )
    console.print(f"Curves: [bold]{result['page']}[/bold]", soft_wrap=True)
