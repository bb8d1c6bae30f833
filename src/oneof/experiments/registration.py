"""Methods, presets and data sets from outside this package.

A researcher's module calls `register` when it is imported. `ONEOF_PLUGINS` names such modules, separated by commas;
the commands and every worker process import them.
"""

import os
import sys
from importlib import import_module

from oneof.datasets import DatasetInfo
from oneof.datasets import register as register_dataset
from oneof.experiments import methods, protocol
from oneof.experiments.methods import Method
from oneof.experiments.protocol import Preset

VARIABLE = "ONEOF_PLUGINS"


def register(added: Method | Preset | DatasetInfo) -> None:
    """Make a method, a preset or a data set known to the experiments and to `oneof reproduce`.

    A name that is taken is an error. A preset may name data sets and methods that are registered later.

    >>> register(Method("PRODEN", "proden"))
    Traceback (most recent call last):
        ...
    ValueError: there is a method 'PRODEN' already
    """
    if isinstance(added, Method):
        methods.register(added)
    elif isinstance(added, Preset):
        protocol.register(added)
    elif isinstance(added, DatasetInfo):
        register_dataset(added)
    else:
        raise TypeError(f"register takes a Method, a Preset or a DatasetInfo, not a {type(added).__name__}")


def load_plugins() -> None:
    """Import the modules that `ONEOF_PLUGINS` names, also from the current folder; twice does nothing more."""
    names = [part.strip() for part in os.environ.get(VARIABLE, "").split(",") if part.strip()]
    if names and os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # as with `python -m`; an installed command does not have it
    for name in names:
        try:
            import_module(name)
        except ImportError as error:
            raise ValueError(f"{VARIABLE} names {name!r}, which cannot be imported: {error}") from error
