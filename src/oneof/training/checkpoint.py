"""Checkpoints: everything a run needs to go on exactly, in one file that is always whole."""

from pathlib import Path
from typing import Any

import torch

from oneof.files.atomic import replacing


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
    except Exception:
        # Foreign bytes raise just about anything, and torch's message advises to unpickle what may be anybody's code.
        raise ValueError(f"{path}: damaged or not a checkpoint; start again without --resume") from None
    if not isinstance(state, dict) or "position" not in state:
        raise ValueError(f"{path}: not a checkpoint of a training run; start again without --resume")
    return state


def restore(
    path: Path, parts: dict[str, Any], drawn: torch.Generator, origin: dict[str, Any], rank: int
) -> dict[str, Any]:
    """Put every part and generator back as it was; the rest of the state is returned.

    origin: what a run must have in common with the one it goes on from, by name. rank: which worker this is.
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
    # A generator reads its state from the start of the storage, so a row of a larger tensor must be copied out.
    drawn.set_state(generators[0][rank].clone())
    torch.set_rng_state(generators[1][rank].clone())
    return state
