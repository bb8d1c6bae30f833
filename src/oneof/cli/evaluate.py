"""oneof evaluate: how accurate is a model, by answers it was not trained on."""

from oneof.cli.options import AnswersFile, AsJson, Items, Labels, Model, show


def evaluate(model: Model, source: Items, answers: AnswersFile, labels: Labels = None, as_json: AsJson = False) -> None:
    """Judge a model by held-out answers: its accuracy with a 95 % interval, and not a single label.

    With labels (given, or those of a data set) the true accuracy stands beside it, for comparison only.

    Example: oneof evaluate model dataset:digits/test test-answers.csv
    """
    import numpy as np

    from oneof.answers import Answers
    from oneof.classifier import OneOfClassifier
    from oneof.evaluation import metrics
    from oneof.items import load, load_labels

    fitted = OneOfClassifier.load(model)
    items = load(source)
    known = Answers.load(answers).align(items.ids)
    if known.classes != len(fitted.classes_):
        raise ValueError(f"{model} knows {len(fitted.classes_)} classes, but {answers} asks about {known.classes}")
    judged = fitted.accuracy_estimate(items.x, known)
    facts: dict[str, object] = {"accuracy": judged._asdict()}
    text = f"label-free accuracy {judged}"
    truth = items.labels if labels is None else load_labels(labels, items)[0]
    if truth is not None:
        place = {name: number for number, name in enumerate(fitted.classes_.tolist())}
        numbers = np.array([place[name] for name in fitted.predict(items.x).tolist()])
        true = metrics(truth, numbers, len(fitted.classes_))
        facts["true"] = {name: np.asarray(value).tolist() for name, value in true.items()}
        text += f"\ntrue accuracy       {true['accuracy']:.4f} on {len(truth)} labelled items"
    show(facts, text, as_json)
