"""Exceptions for what can be wrong with a data file; they name the file and what was expected."""


class DataError(ValueError):
    """A data set cannot be used: the message names the file and says what to do."""


class MissingDataError(DataError):
    """A file is not there."""


class ChecksumError(DataError):
    """A file is not byte for byte the official one."""


class FormatError(DataError):
    """A file's content is not in its official format: truncated, altered, or another file altogether."""


class UnverifiedDataWarning(UserWarning):
    """A file that differs from the official one is used because the user accepted it."""
