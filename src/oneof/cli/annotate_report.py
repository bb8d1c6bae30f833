"""oneof annotate report: the current model class by class, without labels."""

import json
from typing import Annotated, Any

import typer

from oneof.cli.annotate_options import Folder, Url, open_database


def report(
    folder: Folder,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with the whole confusion matrix.")] = False,
    database: Url = None,
) -> None:
    """Judge the current model class by class: precision, recall, mix-ups and calibration, without labels."""
    from oneof.annotation.learning.report import model_report
    from oneof.annotation.project.classes import ProjectError

    project, opened = open_database(folder, database)
    with opened.read() as connection:
        found = model_report(connection, project)
    if found is None:
        raise ProjectError(f"{folder}: there is no model yet; make one with `oneof annotate train`")
    if as_json:
        typer.echo(json.dumps(found, indent=1))
        return
    typer.echo(f"model {found['version']}, judged by {found['answers']} answers")
    for row in found["classes"] or []:
        parts = [f"{name} {_interval(row, name)}" for name in ("share", "precision", "recall")]
        typer.echo(f"{row['class']}: {', '.join(parts)}, {row['n']} answers")
    for pair in found["mixed_up"]:
        typer.echo(
            f"{pair['truth']} taken for {pair['predicted']}: {pair['share']:.1%} of all items ± {pair['error']:.1%}"
        )
    for group in found["calibration"] or []:
        ends = f"{group['low']:.1%} to {group['high']:.1%}"
        typer.echo(f"{group['confidence']:.0%} sure: {group['accuracy']:.1%} right ({ends}, {group['n']:.0f} answers)")
    for words in (*found["notes"].values(), *(f"no {part}: {why}" for part, why in found["why"].items())):
        typer.echo(f"  {words}")


def _interval(row: dict[str, Any], name: str) -> str:
    if row[name] is None:
        return "-"
    return f"{row[name]:.1%} ({row[f'{name}_low']:.1%} to {row[f'{name}_high']:.1%})"
