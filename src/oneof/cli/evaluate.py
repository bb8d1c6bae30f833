"""oneof evaluate: how accurate is a model, by answers it was not trained on."""

from pathlib import Path
from typing import Annotated

import typer

from oneof.cli.options import AnswersFile, AsJson, Items, Labels, Model, list_left_out, show

Anytime = Annotated[
    bool, typer.Option("--anytime", help="An interval that stays true if you look again after every few answers.")
]


def evaluate(
    model: Model,
    source: Items,
    answers: AnswersFile,
    labels: Labels = None,
    anytime: Anytime = False,
    report: Annotated[Path | None, typer.Option(help="Write a page about it, .html, with pictures inside.")] = None,
    as_json: AsJson = False,
) -> None:
    """Judge a model by held-out answers: its accuracy with a 95 % interval, and not a single label.

    Answers about items that the model was trained on are left out, and counted; so are answers to questions that were
    chosen by a model, and labels. Answers that do not fit the law of their questions are refused.

    --report writes one file to send to somebody: the accuracy and which answers it is based on, each class, which
    classes are confused, whether probabilities can be trusted, and what was left out.

    With labels (given, or those of a data set) the true accuracy stands beside it, for comparison only.

    Example: oneof evaluate model dataset:digits/test test-answers.csv
    """
    import numpy as np

    from oneof.answers import Answers
    from oneof.classifier.model import load as load_model
    from oneof.evaluation import metrics
    from oneof.files.suffixes import suffix_to_write
    from oneof.items.labels import load_labels
    from oneof.items.loading import load

    if report is not None:
        suffix_to_write(report, (".html", ".htm"))
    fitted = load_model(model)
    raw = load(source)
    seen = np.asarray(raw.ids)[fitted.seen(raw)]
    names = fitted.classes_.astype(str).tolist()
    judging = Answers.load(answers)
    if judging.class_names is not None and sorted(judging.class_names) == sorted(names):
        judging = Answers.load(answers, classes=names)  # the same classes, in the order of the model
    raw.align(judging)  # before anything is encoded: answers about other items are a mistake
    items = fitted.take(raw, shown=not as_json)
    judging = items.align(judging)
    trained_on = np.flatnonzero(np.isin(items.ids, seen))
    judged = fitted.classifier.accuracy_estimate(items.x, judging, anytime=anytime, trained_on=trained_on)
    facts: dict[str, object] = {"accuracy": judged._asdict(), "left_out": list(items.left_out)}
    facts["notes"] = list(judged.notes)
    text = "\n".join([f"label-free accuracy {judged}", *judged.notes])
    truth, label_names = (items.labels, items.class_names) if labels is None else load_labels(labels, items)
    if truth is not None:
        # By name: a file of labels may have fewer classes than the model, and in another order.
        true_names = [label_names[label] if label_names else str(label) for label in truth.tolist()]
        place = {name: number for number, name in enumerate(names)}
        unknown = next((name for name in true_names if name not in place), None)
        if unknown is not None:
            raise ValueError(f"{labels or source}: label {unknown!r} is not among the classes {', '.join(names)}")
        predictions = [place[str(name)] for name in fitted.classifier.predict(items.x)]
        true = metrics([place[name] for name in true_names], predictions, len(names))
        facts["true"] = {name: np.asarray(value).tolist() for name, value in true.items()}
        text += f"\ntrue accuracy       {true['accuracy']:.4f} on {len(truth)} labelled items"
    if report is not None:
        from oneof.evaluation.report import html_report
        from oneof.files.atomic import replacing

        page = html_report(
            judged,
            fitted.classifier.predict_proba(items.x),
            judging.named(class_names=tuple(names)),
            title=f"How good is {model.resolve().name}?",
            queries=fitted.classifier.queries,
            trained_on=trained_on,
            true_accuracy=None if truth is None else true["accuracy"],
            unread=items.left_out,
        )
        with replacing(report) as part:
            part.write_text(page, encoding="utf-8")
        facts["report"] = str(report)
        text += f"\nreport              {report}"
    show(facts, text + list_left_out(items.left_out), as_json)
