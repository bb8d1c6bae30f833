"""Modules of a user's own, which register objectives, losses, data sets, methods or presets when they are imported.

`ONEOF_PLUGINS` names them, separated by commas; every command imports them, and so does every process that does trials.
"""

import os
import sys
from importlib import import_module

VARIABLE = "ONEOF_PLUGINS"


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
