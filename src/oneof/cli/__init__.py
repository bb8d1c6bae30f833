"""The command line: one file per command group, no logic of its own."""

import warnings
from importlib import metadata
from typing import Annotated

import typer

from oneof.cli import annotate, data, demo, errors, evaluate, export, plan, predict, report, reproduce, simulate, train
from oneof.cli.options import SettingsCommand
from oneof.engines.plugins import load_plugins

app = typer.Typer(
    name="oneof",
    help='Train classifiers from yes/no answers to "is it one of these?".\n\nStart with [bold]oneof demo[/bold].',
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("demo")(demo.demo)
app.command("simulate")(simulate.simulate)
app.command("train", cls=SettingsCommand)(train.train)
app.command("evaluate")(evaluate.evaluate)
app.command("predict")(predict.predict)
app.command("export")(export.export)
app.command("plan")(plan.plan)
app.command("reproduce")(reproduce.reproduce)
app.command("report")(report.report)
app.add_typer(data.app, name="data")
app.add_typer(annotate.app, name="annotate")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"oneof {metadata.version('oneof')}")
        raise typer.Exit


@app.callback()
def _before_any_command(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    # For the help only: errors.run has read flag and variable, and removed the flag.
    traceback: Annotated[
        bool, typer.Option(errors.FLAG, envvar=errors.VARIABLE, help="Show the whole traceback of an error.")
    ] = False,
) -> None:
    load_plugins()


def main() -> None:
    """Run the command line; a mistake ends in one clear line on stderr, not in a traceback."""
    # A picture that is too large is refused by name; one that is merely large needs no warning.
    warnings.filterwarnings("ignore", message="Image size .* exceeds limit")
    errors.run(app)
