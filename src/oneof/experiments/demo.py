"""The demonstration behind `oneof demo`: digits, four objectives, one page of curves."""

import base64
from html import escape
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from torch import nn

from oneof.answers import Answers
from oneof.datasets import load
from oneof.evaluation import estimate_accuracy
from oneof.files.atomic import replacing
from oneof.queries import UniformQueries, respond
from oneof.training import Config, Features, fit, predict_classes

OBJECTIVES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("URE (GCE)", {"objective": "ure", "loss": "gce"}),
    ("NN (GCE)", {"objective": "nn", "loss": "gce"}),
    ("ABS (GCE)", {"objective": "abs", "loss": "gce"}),
    ("likelihood", {"objective": "likelihood"}),
)


def run(out: Path, *, size: int, seed: int, epochs: int | None = None, shown: bool = False) -> dict[str, Any]:
    """Simulate answers, train, judge, and write a page with curves: the figures of each objective, and its path."""
    training, test = load("digits", "train"), load("digits", "test")
    queries = UniformQueries(10, size)
    rng = np.random.default_rng(seed)
    # The same questions and answers for every objective, so that only the objective makes a difference.
    subsets, test_subsets = queries.draw(len(training.labels), rng), queries.draw(len(test.labels), rng)
    answers = Answers(subsets, respond(subsets, training.labels))
    judging = Answers(test_subsets, respond(test_subsets, test.labels))
    features, unseen = _flat(training.images), _flat(test.images)

    rows, histories = [], {}
    for name, options in OBJECTIVES:

        def report(network: nn.Module) -> dict[str, Any]:
            predictions = predict_classes(network, unseen)
            return {"test_accuracy": float((predictions == test.labels).mean())}

        config = Config(**options, epochs=epochs, seed=seed, holdout=0.0)
        fitted = fit(features, answers, config, report=report, shown=shown)
        predictions = predict_classes(fitted.network, unseen)
        estimate = estimate_accuracy(predictions, judging)
        true = float((predictions == test.labels).mean())
        rows.append(
            {"name": name, "label_free": estimate.value, "low": estimate.low, "high": estimate.high, "true": true}
        )
        histories[name] = fitted.history
    out.mkdir(parents=True, exist_ok=True)
    page = out / "index.html"
    with replacing(page) as part:
        part.write_text(_page(rows, histories, size, len(answers), len(judging)), encoding="utf-8")
    return {"rows": rows, "answers": len(answers), "judging": len(judging), "page": str(page.resolve())}


def _flat(images: np.ndarray) -> Features:
    """Eight by eight pixels are few enough for a perceptron, which trains in seconds."""
    return Features(images.reshape(len(images), -1))


def _page(
    rows: list[dict[str, Any]], histories: dict[str, list[dict[str, Any]]], size: int, answers: int, judging: int
) -> str:
    cells = "".join(
        f"<tr><td>{escape(row['name'])}</td><td>{row['label_free']:.1%}</td>"
        f"<td>{row['low']:.1%} to {row['high']:.1%}</td><td>{row['true']:.1%}</td></tr>"
        for row in rows
    )
    picture = base64.b64encode(_curves(histories)).decode()
    return f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>oneof: a demonstration</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body{{font:17px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;color:#1c2333}}
table{{border-collapse:collapse;margin:1rem 0}}td,th{{padding:.35rem 1.2rem .35rem 0;text-align:left;
border-bottom:1px solid #d8dce6}}img{{max-width:100%}}</style>
<h1>Is it one of these {size}?</h1>
<p>A network learned to read handwritten digits from {answers} yes/no answers, one for each picture, each about {size}
labels out of ten drawn at random. Nobody named a digit. The interval comes from {judging} more such answers about
digits it had not seen; the true accuracy is there to check it by.</p>
<table><tr><th>objective</th><th>label-free accuracy</th><th>95 % interval</th><th>true accuracy</th></tr>
{cells}</table>
<img alt="Risk and accuracy over the epochs for each objective" src="data:image/png;base64,{picture}">
<p>Dashed: the raw risk, an unbiased estimate that may turn negative, and then the network learns the noise. Solid:
what is minimised. NN stops there, ABS turns back. The likelihood is never negative.</p></html>"""


def _curves(histories: dict[str, list[dict[str, Any]]]) -> bytes:
    """Risk above, accuracy below, one column per objective. PNG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3.3 * len(histories), 5.2), layout="constrained")
    axes = figure.subplots(2, len(histories), sharex=True, sharey="row", squeeze=False)
    for column, (name, history) in enumerate(histories.items()):
        epochs = [row["epoch"] for row in history]
        risk, accuracy = axes[0, column], axes[1, column]
        risk.axhline(0, color="0.8", lw=1)
        risk.plot(epochs, [row["objective"] for row in history], color="#2458a6", label="minimised")
        risk.plot(epochs, [row["raw"] for row in history], color="#c2571a", ls="--", label="raw")
        risk.set_title(name)
        accuracy.plot(epochs, [100 * row["test_accuracy"] for row in history], color="#1d7a4f")
        accuracy.set_xlabel("epoch")
        accuracy.grid(axis="y", color="0.92")
        for axis in (risk, accuracy):
            axis.spines[["top", "right"]].set_visible(False)
    axes[0, 0].set_ylabel("risk on the training answers")
    axes[0, 0].legend(frameon=False)
    axes[1, 0].set_ylabel("accuracy on unseen digits, %")
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=110)
    return buffer.getvalue()
