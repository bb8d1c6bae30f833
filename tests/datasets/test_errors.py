"""The errors of data files: all of one family, so that one `except` and the command line catch them."""

import warnings

import pytest

from oneof.datasets import errors, load

FAMILY = [errors.MissingDataError, errors.ChecksumError, errors.FormatError]


@pytest.mark.parametrize("error", FAMILY)
def test_every_error_is_a_data_error_and_a_bad_value(error):
    with pytest.raises(errors.DataError, match=r"a\.gz: is cut short"):
        raise error("a.gz: is cut short")
    # The command line shows a ValueError as one line, without a traceback.
    assert issubclass(error, ValueError)


@pytest.mark.parametrize("error", FAMILY)
def test_the_kinds_are_told_apart(error):
    for other in FAMILY:
        assert issubclass(error, other) is (error is other)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(errors.MissingDataError, match=str(tmp_path)):
        load("mnist", root=tmp_path)


def test_the_warning_is_the_users_to_silence_and_no_error():
    assert not issubclass(errors.UnverifiedDataWarning, errors.DataError)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", errors.UnverifiedDataWarning)
        warnings.warn("another copy", errors.UnverifiedDataWarning, stacklevel=1)
    with pytest.warns(errors.UnverifiedDataWarning, match="another copy"):
        warnings.warn("another copy", errors.UnverifiedDataWarning, stacklevel=1)
