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
    list_left_out,
    show,
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
            help="From items to numbers: {encoders}, an .onnx file, or several "
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
    from oneof.classifier.choosing_encoders import choose_encoder
    from oneof.classifier.choosing_networks import fit_chosen
    from oneof.classifier.comparing import describe
    from oneof.classifier.files import refuse_other_folder
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
    elsewhere = engine != "local" or any(given is not None for given in trial_options)
    _refuse_combinations(search, elsewhere, devices * nodes > 1, resume, bool(log))
    if noise not in (None, "estimate"):
        raise typer.BadParameter(f"--noise {noise}: expected estimate; known rates belong into the file of answers")
    callbacks = [create_callback(text) for text in log or ()]
    configuration = Config.read(config, **settings)
    fabric = launch(devices, nodes, precision=configuration.precision, device=configuration.device)
    shown = not as_json and fabric.is_global_zero
    raw = load(source)
    training = Answers.load(answers)
    raw.align(training)  # before anything is encoded: answers about other items are a mistake
    if noise is None:
        training.refuse_contradictions()  # here, where items still have their names
    refuse_other_folder(out)  # now rather than after hours of training
    parent = next(folder for folder in out.absolute().parents if folder.exists())
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        raise PermissionError(f"{parent} is not a folder that can be written to: choose another place")
    items, fitted_encoder = raw, None
    if encoder is not None or raw.kind != "numbers":
        sized = {} if picture_size is None else {"size": picture_size}
        chosen = choose_encoder(raw, training, encoder or "auto", shown=shown, **sized)
        items, fitted_encoder = chosen.items, chosen.encoder
        if shown:
            typer.echo(describe(chosen.table) or f"encoder {fitted_encoder.name}")
    training = items.align(training)
    if noise == "estimate":
        training, rates = estimate_flips(items.x, training, configuration)
        if shown:
            typer.echo(describe_flips(rates))
    features = Features(items.x)
    unfinished = out.with_name(f"{out.name}.checkpoint" if search is None else f"{out.name}.search.json")
    if search is not None:
        with choose(
            engine, workers=workers, address=address, cpus=cpus_per_trial, gpus=gpus_per_trial, retries=retries
        ) as chosen_engine:
            fitted = search_settings(
                features, training, configuration,
                how=search, trials=trials, engine=chosen_engine, path=unfinished, resume=resume, shown=shown,
            )  # fmt: skip
    else:
        fitted = fit_chosen(
            features, training, configuration, encoded=fitted_encoder is not None,
            callbacks=callbacks, path=unfinished, resume=resume, shown=shown, fabric=fabric,
        )  # fmt: skip
    if not fabric.is_global_zero:
        return
    classifier = OneOfClassifier.from_fitted(fitted, training.class_names or range(training.classes), features.shape)
    answered = np.asarray(items.ids).astype(str)[np.unique(training.items)]
    trained_on = np.flatnonzero(np.isin(np.asarray(raw.ids).astype(str), answered))
    model = Model(classifier, fitted_encoder, content_hashes(raw.x[trained_on]))
    model.save(out)
    unfinished.unlink(missing_ok=True)
    judged = model.accuracy_
    show(
        {
            "out": str(out),
            "accuracy": None if judged is None else judged._asdict(),
            "unjudged": fitted.unjudged,
            "best_epoch": classifier.best_epoch_,
            "choice": fitted.choice,
            "encoder": None if fitted_encoder is None else fitted_encoder.name,
            "left_out": list(items.left_out),
            "config": model.config_.model_dump(),
        },
        f"[bold]{out}[/bold]: {_described(model.config_.backbone, features.shape)}, "
        + (f"label-free accuracy {judged}" if judged else f"not judged: {fitted.unjudged}")
        + list_left_out(items.left_out),
        as_json,
    )


def _refuse_combinations(search: str | None, elsewhere: bool, shared: bool, resume: bool, log: bool) -> None:
    """Refuse options that do not go with the search, or with one training.

    elsewhere: where trials are done, or what they get, was given. shared: several processes share each batch.
    """
    if search != "grid" and elsewhere:
        raise typer.BadParameter("--engine, --workers, --address and what a trial gets are for --search grid")
    if search is not None and shared:
        raise typer.BadParameter("a search shares out its trials, not its batches: use --workers, not --devices")
    if search == "optuna" and resume:
        raise typer.BadParameter("an optuna search cannot be resumed: leave out --resume")
    if search is not None and log:
        raise typer.BadParameter("--log is for one training, not for the many of a search")


def _described(backbone: str, shape: tuple[int, ...]) -> str:
    """Which network it is, and what its input is."""
    given = f"{shape[0]} features" if len(shape) == 1 else f"pictures of {' x '.join(map(str, shape))}"
    return f"{backbone} on {given}"
