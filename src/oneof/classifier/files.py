"""Models as folders: `weights.safetensors`, and `model.json` with everything else. Loading executes nothing."""

import json
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory, mkdtemp
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import nn

import oneof
from oneof import models
from oneof.evaluation import Estimate
from oneof.files.atomic import replacing
from oneof.queries import Queries, UniformQueries, WeightedQueries
from oneof.training import Config, Fitted, Network

if TYPE_CHECKING:
    from oneof.classifier.estimator import OneOfClassifier

WEIGHTS, FACTS = "weights.safetensors", "model.json"
_ENTRIES = {"classes", "shape", "own_backbone", "queries", "config", "accuracy", "best_epoch", "history"}


def save(model: "OneOfClassifier", path: Path, write_more: Callable[[Path], None] | None = None) -> None:
    """Write the folder; a model that is there already is replaced only when the new one is whole.

    write_more: writes what else belongs to the model into the folder that it is given.
    """
    facts = {
        "format": 1,
        "version": oneof.__version__,
        "classes": model.classes_.tolist(),
        "shape": list(model.shape_),
        "feature_names": list(getattr(model, "feature_names_in_", [])),
        "own_backbone": isinstance(model.backbone, nn.Module),
        "queries": _queries_to_json(model.queries),
        "config": model.config_.model_dump(),
        "accuracy": None if model.accuracy_ is None else model.accuracy_._asdict(),
        "best_epoch": model.best_epoch_,
        "history": model.history_,
        "choice": model.choice_,
    }
    refuse_other_folder(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = Path(mkdtemp(dir=path.parent, prefix=f".{path.name}."))
    try:
        # Cloned, because two names for one tensor (tied weights) are two tensors in the file.
        tensors = {
            name: tensor.detach().cpu().clone().contiguous() for name, tensor in model.network_.state_dict().items()
        }
        with replacing(part / WEIGHTS) as file:
            _write(tensors, file)
        with replacing(part / FACTS) as file:
            file.write_text(json.dumps(facts, indent=1), encoding="utf-8")
        if write_more is not None:
            write_more(part)
        part.chmod(0o755)
        _rename(part, path)
    finally:
        rmtree(part, ignore_errors=True)


def _rename(part: Path, path: Path) -> None:
    """Give the new folder its name; the one that has it goes, or comes back if this fails."""
    if not path.exists():
        part.rename(path)
        return
    with TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
        old = path.rename(Path(folder) / "old")
        try:
            part.rename(path)
        except OSError:
            old.rename(path)
            raise


def refuse_other_folder(path: Path) -> None:
    """Raise where something else than a model would be replaced."""
    if path.exists() and not (path / FACTS).is_file():
        raise ValueError(f"{path} exists and is not a model: choose another place")


def _queries_to_json(queries: Queries | None) -> dict[str, Any] | None:
    """The law of the questions, which judging needs; None for the uniform one."""
    if queries is None or isinstance(queries, UniformQueries):
        return None
    if isinstance(queries, WeightedQueries):
        return {"subsets": queries.subsets.astype(int).tolist(), "probabilities": queries.probabilities.tolist()}
    raise ValueError(f"queries of type {type(queries).__name__} cannot be saved; use WeightedQueries")


def _write(tensors: dict[str, torch.Tensor], path: Path) -> None:
    try:
        save_file(tensors, path)
    except SafetensorError as error:
        raise OSError(f"the weights could not be written, is the disk full? ({error})") from error


def load(path: Path, backbone: nn.Module | None = None) -> "OneOfClassifier":
    """The model in a folder. backbone: needed where the model was made with a module of the user's own."""
    from oneof.classifier.estimator import OneOfClassifier

    facts = read_facts(path)
    if facts["own_backbone"] and backbone is None:
        raise ValueError(f"{path} was trained with a network of your own: pass it as backbone")
    try:
        config, shape, classes = Config.read(None, **facts["config"]), tuple(facts["shape"]), len(facts["classes"])
        accuracy = None if facts["accuracy"] is None else Estimate(**facts["accuracy"])
        law = facts["queries"]
        queries = None if law is None else WeightedQueries(law["subsets"], law["probabilities"])
        body = backbone if backbone is not None else models.create(config.backbone, shape, classes, config.width)
    except (TypeError, KeyError, ValueError) as error:
        raise ValueError(f"{path / FACTS}: not the description of a model: {error}") from None
    try:
        tensors = load_file(path / WEIGHTS)
        network = Network(body, torch.zeros_like(tensors["mean"]), torch.ones_like(tensors["scale"]), config.views)
        network.load_state_dict(tensors)
    except (SafetensorError, OSError, RuntimeError, KeyError) as error:
        raise ValueError(f"{path / WEIGHTS}: not the weights of this model: {str(error).splitlines()[0]}") from None
    fitted = Fitted(
        network.eval(), config, facts["history"], facts["best_epoch"], accuracy, choice=facts.get("choice", [])
    )
    model = OneOfClassifier.from_fitted(fitted, facts["classes"], shape, backbone)
    if facts.get("feature_names"):
        model.feature_names_in_ = np.asarray(facts["feature_names"], dtype=object)
    model.queries = queries
    return model


def read_facts(path: Path) -> dict[str, Any]:
    """The JSON of a model folder."""
    if not (path / FACTS).is_file():
        raise ValueError(f"{path}: not a model, there is no {FACTS} in it")
    try:
        facts = json.loads((path / FACTS).read_text(encoding="utf-8"))
        if facts["format"] != 1:
            raise ValueError(f"format {facts['format']} is not known to oneof {oneof.__version__}")
        missing = sorted(_ENTRIES - facts.keys())
        if missing:
            raise ValueError(f"{missing[0]} is missing")
    except (json.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path / FACTS}: not the description of a model: {error}") from None
    return dict(facts)
