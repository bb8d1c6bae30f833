"""oneof simulate: answers from items whose labels are known."""

from pathlib import Path
from typing import Annotated, Any

import typer

from oneof.cli.options import AsJson, Items, Labels, Seed, show

QUESTIONS = 1
"""The stream of a seed that draws questions, so that they do not depend on labels drawn with the same seed."""


def simulate(
    source: Items,
    size: Annotated[int, typer.Option(help="Labels in a question, m: 1 to k-1.")],
    out: Annotated[Path, typer.Option(help="Where to write: .csv, .jsonl, .parquet or .npz.")],
    labels: Labels = None,
    seed: Seed = 0,
    flip_yes: Annotated[float, typer.Option(help="P(no | truth yes); written along, so that training corrects.")] = 0.0,
    flip_no: Annotated[float, typer.Option(help="P(yes | truth no); written along, so that training corrects.")] = 0.0,
    per_item: Annotated[int, typer.Option(min=1, help="Answers about each item.")] = 1,
    predictions: Annotated[
        Path | None,
        typer.Option(
            help="Judge a model: each question shows its prediction, from `oneof predict`, among random others."
        ),
    ] = None,
    adaptive: Annotated[
        bool, typer.Option("--adaptive", help="Train after each batch, and ask what tells the model most.")
    ] = False,
    budget: Annotated[int, typer.Option(min=1, help="With --adaptive: questions in all.")] = 500,
    batch: Annotated[int, typer.Option(min=1, help="With --adaptive: questions between two trainings.")] = 50,
    uniform_share: Annotated[
        float, typer.Option(help="With --adaptive: share of questions drawn at random, which judge the model.")
    ] = 0.1,
    label_cost: Annotated[
        float, typer.Option(help="With --adaptive: time to read one label, in units of the time of a question.")
    ] = 0.0,
    largest: Annotated[
        int | None, typer.Option(min=1, help="With --adaptive: most labels in a question, a group counting as one.")
    ] = None,
    strategy: Annotated[
        str,
        typer.Option(
            help="With --adaptive: watch (uniform until the model knows enough; finish from 16 classes on), "
            "spread, finish, uniform, or rehearse to compare these three without labels."
        ),
    ] = "watch",
    groups: Annotated[
        Path | None,
        typer.Option(help="With --adaptive: classes, .csv or .json with name and parent: the groups to ask about."),
    ] = None,
    epochs: Annotated[int | None, typer.Option(help="With --adaptive: passes over the items in each training.")] = None,
    as_json: AsJson = False,
) -> None:
    """Simulate annotators: draw a random question for each item and answer it from the item's label.

    With --predictions, questions to judge a trained model by: exact at any number of classes. Its answers judge those
    predictions and no others.

    With --adaptive, play the whole loop instead: ask, train, choose the next questions, until the budget is spent.

    Example: oneof simulate dataset:digits/train --size 3 --out answers.csv
    """
    import numpy as np

    from oneof.answers import Answers
    from oneof.answers.files import SUFFIXES
    from oneof.files.suffixes import suffix_to_write
    from oneof.items.labels import load_labels, load_predictions
    from oneof.items.loading import load
    from oneof.queries import PredictionQueries, UniformQueries, respond

    if adaptive and predictions is not None:
        raise typer.BadParameter("--predictions judges one model, --adaptive trains many: give one of them")
    suffix_to_write(out, SUFFIXES)
    items = load(source)
    truth, names = (items.labels, items.class_names) if labels is None else load_labels(labels, items)
    if truth is None:
        raise ValueError(f"{source} has no labels of its own: give them with --labels")
    classes = len(names) if names else int(truth.max()) + 1
    if names == tuple(map(str, range(classes))):
        names = None  # a class that is named by its number needs no name
    item_names = None if isinstance(items.ids, range) else items.ids.tolist()
    given_names: dict[str, Any] = {"class_names": names, "item_names": item_names}
    facts: dict[str, Any] = {"out": str(out), "classes": classes, "size": size}
    if adaptive:
        from oneof.classifier import OneOfClassifier
        from oneof.planning.simulation import simulate_adaptive

        run = simulate_adaptive(
            OneOfClassifier(epochs=epochs, random_state=seed),
            items.x,
            truth,
            classes,
            budget=budget,
            batch=batch,
            start=min(budget, max(2 * batch, 10 * classes)),
            start_size=size,
            uniform_share=uniform_share,
            flip_yes=flip_yes,
            flip_no=flip_no,
            label_cost=label_cost,
            largest=largest,
            strategy=strategy,
            groups=None if groups is None else _groups(groups, names or tuple(map(str, range(classes)))),
            seed=seed,
            progress=None if as_json else lambda row: typer.echo(_round(row)),
        )
        answers = run.answers.named(**given_names)
        facts["history"] = json_rows(run.history)
    else:
        rng = np.random.default_rng([seed, QUESTIONS])
        about = np.repeat(np.arange(len(items)), per_item)
        design: dict[str, Any] = {}
        if predictions is None:
            subsets = UniformQueries(classes, size).draw(len(about), rng)
        else:
            predicted = load_predictions(predictions, items, names or tuple(map(str, range(classes))))[about]
            subsets = PredictionQueries(classes, size).draw(predicted, rng)
            design = {"design": "prediction", "predicted": predicted}
        responses = respond(subsets, truth[about], flip_yes=flip_yes, flip_no=flip_no, rng=rng)
        answers = Answers(subsets, responses, about, flip_yes=flip_yes, flip_no=flip_no, **design).named(**given_names)
    answers.save(out)
    share = float(answers.yes.mean())
    answered = len(np.unique(answers.items))
    facts |= {"answers": len(answers), "yes": share}
    show(facts, f"{len(answers)} answers about {answered} items, {share:.1%} of them yes: [bold]{out}[/bold]", as_json)


def _groups(path: Path, names: tuple[str, ...]) -> Any:
    """The groups in a file of classes, which must name these classes in any order."""
    from oneof.annotation.project.classes import read_classes
    from oneof.queries.groups import Groups

    parents = {each.name: each.parent or "" for each in read_classes(path)}
    for name in names:
        if name not in parents:
            raise ValueError(f"{path}: class {name!r} is missing, expected all of {', '.join(names)}")
    return Groups.from_parents([parents[name] for name in names])


def json_rows(history: Any) -> list[dict[str, Any]]:
    """The rows of a frame with None where a number is missing."""
    return [
        {name: None if value != value else value for name, value in row.items()} for row in history.to_dict("records")
    ]


def _round(row: dict[str, Any]) -> str:
    if row["accuracy"] != row["accuracy"]:  # there is nothing to judge by yet
        return f"{row['answers']:6d} answers"
    judged = f"{row['accuracy']:.1%} ({row['low']:.1%} to {row['high']:.1%})"
    return f"{row['answers']:6d} answers   label-free accuracy {judged}"
