"""From items to numbers: pixels, words and pre-trained networks, each a scikit-learn transformer with a name.

>>> from oneof import encoders
>>> encoders.create("words").fit(["a red fox", "a blue bird"]).transform(["the red bird"]).shape[0]
1
"""

from oneof.encoders.base import Encoded, Encoder
from oneof.encoders.exporting import export_network
from oneof.encoders.registry import create, installed, names, read, write

__all__ = ["Encoded", "Encoder", "create", "export_network", "installed", "names", "read", "write"]
