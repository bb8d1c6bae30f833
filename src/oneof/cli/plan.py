"""oneof plan: which size of question, and how many answers."""

from pathlib import Path
from typing import Annotated, Any

import typer

from oneof.cli.options import AsJson, Seed

HEADINGS = {
    "size": "m",
    "p_yes": "P(yes)",
    "answers": "answers",
    "decoys": "decoys",
    "cost": "time",
    "bits": "bits",
    "variance_paper": "paper",
    "variance_minimum_norm": "min-norm",
    "variance_agreement": "agreement",
    "bound": "bound",
    "privacy_cost": "privacy",
}
FORMATS = {"size": ",d", "answers": ",d", "decoys": ",d", "cost": ".2f", "bits": ".3f", "p_yes": ".3f"}


def plan(
    classes: Annotated[int, typer.Option(min=2, help="How many classes there are, k.")],
    accuracy: Annotated[float, typer.Option(min=0, max=1, help="The accuracy you expect or want, such as 0.9.")],
    width: Annotated[float, typer.Option(help="Width of the confidence interval you want, such as 0.05.")],
    confidence: Annotated[float, typer.Option(help="Confidence of the interval.")] = 0.95,
    flip_yes: Annotated[float, typer.Option(help="P(no | truth yes) of the annotators.")] = 0.0,
    flip_no: Annotated[float, typer.Option(help="P(yes | truth no) of the annotators.")] = 0.0,
    epsilon: Annotated[float | None, typer.Option(help="Privacy budget of one answer: flips on purpose.")] = None,
    label_cost: Annotated[
        float, typer.Option(min=0, help="Time to read a label, where looking and answering take 1.")
    ] = 0.25,
    largest: Annotated[int | None, typer.Option(min=1, help="At most so many labels in a question.")] = None,
    training_answers: Annotated[
        int | None, typer.Option(help="Training answers at which to state the bound; 10,000 if not given.")
    ] = None,
    delta: Annotated[float, typer.Option(help="The bound may fail with this probability.")] = 0.05,
    loss: Annotated[str, typer.Option(help="mae, mse or gce: gives the bound its C_l.")] = "mae",
    lipschitz: Annotated[float, typer.Option(help="Lipschitz constant of the loss, for the bound.")] = 1.0,
    complexity: Annotated[float, typer.Option(help="C_R of the hypothesis class, for the bound.")] = 1.0,
    pilot: Annotated[
        Path | None, typer.Option(help="A first batch of real answers: adds a forecast of the answers needed.")
    ] = None,
    items: Annotated[
        str | None, typer.Option(help="The items of the pilot, as for `oneof train`, or dataset:NAME/train.")
    ] = None,
    epochs: Annotated[int | None, typer.Option(min=1, help="Passes over the items in the pilot's trainings.")] = None,
    more: Annotated[int, typer.Option(min=1, help="With --pilot: say what so many answers more would bring.")] = 500,
    seed: Seed = 0,
    figure: Annotated[Path | None, typer.Option(help="Draw the plan into this file: .png, .pdf or .svg.")] = None,
    as_json: AsJson = False,
) -> None:
    """Say, for each size of question, how many answers you need and what each is worth.

    Example: oneof plan --classes 10 --accuracy 0.9 --width 0.05
    """
    from oneof.files.suffixes import suffix_to_write
    from oneof.planning import plan as make_plan

    if (pilot is None) != (items is None):
        raise typer.BadParameter("--pilot and --items go together: the answers, and what they are about")
    if figure is not None:
        suffix_to_write(figure, (".png", ".pdf", ".svg"))
    table = make_plan(
        classes,
        accuracy,
        width,
        confidence=confidence,
        flip_yes=flip_yes,
        flip_no=flip_no,
        epsilon=epsilon,
        label_cost=label_cost,
        largest=largest,
        training_answers=training_answers,
        delta=delta,
        loss=loss,
        lipschitz=lipschitz,
        complexity=complexity,
    )
    curve = points = None
    if pilot is not None and items is not None:
        points, curve = _forecast(pilot, items, classes, epochs, seed)
    if figure is not None:
        _draw(figure, table, curve, points, accuracy)
    facts: dict[str, Any] = {"plan": table.astype(object).where(table.notna(), None).to_dict(orient="records")}
    if points is not None and curve is not None:
        facts["pilot"] = points.to_dict(orient="records")
        facts["next_answers"] = {"more": more, **curve.gain(curve.pilot, more, confidence)._asdict()}
        facts["answers_for_accuracy"] = _finite(curve.answers_for(accuracy, confidence)._asdict())
    if as_json:
        import json

        typer.echo(json.dumps(facts))
        return
    _print(table, facts, accuracy, width, confidence, epsilon)


def _forecast(pilot: Path, items: str, classes: int, epochs: int | None, seed: int) -> tuple[Any, Any]:
    from oneof.answers import Answers
    from oneof.classifier import OneOfClassifier
    from oneof.items.loading import load
    from oneof.planning.learning_curve import fit_curve, pilot_points

    loaded = load(items)
    answers = Answers.load(pilot, classes=classes).align(loaded.ids)
    typer.echo(f"training 12 times on parts of {pilot} ...", err=True)
    points = pilot_points(OneOfClassifier(epochs=epochs, random_state=seed), loaded.x, answers, seed=seed)
    return points, fit_curve(points["answers"], points["accuracy"], points["error"], seed=seed)


def _draw(path: Path, table: Any, curve: Any, points: Any, target: float) -> None:
    from oneof.files.atomic import replacing
    from oneof.planning.figure import planning_figure

    drawn = planning_figure(table, curve, points, target)
    with replacing(path) as part:
        drawn.savefig(part, dpi=160)


def _finite(estimate: dict[str, Any]) -> dict[str, Any]:
    """The figures with None for infinity, which JSON does not have: it may never be reached."""
    return {key: None if value == float("inf") else value for key, value in estimate.items()}


def _print(
    table: Any, facts: dict[str, Any], accuracy: float, width: float, confidence: float, epsilon: float | None
) -> None:
    from rich.console import Console

    explained = (
        "answers: held out, to judge by. decoys: the same, where each question shows the prediction among random "
        "others. time: of a question, where looking and answering take 1. bits: what one answer tells."
    )
    studied = " paper, min-norm, agreement: variance of the weights. bound: Theorem 2."
    private = " privacy: times more answers." if epsilon is not None else ""
    title = f"A {confidence:.0%} interval of width {width:g} at accuracy {accuracy:g}"

    console = Console()
    shown = _table(facts["plan"], list(table.columns), title, explained + studied + private)
    wide = Console(width=10_000).measure(shown).maximum
    if console.width < wide and console.is_terminal:
        # Columns that only matter to those who study the estimators are left out.
        decisive = [name for name in table.columns if name != "bound" and not name.startswith("variance")]
        fewer = " In a wider window, in a file and with --json there is more."
        shown = _table(facts["plan"], decisive, title, explained + fewer + private)
    elif console.width < wide:
        console = Console(width=wide)
    console.print(shown)
    _advise(console, facts["plan"])
    if epsilon is not None:
        from oneof.noise.privacy import cost, flip_rate

        console.print(
            f"epsilon = {epsilon:g} flips {flip_rate(epsilon):.1%} of the answers on purpose; estimates that are "
            f"linear in the answers need at least {cost(epsilon):.2f} times as many.",
            highlight=False,
        )
    if "answers_for_accuracy" in facts:
        _foresee(console, facts, accuracy, confidence)


def _table(rows: list[dict[str, Any]], columns: list[str], title: str, caption: str) -> Any:
    """These columns of the plan, as a table for the console."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    shown = Table(title=title, title_justify="left", box=SIMPLE_HEAD, caption=caption, caption_justify="left")
    for column in columns:
        shown.add_column(HEADINGS[column], justify="right", no_wrap=True)
    for row in rows:
        cells = ((row[column], FORMATS.get(column, ",.1f")) for column in columns)
        shown.add_row(*("–" if value is None else format(value, form) for value, form in cells))
    return shown


def _advise(console: Any, rows: list[dict[str, Any]]) -> None:
    """Print which size the table recommends."""
    possible = [row for row in rows if row["answers"] is not None]
    if possible:
        best = min(possible, key=lambda row: row["answers"])
        console.print(f"Fewest held-out answers: {best['answers']:,} at m = {best['size']:,}.", highlight=False)
        quick = min(possible, key=lambda row: row["answers"] * row["cost"])
        if quick is not best:
            console.print(
                f"Least time, reading included: {quick['answers']:,} answers at m = {quick['size']:,}.", highlight=False
            )
    # One label alone would show people what the model thinks.
    decoys = [row for row in rows if row["size"] >= 2 and row["decoys"] is not None]
    if decoys:
        judge = min(decoys, key=lambda row: row["decoys"] * row["cost"])
        console.print(
            f"To judge a trained model, show its prediction among others: {judge['decoys']:,} answers at "
            f"m = {judge['size']:,} (PredictionQueries).",
            highlight=False,
        )


def _foresee(console: Any, facts: dict[str, Any], accuracy: float, confidence: float) -> None:
    """Print the forecast from the pilot."""
    needed = {key: "more than any number of" if value is None else f"{value:,.0f}"
              for key, value in facts["answers_for_accuracy"].items()}  # fmt: skip
    console.print(
        f"Pilot of {needed['n']} training answers: accuracy {accuracy:g} will take about {needed['value']} "
        f"answers, with {confidence:.0%} between {needed['low']} and {needed['high']}.",
        highlight=False,
    )
    gain = facts["next_answers"]
    console.print(
        f"The next {gain['more']:,} answers are expected to add {100 * gain['value']:.1f} points of accuracy, with "
        f"{confidence:.0%} between {100 * gain['low']:.1f} and {100 * gain['high']:.1f}.",
        highlight=False,
    )
