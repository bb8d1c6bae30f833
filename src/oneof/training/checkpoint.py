"""Checkpoints: everything a run needs to go on exactly, in one file that is always whole."""

import pickle
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import torch

from oneof.atomic import replacing


def save(path: Path, state: dict[str, Any]) -> None:
    """Write the state, replacing the file only when the new one is whole and on disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as part:
        torch.save(state, part)


def load(path: Path) -> dict[str, Any]:
    """Read a state: tensors and plain values only, nothing in the file is ever executed."""
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except (RuntimeError, EOFError, OSError, BadZipFile, pickle.UnpicklingError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ValueError(f"{path}: not a whole checkpoint, start again without --resume: {reason}") from None
    if not isinstance(state, dict) or "position" not in state:
        raise ValueError(f"{path}: not a checkpoint of a training run")
    return state
