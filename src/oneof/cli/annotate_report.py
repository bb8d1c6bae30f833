"""oneof annotate report: the current model class by class, without labels."""

from __future__ import annotations

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
    for one in found["classes"] or []:
        parts = [f"{name} {_interval(one, name)}" for name in ("share", "precision", "recall")]
        typer.echo(f"{one['class']}: {', '.join(parts)}, {one['n']} answers")
    for one in found["mixed_up"]:
        typer.echo(f"{one['truth']} taken for {one['predicted']}: {one['share']:.1%} of all items ± {one['error']:.1%}")
    for one in found["calibration"] or []:
        ends = f"{one['low']:.1%} to {one['high']:.1%}"
        typer.echo(f"{one['confidence']:.0%} sure: {one['accuracy']:.1%} right ({ends}, {one['n']:.0f} answers)")
    for words in (*found["notes"].values(), *(f"no {part}: {why}" for part, why in found["why"].items())):
        typer.echo(f"  {words}")


def _interval(one: dict[str, Any], name: str) -> str:
    if one[name] is None:
        return "-"
    return f"{one[name]:.1%} ({one[f'{name}_low']:.1%} to {one[f'{name}_high']:.1%})"
