"""oneof reproduce: the paper's tables and figures, run and drawn by one command."""

import os
import re
import warnings
from pathlib import Path
from typing import Annotated

import typer

from oneof.cli.options import Address, CpusPerTrial, EngineName, GpusPerTrial, Retries, Workers
from oneof.engines.base import DEFAULT_RETRIES

Target = Annotated[
    str,
    typer.Argument(
        help="table1 to table6, figure1 to figure6, all, leaderboard; or the identity of a finished run, which is run "
        "again and compared."
    ),
]
PresetName = Annotated[
    str | None,
    typer.Option(
        "--preset",
        help="paper (GPU, days), cpu, cpu-mlp or cpu-dropout (two cores, hours), smoke (minutes, no files), fast.",
    ),
]
Folder = Annotated[Path, typer.Option("--results", help="Folder with the rows of finished runs; grows as runs finish.")]


def reproduce(
    target: Target,
    preset_name: PresetName = None,
    results_folder: Folder = Path("results"),
    dataset: Annotated[list[str] | None, typer.Option(help="Only this data set; may be given several times.")] = None,
    seeds: Annotated[int | None, typer.Option(help="Only the first so many seeds of the preset.")] = None,
    engine: EngineName = "local",
    workers: Workers = None,
    address: Address = None,
    cpus_per_trial: CpusPerTrial = None,
    gpus_per_trial: GpusPerTrial = None,
    retries: Retries = DEFAULT_RETRIES,
    accept_unverified: Annotated[
        bool, typer.Option("--accept-unverified", help="Use data files that are not the official ones, and say so.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Run nothing: show what is missing and about how long it takes.")
    ] = False,
) -> None:
    """Run what a table or figure needs and is not there yet, then write it. Start again at any time to go on."""
    from rich.console import Console

    from oneof import datasets
    from oneof.engines.choice import choose
    from oneof.experiments import reproduce as steps
    from oneof.experiments.outstanding import outstanding
    from oneof.experiments.protocol import preset
    from oneof.experiments.store import Results
    from oneof.experiments.table_format import to_markdown

    if accept_unverified:
        # In the environment, so that worker processes accept them too.
        os.environ[datasets.ACCEPT_VARIABLE] = "1"
    console, results = Console(stderr=True), Results(results_folder)
    warnings.showwarning = lambda message, *_: console.print(f"Warning: {message}", style="yellow", markup=False)
    if re.fullmatch("[0-9a-f]{12}", target):
        repeated = steps.run_again(target, results)
        typer.echo(repeated.describe())
        raise typer.Exit(0 if repeated.same else 1)
    chosen = preset(preset_name or ("fast" if target == "leaderboard" else "cpu"))
    names = [datasets.info(name).name for name in dataset or ()]
    restricted = steps.restrict(chosen, names, seeds)
    if dry_run:
        typer.echo(to_markdown(outstanding(target, restricted, results.rows(), workers or 2)), nl=False)
        return
    failures: steps.RunsFailed | None = None
    with choose(
        engine, workers=workers, address=address, cpus=cpus_per_trial, gpus=gpus_per_trial, retries=retries
    ) as chosen_engine:
        try:
            steps.run_missing(target, restricted, results, engine=chosen_engine, console=console)
        except steps.RunsFailed as error:
            failures = error
        except KeyboardInterrupt:
            typer.echo("stopped; finished runs are kept, start again to go on", err=True)
            raise
    paths = steps.write(target, chosen.name, results)
    for path in paths:
        if path.suffix == ".md" and target != "all":
            typer.echo(path.read_text(encoding="utf-8"))
    typer.echo("\n".join(str(path) for path in paths))
    if failures is not None:
        raise failures
