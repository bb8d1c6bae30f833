"""Methods, presets and data sets from outside this package: a researcher's module calls `register` when it is imported.

`oneof.engines.plugins` imports such modules.
"""

from oneof.datasets import DatasetInfo
from oneof.datasets import register as register_dataset
from oneof.experiments import methods, protocol
from oneof.experiments.methods import Method
from oneof.experiments.protocol import Preset


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
