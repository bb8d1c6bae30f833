"""oneof annotate status: the figures as lines of text, and a table of the annotators."""

from collections.abc import Sequence
from typing import Any

import typer

COLUMNS = ("name", "answers", "can't tell", "yes", "median s", "too fast", "gold", "same again", "last hour")


def print_status(figures: dict[str, Any]) -> None:
    """Print progress, agreement, the model's accuracy, and a row for each annotator."""
    alpha, model = figures["agreement_alpha"], figures["model"]
    typer.echo(
        f"{figures['project']}: {figures['answered']} of {figures['needed']} answers, {figures['skipped']} can't tell"
        f"{', paused' if figures['paused'] else ''}"
    )
    typer.echo(f"yes {_percent(figures['yes_rate'])}, expected {_percent(figures['expected_yes_rate'])}")
    typer.echo(f"agreement (Krippendorff's alpha): {'-' if alpha is None else f'{alpha:.3f}'}")
    if model is not None:
        interval = f"{_percent(model['low'])} to {_percent(model['high'])}"
        typer.echo(f"model, without labels: {_percent(model['accuracy'])} ({interval}, {model['judged_on']} answers)")
        if model["round"]["asked"]:
            typer.echo(f"  judging round: {model['round']['answered']} of {model['round']['asked']} answered")
        for case in model["what_if"]:
            ends = f"{_percent(case['low'])} to {_percent(case['high'])}"
            typer.echo(
                f"  if people erred in {_percent(case['error'])} of answers: {_percent(case['accuracy'])} ({ends})"
            )
        for note in filter(None, [*model["notes"], model["warning"]]):
            typer.echo(f"  {note}")
    coming = figures["next_answers"]
    if coming is not None:
        ends = f"{100 * coming['low']:.1f} to {100 * coming['high']:.1f}"
        typer.echo(
            f"the next {coming['answers']} answers: {100 * coming['gain']:.1f} points more accuracy expected ({ends})"
        )
    _print_table([_row(person) for person in figures["annotators"]])


def _print_table(rows: Sequence[Sequence[str]]) -> None:
    """Print a table; in a window that is too narrow for it, some lines for each person instead."""
    from rich.console import Console
    from rich.table import Table

    table = Table(*COLUMNS)
    for row in rows:
        table.add_row(*row)
    window = Console()
    wide = Console(width=10_000).measure(table).maximum
    if window.width >= wide or not window.is_terminal:
        Console(width=max(window.width, wide)).print(table)
        return
    for name, *values in rows:
        typer.echo(f"\n{name}")
        for column, value in zip(COLUMNS[1:], values, strict=True):
            typer.echo(f"  {column:<{max(map(len, COLUMNS))}}  {value}")


def _row(person: dict[str, Any]) -> list[str]:
    seconds = person["median_seconds"]
    return [
        person["name"],
        str(person["answered"]),
        str(person["skipped"]),
        _percent(person["yes_rate"]),
        "-" if seconds is None else f"{seconds:.1f}",
        _percent(person["too_fast"]),
        f"{person['gold_right']} of {person['gold_asked']}",
        f"{person['repeats_same']} of {person['repeats_asked']}",
        str(person["last_hour"]),
    ]


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"
