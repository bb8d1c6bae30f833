"""oneof simulate: answers from items whose labels are known."""

from pathlib import Path
from typing import Annotated

import typer

from oneof.cli.options import AsJson, Items, Labels, Seed, show


def simulate(
    source: Items,
    size: Annotated[int, typer.Option(help="Labels in a question, m: 1 to k-1.")],
    out: Annotated[Path, typer.Option(help="Where to write: .csv, .jsonl, .parquet or .npz.")],
    labels: Labels = None,
    seed: Seed = 0,
    flip_yes: Annotated[float, typer.Option(help="P(no | truth yes); written along, so that training corrects.")] = 0.0,
    flip_no: Annotated[float, typer.Option(help="P(yes | truth no); written along, so that training corrects.")] = 0.0,
    per_item: Annotated[int, typer.Option(min=1, help="Answers about each item.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Simulate annotators: draw a random question for each item and answer it from the item's label.

    Example: oneof simulate dataset:digits/train --size 3 --out answers.csv
    """
    import numpy as np

    from oneof import items as item_files
    from oneof.answers import Answers
    from oneof.queries import UniformQueries, respond

    items = item_files.load(source)
    truth, names = (items.labels, items.class_names) if labels is None else item_files.load_labels(labels, items)
    if truth is None:
        raise ValueError(f"{source} has no labels of its own: give them with --labels")
    classes = len(names) if names else int(truth.max()) + 1
    if names == tuple(map(str, range(classes))):
        names = None  # a class called by its number needs no name
    rng = np.random.default_rng(seed)
    about = np.repeat(np.arange(len(items)), per_item)
    subsets = UniformQueries(classes, size).draw(len(about), rng)
    said = respond(subsets, truth[about], flip_yes=flip_yes, flip_no=flip_no, rng=rng)
    numbered = np.array_equal(items.ids, np.arange(len(items)).astype(str))
    answers = Answers(
        subsets,
        said,
        about,
        class_names=names,
        item_names=None if numbered else list(items.ids),
        flip_yes=flip_yes if flip_yes or flip_no else None,
        flip_no=flip_no if flip_yes or flip_no else None,
    )
    answers.save(out)
    share = float(answers.yes.mean())
    show(
        {"out": str(out), "answers": len(answers), "classes": classes, "size": size, "yes": share},
        f"{len(answers)} answers about {len(items)} items, {share:.1%} of them yes: [bold]{out}[/bold]",
        as_json,
    )
