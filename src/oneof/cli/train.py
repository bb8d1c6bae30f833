"""oneof train: from items and answers to a model folder."""

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from oneof.cli.options import (
    Address,
    AnswersFile,
    AsJson,
    CpusPerTrial,
    EngineName,
    GpusPerTrial,
    Items,
    Retries,
    Workers,
    show,
    told,
    with_settings,
)
from oneof.engines.base import DEFAULT_RETRIES


@with_settings
def train(
    source: Items,
    answers: AnswersFile,
    out: Annotated[Path, typer.Option(help="The model folder to write.")],
    settings: dict[str, Any],
    config: Annotated[Path | None, typer.Option(help="A TOML file of settings; options go over it.")] = None,
    encoder: Annotated[
        str | None,
        typer.Option(
            help="From items to numbers: pixels, words, wordllama, efficientnet-lite0, an .onnx file, or several "
            "joined by +. Default for texts and pictures: auto, by what is installed and by held-out answers."
        ),
    ] = None,
    picture_size: Annotated[
        int | None, typer.Option(min=8, help="Pixels of a picture's longer side. Default: as the encoder says.")
    ] = None,
    noise: Annotated[
        str | None, typer.Option(help="estimate: answers may be wrong; find each annotator's flip rates, then train.")
    ] = None,
    log: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WHERE:WHAT", help="Write the figures of each epoch: tensorboard:FOLDER or mlflow:EXPERIMENT."
        ),
    ] = None,
    search: Annotated[
        str | None,
        typer.Option(help="Choose learning rate and weight decay label-free: grid (the paper's), or optuna."),
    ] = None,
    trials: Annotated[int, typer.Option(min=1, help="Trials of an optuna search.")] = 20,
    engine: EngineName = "local",
    workers: Workers = None,
    address: Address = None,
    cpus_per_trial: CpusPerTrial = None,
    gpus_per_trial: GpusPerTrial = None,
    retries: Retries = DEFAULT_RETRIES,
    devices: Annotated[int, typer.Option(min=1, help="Processes on this machine that share each batch.")] = 1,
    nodes: Annotated[int, typer.Option(min=1, help="Machines that take part; start the command on each.")] = 1,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where a killed run, or a killed grid search, stopped.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Train a classifier on answers, and say how accurate it is without a single label.

    Example: oneof train dataset:digits/train answers.csv --out model
    """
    import numpy as np

    from oneof.answers import Answers
    from oneof.classifier import OneOfClassifier
    from oneof.classifier.choosing import choose_encoder, describe, fit_chosen
    from oneof.classifier.model import Model
    from oneof.classifier.noisy import describe_flips, estimate_flips
    from oneof.engines.choice import choose
    from oneof.items.hashing import content_hashes
    from oneof.items.loading import load
    from oneof.training import Config, Features
    from oneof.training.callbacks import create as create_callback
    from oneof.training.search import search_settings
    from oneof.training.workers import launch

    trial_options = (workers, address, cpus_per_trial, gpus_per_trial)
    if search != "grid" and (engine != "local" or any(given is not None for given in trial_options)):
        raise typer.BadParameter("--engine, --workers, --address and what a trial gets are for --search grid")
    if search is not None and devices * nodes > 1:
        raise typer.BadParameter("a search shares out its trials, not its batches: use --workers, not --devices")
    if search == "optuna" and resume:
        raise typer.BadParameter("an optuna search cannot be resumed: leave out --resume")
    if noise not in (None, "estimate"):
        raise typer.BadParameter(f"--noise {noise}: expected estimate; rates that are known stand in the answers")
    if log and search is not None:
        raise typer.BadParameter("--log is for one training, not for the many of a search")
    callbacks = [create_callback(text) for text in log or ()]
    given = Config.read(config, **settings)
    fabric = launch(devices, nodes, precision=given.precision, device=given.device)
    shown = not as_json and fabric.is_global_zero
    raw = load(source)
    asked = Answers.load(answers)
    if out.exists() and not (out / "model.json").is_file():
        raise ValueError(f"{out} exists and is not a model: choose another place")
    home = next(folder for folder in out.absolute().parents if folder.exists())
    if not home.is_dir() or not os.access(home, os.W_OK):  # better now than after hours of training
        raise PermissionError(f"{home} is not a folder that can be written to: choose another place")
    items, maker = raw, None
    if encoder is not None or raw.kind != "numbers":
        sized = {} if picture_size is None else {"size": picture_size}
        chosen = choose_encoder(raw, asked, encoder or "auto", shown=shown, **sized)
        items, maker = chosen.items, chosen.encoder
        if shown:
            typer.echo(describe(chosen.table) or f"encoder {maker.name}")
    known = items.align(asked)
    if noise == "estimate":
        known, rates = estimate_flips(items.x, known, given)
        if shown:
            typer.echo(describe_flips(rates))
    features = Features(items.x)
    kept = out.with_name(f"{out.name}.checkpoint" if search is None else f"{out.name}.search.json")
    if search is not None:
        with choose(
            engine, workers=workers, address=address, cpus=cpus_per_trial, gpus=gpus_per_trial, retries=retries
        ) as place:
            fitted = search_settings(
                features, known, given,
                how=search, trials=trials, engine=place, path=kept, resume=resume, shown=shown,
            )  # fmt: skip
    else:
        fitted = fit_chosen(
            features, known, given,
            encoded=maker is not None, callbacks=callbacks, path=kept, resume=resume, shown=shown, fabric=fabric,
        )  # fmt: skip
    if not fabric.is_global_zero:
        return
    classifier = OneOfClassifier.from_fitted(fitted, known.class_names or range(known.classes), features.shape)
    learned = np.isin(np.asarray(raw.ids).astype(str), np.asarray(items.ids).astype(str)[np.unique(known.items)])
    model = Model(classifier, maker, content_hashes(raw.x[np.flatnonzero(learned)]))
    model.save(out)
    kept.unlink(missing_ok=True)
    judged = model.accuracy_
    show(
        {
            "out": str(out),
            "accuracy": None if judged is None else judged._asdict(),
            "unjudged": fitted.unjudged,
            "best_epoch": classifier.best_epoch_,
            "choice": fitted.choice,
            "encoder": None if maker is None else maker.name,
            "left_out": list(items.left_out),
            "config": model.config_.model_dump(),
        },
        f"[bold]{out}[/bold]: {_described(model.config_.backbone, features.shape)}, "
        + (f"label-free accuracy {judged}" if judged else f"not judged: {fitted.unjudged}")
        + told(items.left_out),
        as_json,
    )


def _described(backbone: str, shape: tuple[int, ...]) -> str:
    """Which network it is, and what it gets of an item."""
    from oneof.models import resolve

    given = f"{shape[0]} features" if len(shape) == 1 else f"pictures of {' x '.join(map(str, shape))}"
    return f"{resolve(backbone, shape)} on {given}"
