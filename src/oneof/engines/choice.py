"""An engine by its name."""

from oneof.engines.base import DEFAULT_RETRIES, Engine
from oneof.engines.local import Local
from oneof.engines.ray import Ray

NAMES = ("local", "ray")


def choose(
    name: str,
    *,
    workers: int | None = None,
    address: str | None = None,
    cpus: float | None = None,
    gpus: float | None = None,
    retries: int = DEFAULT_RETRIES,
) -> Engine:
    """The engine of that name; None stands for its own default.

    >>> choose("local", workers=3).workers
    3
    """
    if name == "ray":
        return Ray(workers, address=address, cpus=1.0 if cpus is None else cpus, gpus=gpus or 0.0, retries=retries)
    if name != "local":
        raise ValueError(f"unknown engine {name!r}; known: {', '.join(NAMES)}")
    for what, given in (("address", address), ("CPUs a trial", cpus), ("GPUs a trial", gpus)):
        if given is not None:
            raise ValueError(f"the engine local has no {what}: leave it out, or use the engine ray")
    return Local(2 if workers is None else workers, retries=retries)
