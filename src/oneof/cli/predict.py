"""oneof predict: classes and probabilities for items."""

from pathlib import Path
from typing import Annotated

import typer

from oneof.cli.options import AsJson, Items, Model, show


def predict(
    model: Model,
    source: Items,
    out: Annotated[Path, typer.Option(help="Where to write: .csv or .parquet.")],
    as_json: AsJson = False,
) -> None:
    """Write one row an item: id, prediction, and the probability of each class.

    Example: oneof predict model dataset:digits/test --out predictions.csv
    """
    import pandas as pd

    from oneof.atomic import replacing
    from oneof.classifier import OneOfClassifier
    from oneof.items import load

    if out.suffix not in (".csv", ".parquet"):
        raise ValueError(f"{out}: unknown kind of file {out.suffix!r}, expected .csv or .parquet")
    fitted = OneOfClassifier.load(model)
    items = load(source, shape=fitted.shape_)
    chances = fitted.predict_proba(items.x)
    frame = pd.DataFrame({"id": items.ids, "prediction": fitted.classes_[chances.argmax(axis=1)]})
    for number, name in enumerate(fitted.classes_.tolist()):
        frame[f"p_{name}"] = chances[:, number].round(6)
    with replacing(out) as part:
        if out.suffix == ".csv":
            frame.to_csv(part, index=False)
        else:
            frame.to_parquet(part, index=False)
    show({"out": str(out), "items": len(items)}, f"{len(items)} predictions: [bold]{out}[/bold]", as_json)
