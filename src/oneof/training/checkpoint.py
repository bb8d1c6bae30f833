"""Checkpoints: everything a run needs to resume exactly, in one file that is never left incomplete."""

from pathlib import Path
from typing import Any

import torch

from oneof.files.atomic import replacing


def save(path: Path, state: dict[str, Any]) -> None:
    """Write the state; the old file is replaced only when the new one is complete and on disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as part:
        try:
            torch.save(state, part)
        except RuntimeError as error:  # torch's error for a full disk
            raise OSError(f"{path}: the checkpoint could not be written, is the disk full? ({error})") from error


def load(path: Path) -> dict[str, Any]:
    """The state in a file: tensors and plain values only, so that no code in the file is executed."""
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except Exception:
        # A foreign file can raise any error, and torch's message suggests unpickling it, which could run its code.
        raise ValueError(f"{path}: damaged or not a checkpoint; start again without --resume") from None
    if not isinstance(state, dict) or "position" not in state:
        raise ValueError(f"{path}: not a checkpoint of a training run; start again without --resume")
    return state


def restore(
    path: Path, parts: dict[str, Any], generator: torch.Generator, origin: dict[str, Any], rank: int
) -> dict[str, Any]:
    """Restore every part and both random generators from a checkpoint, and return the other entries of its state.

    parts: objects with `load_state_dict`, by name. origin: values that must be the same in the checkpoint, by name.
    rank: the number of this worker.
    """
    state = load(path)
    for what, value in origin.items():
        if state.pop(what, None) != value:
            raise ValueError(f"{path}: the checkpoint is of another {what}; resume with the same or start again")
    generators = state.pop("drawn"), state.pop("torch")
    if rank >= len(generators[0]):
        raise ValueError(f"{path}: the checkpoint is of {len(generators[0])} workers; resume with as many")
    for name, part in parts.items():
        try:
            part.load_state_dict(state.pop(name))
        except (RuntimeError, KeyError, ValueError) as error:
            reason = str(error).splitlines()[0]
            raise ValueError(f"{path}: the checkpoint is of another {name}: {reason}") from None
    # A generator reads its state from the start of the storage, so a row of a larger tensor must be copied first.
    generator.set_state(generators[0][rank].clone())
    torch.set_rng_state(generators[1][rank].clone())
    return state
