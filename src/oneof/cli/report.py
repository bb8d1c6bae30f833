"""oneof report: all tables and figures, in files and on one page, from finished runs."""

from pathlib import Path
from typing import Annotated

import typer


def report(
    results_folder: Annotated[Path, typer.Option("--results", help="Folder with the rows of finished runs.")] = Path(
        "results"
    ),
    preset_name: Annotated[
        str, typer.Option("--preset", help="Whose runs: paper, cpu, cpu-mlp, cpu-dropout, smoke or fast.")
    ] = "cpu",
    output: Annotated[Path | None, typer.Option(help="The HTML file. Default: report.html among the results.")] = None,
    docs: Annotated[
        Path | None, typer.Option(help="Also write reproduction.md and leaderboard.md into this folder.")
    ] = None,
) -> None:
    """Write Tables I-VI, Figures 1-6 and the leaderboard: a file each, and one HTML page that needs no other file."""
    from oneof.experiments.leaderboard import leaderboard_runs, leaderboard_table, not_shown_yet
    from oneof.experiments.lost_classes import lost_table
    from oneof.experiments.negative_risk import negative_table
    from oneof.experiments.outputs import before_overwriting, write_report
    from oneof.experiments.pages import write_pages
    from oneof.experiments.protocol import preset
    from oneof.experiments.reproduce import write
    from oneof.experiments.store import Results

    if not results_folder.is_dir():
        raise ValueError(
            f"{results_folder}: there is no such folder; --results names one with the rows of finished runs"
        )
    results, page = Results(results_folder), output or results_folder / "report.html"
    evidence = results.evidence(preset(preset_name).name)
    for remark in before_overwriting(page, preset_name, results):
        typer.echo(remark, err=True)
    board = leaderboard_table(leaderboard_runs(results).rows, not_shown_yet(results.rows()))
    extra = [table for table in (negative_table(evidence.rows), lost_table(evidence.per_class)) if table.rows] + [board]
    title = f"oneof: the paper's tables and figures, preset {preset_name}"
    paths = [*write("all", preset_name, results), *write("leaderboard", "fast", results)]
    paths.append(write_report(evidence, page, title=title, extra=extra))
    if docs is not None:
        paths += write_pages(results, preset_name, docs)
    for path in paths:
        typer.echo(path)
