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
    """Write the network as ONNX, preprocessing included: raw items in, logits out, any batch size.

    Example: oneof export model --onnx model.onnx
    """
    from oneof.classifier import OneOfClassifier
    from oneof.classifier.files import export_onnx

    export_onnx(OneOfClassifier.load(model), onnx)
    show({"out": str(onnx)}, f"[bold]{onnx}[/bold]", as_json)
