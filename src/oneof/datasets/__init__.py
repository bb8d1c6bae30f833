"""The data sets of the paper and scikit-learn's digits, read from their official files."""

from oneof.datasets import official  # noqa: F401  # registers what it holds
from oneof.datasets.dataset import Dataset
from oneof.datasets.errors import ChecksumError, DataError, FormatError, MissingDataError, UnverifiedDataWarning
from oneof.datasets.loading import check, load
from oneof.datasets.registry import DatasetInfo, info, names, register
from oneof.datasets.verify import ACCEPT_VARIABLE

__all__ = [
    "ACCEPT_VARIABLE",
    "ChecksumError",
    "DataError",
    "Dataset",
    "DatasetInfo",
    "FormatError",
    "MissingDataError",
    "UnverifiedDataWarning",
    "check",
    "info",
    "load",
    "names",
    "register",
]
