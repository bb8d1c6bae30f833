"""oneof export: a model for other programs."""

from pathlib import Path
from typing import Annotated

import typer

from oneof.cli.options import AsJson, Model, show


def export(
    model: Model,
    onnx: Annotated[Path, typer.Option(help="The ONNX file to write.")],
    as_json: AsJson = False,
) -> None:
    """Write the network as ONNX, preprocessing included: items in, logits out, any batch size.

    Pictures go in as bytes, in the size that the command prints; texts as the features that the encoder gives.

    Example: oneof export model --onnx model.onnx
    """
    from oneof.classifier.exporting import export_model
    from oneof.classifier.model import load

    takes = export_model(load(model), onnx)
    show({"out": str(onnx), "takes": takes}, f"[bold]{onnx}[/bold]: takes {takes}", as_json)
