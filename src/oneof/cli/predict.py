"""oneof predict: classes and probabilities for items."""

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from oneof.cli.options import AsJson, Items, Model, list_left_out, show


def predict(
    model: Model,
    source: Items,
    out: Annotated[Path, typer.Option(help="Where to write: .csv or .parquet.")],
    as_json: AsJson = False,
) -> None:
    """Write one row per item: id, prediction, and the probability of each class.

    Example: oneof predict model dataset:digits/test --out predictions.csv
    """
    import numpy as np
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

    from oneof.classifier.model import load as load_model
    from oneof.files.atomic import replacing
    from oneof.files.suffixes import suffix_to_write
    from oneof.items.loading import load

    suffix = suffix_to_write(out, (".csv", ".parquet"))
    fitted = load_model(model)
    items = fitted.take(load(source), shown=not as_json)
    names = [f"p_{name}" for name in fitted.classes_.tolist()]
    with replacing(out) as part, ExitStack() as stack:
        writer = None
        for rows, probabilities in fitted.classifier.predict_parts(items.x):
            ids = np.asarray(items.ids[rows]).astype(str)
            frame = pd.DataFrame({"id": ids, "prediction": fitted.classes_[probabilities.argmax(axis=1)]})
            frame = frame.join(pd.DataFrame(probabilities.round(6), columns=names))
            if suffix == ".csv":
                frame.to_csv(part, index=False, header=rows.start == 0, mode="a")
                continue
            table = pa.Table.from_pandas(frame, preserve_index=False)
            writer = writer or stack.enter_context(pq.ParquetWriter(part, table.schema))
            writer.write_table(table)
    facts = {"out": str(out), "items": len(items), "left_out": list(items.left_out)}
    show(facts, f"{len(items)} predictions: [bold]{out}[/bold]" + list_left_out(items.left_out), as_json)
