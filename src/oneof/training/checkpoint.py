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
        try:
            torch.save(state, part)
        except RuntimeError as error:  # what torch makes of a full disk
            raise OSError(f"{path}: the checkpoint could not be written, is the disk full? ({error})") from error


def load(path: Path) -> dict[str, Any]:
    """Read a state: tensors and plain values only, nothing in the file is ever executed."""
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except (RuntimeError, EOFError, OSError, BadZipFile, pickle.UnpicklingError):
        # torch's own message would advise to unpickle what may be anybody's code.
        raise ValueError(f"{path}: damaged or not a checkpoint; start again without --resume") from None
    if not isinstance(state, dict) or "position" not in state:
        raise ValueError(f"{path}: not a checkpoint of a training run; start again without --resume")
    return state
