"""Arguments and options that several commands share; every setting of training as an option."""

import json
from collections.abc import Callable, Sequence
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperOption

from oneof.training.config import Config, describe

Items = Annotated[
    str,
    typer.Argument(
        metavar="ITEMS",
        help="Items: a folder of pictures or of .txt files; a table (.csv .tsv .jsonl .parquet) with an id column and "
        "a column text, a column path of pictures, or numeric features; .txt, a text per line; .npy/.npz; "
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


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """A command with every setting of `Config` as an option; it gets their values as the argument `settings`.

    An option that is not given is None, so that the file of settings or `Config` decides.
    """
    names = {name: "option" if name == "options" else name for name in Config.model_fields}
    added = [
        Parameter(option, Parameter.KEYWORD_ONLY, default=None, annotation=_option(name))
        for name, option in names.items()
    ]
    own = [parameter.replace(kind=Parameter.KEYWORD_ONLY) for parameter in signature(command).parameters.values()]
    place = [parameter.name for parameter in own].index("settings")

    @wraps(command)
    def with_options(**given: Any) -> None:
        settings = {name: given.pop(option) for name, option in names.items()}
        command(**given, settings=settings | {"options": _pairs(settings["options"])})

    whole = signature(command).replace(parameters=[*own[:place], *added, *own[place + 1 :]])
    with_options.__signature__ = whole  # type: ignore[attr-defined]  # what `inspect.signature` looks at; typeshed has none
    with_options.__annotations__ = {name: parameter.annotation for name, parameter in whole.parameters.items()}
    return with_options


class SettingsCommand(TyperCommand):
    """A command `with_settings`. Names in its help are filled in only when it is printed, since they need torch."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help, with the names of objectives, losses, networks and encoders that are registered by now."""
        from oneof import encoders

        for option in (parameter for parameter in self.params if isinstance(parameter, TyperOption)):
            setting = "options" if option.name == "option" else option.name
            if setting in Config.model_fields:
                option.help = describe(str(setting))
            elif option.help:
                option.help = option.help.format(encoders=", ".join(encoders.names()))
        super().format_help(ctx, formatter)


def _option(setting: str) -> Any:
    field = Config.model_fields[setting]
    if setting == "options":
        return Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help=field.description)]
    kinds = field.annotation, *getattr(field.annotation, "__args__", ())
    kind = next((kind for kind in (int, float) if kind in kinds), str)
    return Annotated[kind | None, typer.Option(help=field.description)]


def _pairs(given: list[str] | None) -> dict[str, Any] | None:
    """From texts NAME=VALUE to names and values, which are read as JSON where they are JSON, such as numbers."""
    pairs = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise typer.BadParameter(f"--option {text}: expected NAME=VALUE, such as kappa=0.5")
        try:
            pairs[name] = json.loads(value)
        except json.JSONDecodeError:
            pairs[name] = value
    return pairs or None


def list_left_out(left_out: Sequence[str], most: int = 20) -> str:
    """The items that could not be read, for the end of a command's text; empty where there are none."""
    from rich.markup import escape

    if not left_out:
        return ""
    lines = [f"  {escape(line)}" for line in left_out[:most]]
    more = f"\n  and {len(left_out) - most} more" if len(left_out) > most else ""
    return f"\n{len(left_out)} left out:\n" + "\n".join(lines) + more


def show(facts: dict[str, object], text: str, as_json: bool) -> None:
    """Print the facts as JSON, or the text for people, whose lines are not wrapped."""
    from rich import get_console

    if as_json:
        typer.echo(json.dumps(facts))
    else:
        get_console().print(text, soft_wrap=True)
