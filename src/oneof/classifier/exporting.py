"""A model for other programs: one ONNX file from pictures, or from features, to logits."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch

from oneof.classifier.estimator import OneOfClassifier
from oneof.classifier.model import Model
from oneof.encoders.exporting import write_onnx
from oneof.encoders.onnx import OnnxPictures
from oneof.files.atomic import replacing


def export_classifier(model: OneOfClassifier, path: Path) -> None:
    """Write the network, preprocessing included: input `items` (batch, *shape) of float32, output `logits`."""
    write_onnx(model.network_.eval(), torch.zeros(2, *model.shape_), path, "items", "logits")


def export_model(model: Model, path: Path) -> str:
    """Write the model, and return in words what the file takes.

    Input `items` (batch, ...) of float32, output `logits` (batch, k). Where an ONNX network encodes the pictures, it is
    part of the file, and `items` are their bytes 0 to 255, (batch, 3, height, width).
    """
    encoder, shape = model.encoder, model.classifier.shape_
    if not isinstance(encoder, OnnxPictures):
        export_classifier(model.classifier, path)
        what = "items" if encoder is None else f"what the encoder {encoder.name} gives"
        return f"{what}, (batch, {', '.join(map(str, shape))})"
    import onnx
    from onnx import TensorProto, compose, helper, numpy_helper

    frame = encoder.frame(encoder.session())
    with TemporaryDirectory() as folder:
        export_classifier(model.classifier, Path(folder) / "head.onnx")
        head = onnx.load(Path(folder) / "head.onnx")
    body = onnx.load(encoder.file())
    kind = body.graph.input[0].type.tensor_type.elem_type
    if kind not in (TensorProto.FLOAT, TensorProto.UINT8):
        raise ValueError(f"{encoder.file()}: takes numbers of type {kind}, only float32 and uint8 can be exported")
    # Three parts in a row: bytes to what the network takes, the network, and the classifier.
    constants = {"mean": encoder.mean, "deviation": encoder.deviation}
    initial = [
        numpy_helper.from_array(np.array(value, np.float32).reshape(1, -1, 1, 1), name)
        for name, value in constants.items()
    ]
    items = helper.make_tensor_value_info("items", TensorProto.FLOAT, ["batch", *frame.shape])
    given = helper.make_tensor_value_info("given", kind, ["batch", *frame.shape])
    nodes = [
        helper.make_node("Sub", ["items", "mean"], ["centred"]),
        helper.make_node("Div", ["centred", "deviation"], ["given"]),
    ]
    if kind == TensorProto.UINT8:
        nodes, initial = [helper.make_node("Cast", ["items"], ["given"], to=TensorProto.UINT8)], []
    opset = max(opset.version for opset in body.opset_import if opset.domain in ("", "ai.onnx"))
    head = onnx.version_converter.convert_version(head, opset)
    first = helper.make_model(
        helper.make_graph(nodes, "bytes", [items], [given], initial), opset_imports=[helper.make_opsetid("", opset)]
    )
    first.ir_version = body.ir_version = head.ir_version = max(body.ir_version, head.ir_version)
    body, head = compose.add_prefix(body, "encoder/"), compose.add_prefix(head, "classifier/")
    features = body.graph.output[0].name
    joined = compose.merge_models(first, body, io_map=[("given", body.graph.input[0].name)])
    whole = compose.merge_models(
        joined, head, io_map=[(features, head.graph.input[0].name)], outputs=[head.graph.output[0].name]
    )
    for node in whole.graph.node:
        node.output[:] = ["logits" if name == "classifier/logits" else name for name in node.output]
    whole.graph.output[0].name = "logits"
    with replacing(path) as part:
        onnx.save(whole, part)
    return f"pictures as bytes 0 to 255, (batch, {', '.join(map(str, frame.shape))})"
