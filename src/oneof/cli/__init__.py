"""The command line: one file a command group, no logic of its own."""

import sys

import typer

from oneof.cli import annotate, data, demo, evaluate, export, plan, predict, report, reproduce, simulate, train

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
app.command("train")(train.train)
app.command("evaluate")(evaluate.evaluate)
app.command("predict")(predict.predict)
app.command("export")(export.export)
app.command("plan")(plan.plan)
app.command("reproduce")(reproduce.reproduce)
app.command("report")(report.report)
app.add_typer(data.app, name="data")
app.add_typer(annotate.app, name="annotate")


def main() -> None:
    """Run the command line; a user's mistake ends in one clear line on stderr and exit code 2, not in a traceback."""
    try:
        app()
    except (ValueError, OSError, RuntimeError) as error:
        from rich.console import Console

        Console(stderr=True, soft_wrap=True).print(f"[red]error[/red] {_plain(error)}", highlight=False)
        sys.exit(2)


def _plain(error: Exception) -> str:
    from rich.markup import escape

    return escape(str(error).strip() or type(error).__name__)
